"""The pieces of a piecewise affine solution map, all of them.

    z(v) = argmin { |x|^2 / 2 : M x <= q + Q v },    |v_j| <= 1        (see `conic.distance`)

is affine wherever the same rows k bind: on the polytope of the v at which their multipliers and the
slacks of all other rows are >= 0. One step across a facet of it leads to

- k without j, where the multiplier of j is zero there,
- k with i, where the slack of i is zero and row i is independent of the rows k,
- k with i and without one j, where row i = sum_j a_j row j, for a j with a_j > 0; if there is none,
  no solution exists beyond: the facet lies on the boundary of the feasible data.

From one piece that has an interior these steps reach every piece. Proof. The v with a solution form
a convex set. Were an open part of it not covered, a segment from a covered point to it, in general
position, would leave the covered part at a point in the interior of a facet where one multiplier or
slack is zero and all others of that piece are positive; the piece beyond is then one of the steps
above (a multiplier of zero: the row leaves; a slack of zero: the row enters, and if it depends on
the others, the multipliers (lambda - s a, s) show that the first a_j > 0 to bring its multiplier
to zero leaves). That step was tried, so the point beyond is covered: a contradiction. Two zeros at
once on a whole facet do not happen for q in general position, which the caller provides by moving
his margins apart; what rounding leaves of it is met by inclusive tolerances: a piece counts if it
is empty by less than `TOLERANCE`, and so does a row that comes as near to zero.

Unlike the partition of Bemporad, Morari, Dua and Pistikopoulos (2002), this cuts no piece into
parts: the work grows with pieces and facets, not with the dimension.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.conic.distance import DEPENDENT, Law, LeastDistance
from privopt.conic.highs import WarmLP
from privopt.errors import SolverError

__all__ = ["TOLERANCE", "Regions", "conditions", "enumerate_regions"]

TOLERANCE = 1e-8  # of the half-width of the domain
_NEARLY = 1e-6  # a row this near to the span of others is taken for dependent and for independent
_CONSTANT = 1e-11  # relative: a condition that v does not move
_RAYS = 200
_STARTS = 20


@dataclass(frozen=True, eq=False)
class Regions:
    """What was found: the laws of the pieces, a point of each, and how the search ended.

    `whole` tells whether every v of the box has a solution (only where all pieces were seen).
    """

    laws: tuple[Law, ...]
    centres: tuple[Vector, ...]
    whole: bool
    end: Literal["complete", "limit", "time", "thin"]


def enumerate_regions(
    form: LeastDistance, *, limit: int = 10_000, deadline: float | None = None
) -> Regions:
    """Visit every piece, up to a limit of them or of time (`time.monotonic`)."""
    search = _Search(form)
    for v in _starts(form.size):
        law = form.binding(v)
        if law is not None:
            search.add(frozenset(law.rows))
        else:
            search.whole = False
    laws: list[Law] = []
    centres: list[Vector] = []
    end: Literal["complete", "limit", "time", "thin"] = "thin"
    while search.waiting:
        late = deadline is not None and time.monotonic() > deadline
        if late or len(laws) >= limit:
            return Regions(tuple(laws), tuple(centres), False, "time" if late else "limit")
        polytope = search.next()
        if polytope is not None:
            laws.append(polytope.law)
            centres.append(polytope.centre)
            if polytope.radius > 10 * TOLERANCE:
                end = "complete"
            search.cross(polytope)
    return Regions(tuple(laws), tuple(centres), search.whole, end)


def _starts(size: int) -> Iterator[Vector]:
    """The middle, and random points and vertices: one would do."""
    rng = np.random.default_rng(0)
    yield np.zeros(size)
    for k in range(_STARTS):
        v = rng.uniform(-1, 1, size)
        yield v if k % 2 else np.sign(v)


@dataclass(frozen=True, eq=False)
class _Polytope:
    """g v + c >= 0 within the box: where a law holds. `row` is the row behind each condition."""

    law: Law
    g: Dense
    c: Vector
    row: NDArray[np.intp]
    centre: Vector
    radius: float = 1.0
    lp: WarmLP | None = None


class _Search:
    """Sets of rows to look at, each once."""

    def __init__(self, form: LeastDistance) -> None:
        self._form = form
        self._seen: set[frozenset[int]] = set()
        self._rng = np.random.default_rng(0)
        self.waiting: list[frozenset[int]] = []
        self.whole = True

    def add(self, rows: frozenset[int]) -> None:
        """Look at a set of rows, unless that was done."""
        if rows not in self._seen:
            self._seen.add(rows)
            self.waiting.append(rows)

    def next(self) -> _Polytope | None:
        """The polytope of the next set of rows; None if it is empty."""
        law = self._form.law(tuple(self.waiting.pop()))
        return None if law is None else _polytope(self._form, law)

    def cross(self, polytope: _Polytope) -> None:
        """Add what lies beyond each facet."""
        law, rows = polytope.law, frozenset(polytope.law.rows)
        for row in polytope.row[self._facets(polytope)].tolist():
            if row in rows:
                self.add(rows - {row})
                continue
            shares, rest = law.shares(self._form.M[row])
            if rest > DEPENDENT:
                self.add(rows | {row})
            if rest < _NEARLY:
                leaving = [j for j, a in zip(law.rows, shares, strict=True) if a > 1e-12]
                for j in leaving:
                    self.add((rows - {j}) | {row})
                self.whole = self.whole and bool(leaving)

    def _facets(self, polytope: _Polytope) -> NDArray[np.bool_]:
        """Which conditions are tight somewhere: rays from the centre find most, programs the rest.

        A program that ends without an answer counts as tight.
        """
        g, c, lp = polytope.g, polytope.c, polytope.lp
        tight = np.zeros(len(c), dtype=bool)
        if lp is None:
            return tight
        if polytope.radius > TOLERANCE:
            tight |= self._hit(polytope)
        lp.fix(g.shape[1], min(polytope.radius, 0.0) - 1e-12)
        for k in range(len(c)):
            if tight[k]:
                continue
            try:
                answer = lp.minimise(np.append(g[k], 0.0))
            except SolverError:
                answer = None
            if answer is None:
                tight[k] = True
            else:
                tight |= g @ answer.x[:-1] + c < TOLERANCE
        return tight

    def _hit(self, polytope: _Polytope) -> NDArray[np.bool_]:
        """Conditions that a ray from the centre meets before all others."""
        g, centre = polytope.g, polytope.centre
        rays = self._rng.normal(size=(len(centre), _RAYS))
        towards, slack = -(g @ rays), g @ centre + polytope.c
        far = np.where(towards > 1e-12, slack[:, None] / np.maximum(towards, 1e-12), np.inf)
        wall = ((np.sign(rays) - centre[:, None]) / rays).min(axis=0)
        first = far.argmin(axis=0)
        found = np.zeros(len(g), dtype=bool)
        found[first[far.min(axis=0) <= wall]] = True
        return found


def _polytope(form: LeastDistance, law: Law) -> _Polytope | None:
    """Where a law holds, and a centre of it; None if that is empty."""
    held = conditions(form, law)
    if held is None:
        return None
    g, c, row = held
    k, n = len(c), form.size
    if k == 0:
        return _Polytope(law, g, c, row, np.zeros(n))
    lp = WarmLP(
        c=np.append(np.zeros(n), -1.0),
        M=np.column_stack([g, -np.ones(k)]),
        row_lower=-c,
        row_upper=np.full(k, np.inf),
        lower=np.append(-np.ones(n), -np.inf),
        upper=np.ones(n + 1),
    )
    try:
        answer = lp.solve()
    except SolverError:
        answer = None
    if answer is None or len(answer.x) == 0:  # no answer: counted, to be on the safe side
        return _Polytope(law, g, c, row, np.zeros(n), 0.0, lp)
    if -answer.value < -TOLERANCE:
        return None
    return _Polytope(law, g, c, row, answer.x[:-1], -answer.value, lp)


def conditions(form: LeastDistance, law: Law) -> tuple[Dense, Vector, NDArray[np.intp]] | None:
    """Multipliers and slacks of a law as g v + c >= 0, |g| = 1, and the row behind each.

    Those that hold all over the box are left out; None if one holds nowhere.
    """
    others = np.setdiff1d(np.arange(len(form.M)), np.array(law.rows, dtype=int))
    right = np.column_stack([form.q[others], form.Q[others]])
    table = np.vstack([law.multipliers, right - form.M[others] @ law.x])
    row = np.concatenate([np.array(law.rows, dtype=np.intp), others])
    c, g = table[:, 0], table[:, 1:]
    size = np.linalg.norm(g, axis=1)
    moves = size > _CONSTANT * (1 + np.abs(c))
    if (c[~moves] < -TOLERANCE).any():
        return None
    c, g, row = c[moves] / size[moves], g[moves] / size[moves, None], row[moves]
    reach = np.abs(g).sum(axis=1)
    if (c + reach < -TOLERANCE).any():
        return None
    near = c - reach < TOLERANCE
    return g[near], c[near], row[near]
