"""Certificates for released values q: a solution z0 + K (u - middle) that is feasible for every u.

    G z0 = t(middle),  G K = F,  S z0 = q,  S K = 0
    A_i z0 + max over U of A_i K (u - middle) <= b_i          for every row i

Nothing random is left: u is any point of a `Region`. How much the worst row must be exceeded,

    excess(q) = least s with A_i z0 + max_U A_i K (u - middle) <= b_i + s size_i for some z0 and K,

is a convex function of q, zero where q can be certified. One interior-point solve (`columns`) gives
it, z0, K and a slope: excess(q') >= excess(q) + slope'(q' - q) for every q', the cut that a q
without a certificate teaches the choice of the next one. (A small weight on |z0|^2 and |K|^2, from
where they begin, makes them unique; where they are longer at q' than at q, the cut is off by half
of that weight times the difference.)

Few rows have a margin that is chosen; the others keep that of the gain there is. While q has a
certificate, those enter that the new gain exceeds. While it has none, a row enters where another
gain would help: seen from a point of U its margin is at least zero, so its multiplier times the
margin there is the most that the excess could fall by. What all the others could do together is
small beside the excess, and is taken off it: the cut is a little weaker, and still true.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.interior import InnerOptimum, Start, interior_point
from privopt.solving.problem import Outcome
from privopt.solving.robust.columns import Columns
from privopt.solving.robust.completing import Completing
from privopt.solving.robust.condensed import Condensed
from privopt.solving.robust.inner import inner
from privopt.solving.robust.reduced import reduced
from privopt.solving.robust.region import Region

__all__ = ["Certifier", "Warrant"]

_KEPT = 5e-8  # an excess below this breaks no limit: those of the condensed program are tighter
_OVER = 1e-9  # of its size: a row exceeded by less is kept
_NEAR = 1e-4  # weight that keeps K near where it begins,
_BETWEEN = 1e-5
_SHARP = 1e-6  # and where that would be paid for by an excess: a cut should not ask for too much
_PRECISE, _ON_THE_WAY = 1e-8, 3e-2
_NEARLY = 3e-3  # of its size: a row with less room is near its limit
_CLOSE = 0.05  # of the excess: a cut may be that much weaker than the best one
_MOVES = 1e-9  # a row that moves less is moved by nothing
_ROUNDS = 30


@dataclass(frozen=True, repr=False, eq=False)
class Warrant:
    """What one q leads to.

    Attributes
    ----------
    holds
        Whether q is certified.
    excess
        How much the worst row is exceeded, in multiples of its size: no solution has less.
    slope
        Of the excess, over q.
    x, K
        The solution at the middle, and its gain, of the condensed program; a certificate if it
        holds.
    """

    holds: bool
    excess: float
    slope: Vector
    x: Vector
    K: Dense


@dataclass(repr=False, eq=False)
class Certifier:
    """Certificates of one program, query and region.

    Parameters
    ----------
    small, S
        The condensed program, and the query in scaled units.
    region
        Where the private data can lie.
    target, F
        Scaled right-hand side at the middle of the region, and how it follows the private data.
    gain
        A gain to begin with (condensed); the smallest one unless given.
    parts
        What `Completing` makes of program and query, if it is there already.
    """

    small: Condensed
    S: Sparse
    region: Region
    target: Vector
    F: Dense
    gain: Dense | None = None
    parts: Completing | None = None
    _free: set[int] = field(default_factory=set[int])
    _refused: bool = False
    _sharp: float = _SHARP
    _way: Start | None = None

    def __post_init__(self) -> None:
        count = len(self.small.limits)
        parts = Completing(self.small, self.S) if self.parts is None else self.parts
        self._C, self._inverse, self._space = parts.C, parts.inverse, parts.Z
        self._fixed: Vector = np.asarray(parts.right @ self.target)
        wanted: Dense = np.asarray(parts.right @ self.F)
        start = np.zeros((self._C.shape[1], wanted.shape[1])) if self.gain is None else self.gain
        start = start + self._inverse @ (wanted - self._C @ start)
        # Values that the data decide by themselves cannot be chosen before these are known.
        size = 1.0 + float(np.abs(wanted).max(initial=0.0))
        self.possible = bool(np.abs(self._C @ start - wanted).max(initial=0.0) <= _MOVES * size)
        self._start = start
        M, R = self.small.rows(np.arange(count))
        self._M, self._shift = M, np.asarray(R @ self.target)
        rows = M.toarray()  # lines have an entry for nearly every variable
        self._B = rows @ self._space
        self._a = rows @ start + np.asarray(R @ self.F)
        self._margin, _ = self.region.support(self._a)
        self._lean, self._moving = reduced(self.region)
        still = np.setdiff1d(np.arange(len(self.region.half)), self._moving)
        self._still = np.abs(self._a[:, still]) @ self.region.half[still]
        # What another gain could take from the margin of a row: all of it, seen from a point of U.
        inside = inner(self.region, np.zeros((0, len(self.region.half))), np.zeros(0), np.zeros(0))
        self._could = np.maximum(self._margin - self._a @ (inside - self.region.middle), 0.0)
        self._moves = np.linalg.norm(self._B, axis=1) > _MOVES

    def at(self, q: Vector) -> Warrant | Outcome:
        """The certificate of q, or how far q is from having one."""
        right = self._fixed.copy()
        right[len(right) - len(q) :] += q
        x = self._inverse @ right
        if not len(self.small.limits):
            return Warrant(True, 0.0, np.zeros(len(q)), x, self._start)
        room = self.small.limits - self._shift - np.asarray(self._M @ x)
        # Where another q had no certificate this one is likely to have none either.
        near, blunt = (self._sharp if self._refused else _NEAR), None
        for _ in range(_ROUNDS):
            free = np.array(sorted(self._free), dtype=np.intp)
            others = np.setdiff1d(np.arange(len(room)), free)
            program = self._columns(free, others, room, near)
            ended = self._ended(program)
            if ended is None and near < _NEAR:  # too sharp for floats
                near = self._sharp = min(10 * self._sharp, _NEAR)
                if near == _NEAR and blunt is not None:
                    return blunt
                continue
            if ended is None:
                return Outcome.STALLED
            v, s, *_ = program.variables(ended.x)
            change = np.zeros(self._a.shape[1:] + v.shape)
            if len(free):
                change[self._moving] = program.change(ended.x)
            margin, _ = self.region.support(self._a + self._B @ change.T)
            price = np.zeros(len(room))
            *_, price[free], price[others], _ = program.by_rows(ended.dual)
            gained = np.where(self._moves, price * self._could, 0.0)
            gained[free] = 0.0
            if s > _KEPT:  # another gain may ask less of rows that stand in the way
                wanted = (gained.sum() > _CLOSE * s) & (gained > _CLOSE * s / (2 * len(gained)))
            else:
                over = (self._B @ v + margin - room) / self.small.sizes
                over[free] = -np.inf
                # One more gain, and rows that are near their limits now may be over them.
                wanted = over > (-_NEARLY if over.max() > s + _OVER else s + _OVER)
            bad = np.flatnonzero(wanted & self._moves)
            if len(bad):
                self._free |= set(bad.tolist())
                near = near if s > _KEPT else max(near, _BETWEEN)  # a gain nearby disturbs less
                continue
            slope = self._inverse.T @ np.asarray(self._M.T @ price)
            gain = self._start + self._space @ change.T
            holds = s <= _KEPT
            excess = s if holds else s - float(gained.sum())
            warrant = Warrant(
                holds, excess, slope[len(right) - len(q) :], x + self._space @ v, gain
            )
            if holds or near <= self._sharp:
                self._refused |= not holds
                return warrant
            near, blunt = self._sharp, warrant
        return blunt or Outcome.STALLED

    def _ended(self, program: Columns) -> InnerOptimum | None:
        """The optimum, from a point on the way to that of the last program if it has the same rows.

        A point near an optimum is a bad one to begin with; one on the way to it is not.
        """
        starts = [program.start()]
        if self._way is not None and self._way.x.shape == starts[0].x.shape:
            slack = np.maximum(program.b - program.rows(self._way.x), self._way.slack)
            starts.insert(0, Start(self._way.x, slack, self._way.dual))
        for start in starts:
            way = interior_point(program, start, _ON_THE_WAY)
            ended = None if way is None else interior_point(program, way.start, _PRECISE)
            if way is not None and ended is not None:
                self._way = way.start
                return ended
        return interior_point(program, starts[-1], _PRECISE)

    def _columns(self, free: Any, others: Any, room: Vector, near: float) -> Columns:  # noqa: ANN401 -- positions
        region = self._lean
        q, r = region.W.shape[::-1] if len(free) else (0, 0)  # no row that a gain could change
        return Columns(
            B=self._B[free],
            a=self._a[np.ix_(free, self._moving[:q])],
            room=(room - self._still)[free],
            size=self.small.sizes[free],
            W=region.W[:r, :q],
            centre=0.5 * (region.low + region.high)[:r],
            width=0.5 * (region.high - region.low)[:r],
            half=region.half[:q],
            fixed=self._B[others],
            fixed_room=room[others] - self._margin[others],
            fixed_size=self.small.sizes[others],
            near=near,
        )
