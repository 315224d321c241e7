"""The pieces of a piecewise affine solution map, all of them.

    lambda(v):   w = q + Q v + H lambda >= 0,   lambda >= 0,   lambda'w = 0,      |v_j| <= 1

has one solution for every v, and it is continuous (H is positive definite). It is affine where the
same rows k bind: on the polytope R_k of the v at which the law of k has multipliers and slacks >= 0
(`pieces`). Each v lies in one R_k at least, that of the rows whose multiplier is above zero.

The search starts from a few pieces. Of each piece that may not be empty, every condition that may
be zero somewhere on it is crossed: the row enters k, or leaves it. Conditions that may vanish
together on one and the same hyperplane are crossed in every combination. What was crossed into is
looked at in its turn, until nothing new comes. Only what is *proven* is left out: that a piece is
empty, that a condition is never zero on it, that two hyperplanes differ (`polytope`, with
`ExactPieces`). A piece too much only makes the factor larger. One piece is proven to have an
interior. A comparison with what is no number (NaN) proves nothing: each is written so that it fails
where that is safe.

Then the pieces looked at cover the box. Proof. Suppose not: an open part is missing. Choose a
segment from the interior of the piece that has one to the missing part, in general position: it
meets no point at which two different ones of the finitely many hyperplanes cross, and runs along
none of them. Let p be the point at which it first leaves what is covered, k a piece that contains
the segment just before p, and Z the conditions of k that are zero at p. By general position they
have one hyperplane; all are positive before p, so they are positive multiples of each other: none
was left out, and none of their combinations. Near p the solution is near to that at p: multipliers
and slacks outside of Z stay positive. So each v near p lies in R_k or in R_k' with k' a combination
that was crossed into, and not proven empty, because v is in it: v is covered. A contradiction.

Unlike the partition of Bemporad, Morari, Dua and Pistikopoulos (2002), this cuts no piece into
parts: the work grows with pieces and facets, not with the dimension.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Vector
from privopt.assess.pieces import Piece, Pieces
from privopt.assess.polytope import (
    TOLERANCE,
    Conditions,
    Polytope,
    alike,
    answered,
    ceiling,
    polytope_of,
)
from privopt.solving.solver import Settings

__all__ = ["Regions", "Search", "enumerate_regions"]

_MOST = 6  # conditions that may share a hyperplane, and are crossed in every combination
_RAYS = 200
_STARTS = 20

End = Literal["complete", "limit", "time", "thin"]


@dataclass(frozen=True, eq=False)
class Regions:
    """What was found: the pieces, a point of each, and how the search ended.

    `whole` tells whether no row is exceeded by more than its room anywhere in the box (only where
    all pieces were seen).
    """

    pieces: tuple[Piece, ...]
    centres: tuple[Vector, ...]
    whole: bool
    end: End


def enumerate_regions(
    source: Pieces,
    *,
    room: Vector | None = None,
    limit: int = 10_000,
    settings: Settings | None = None,
) -> Regions:
    """Visit every piece, up to a limit of them or of the time that running settings leave.

    `room` is the largest multiplier that each row may have without being exceeded by too much.
    """
    search = Search(source)
    for v in _starts(source.size):
        search.add(frozenset(source.binding(v)))
    pieces: list[Piece] = []
    centres: list[Vector] = []
    whole, inside = room is not None, False
    while search.waiting:
        late = settings is not None and settings.seconds_left == 0.0
        if late or len(pieces) >= limit:
            return Regions(tuple(pieces), tuple(centres), False, "time" if late else "limit")
        polytope = search.next()
        if polytope is not None:
            pieces.append(polytope.piece)
            centres.append(polytope.centre)
            inside = inside or polytope.has_interior
            if not search.cross(polytope):
                return Regions(tuple(pieces), tuple(centres), False, "thin")
            if whole and room is not None:
                whole = polytope.keeps(room)
    end: End = "complete" if inside else "thin"
    return Regions(tuple(pieces), tuple(centres), whole, end)


def _starts(size: int) -> Iterator[Vector]:
    """The middle, and random points and vertices: one would do."""
    rng = np.random.default_rng(0)
    yield np.zeros(size)
    for k in range(_STARTS):
        v = rng.uniform(-1, 1, size)
        yield v if k % 2 else np.sign(v)


class Search:
    """Sets of rows to look at, each once."""

    def __init__(self, source: Pieces) -> None:
        self._source = source
        self._seen: set[frozenset[int]] = set()
        self._rng = np.random.default_rng(0)
        self.waiting: list[frozenset[int]] = []

    def add(self, rows: frozenset[int]) -> None:
        """Look at a set of rows, unless that was done."""
        if rows not in self._seen:
            self._seen.add(rows)
            self.waiting.append(rows)

    def next(self) -> Polytope | None:
        """The polytope of the next set of rows; None if it is empty."""
        return polytope_of(self._source.piece(self.waiting.pop()), self._source.size)

    def cross(self, polytope: Polytope) -> bool:
        """Add what lies beyond each facet; False if too many conditions share a hyperplane."""
        rows, held = frozenset(polytope.piece.rows), polytope.held
        tight = np.flatnonzero(self.facets(polytope))
        for group in _together(held, tight):
            if len(group) > _MOST:
                return False
            behind = [int(held.row[a]) for a in group]
            for count in range(1, len(group) + 1):
                for some in itertools.combinations(behind, count):
                    self.add(rows ^ frozenset(some))
        return True

    def facets(self, polytope: Polytope) -> NDArray[np.bool_]:
        """Which conditions are not proven positive: rays find most, linear programs the rest."""
        held, lp = polytope.held, polytope.lp
        g, c, doubt = held.g, held.c, held.doubt
        tight = np.zeros(len(c), dtype=bool)
        if lp is None:
            return tight
        if polytope.radius > TOLERANCE:
            tight |= self._hit(polytope)
        lp.fix(g.shape[1], min(polytope.radius, 0.0) - 1e-12)
        for k in range(len(c)):
            if tight[k]:
                continue
            answer = answered(lp, len(c), np.append(g[k], 0.0))
            if answer is None:
                tight[k] = True
                continue
            y = answer.dual.copy()
            y[k] = 0.0
            if not c[k] - doubt[k] - ceiling(-g[k], g, c, doubt, y) > 0:
                tight[k] = True
            tight |= g @ answer.x[:-1] + c < TOLERANCE
        return tight

    def _hit(self, polytope: Polytope) -> NDArray[np.bool_]:
        """Conditions that a ray from the centre meets before all others."""
        g, centre = polytope.held.g, polytope.centre
        rays = self._rng.normal(size=(len(centre), _RAYS))
        towards, slack = -(g @ rays), g @ centre + polytope.held.c
        far = np.where(towards > 1e-12, slack[:, None] / np.maximum(towards, 1e-12), np.inf)
        wall = ((np.sign(rays) - centre[:, None]) / rays).min(axis=0)
        first = far.argmin(axis=0)
        found = np.zeros(len(g), dtype=bool)
        found[first[far.min(axis=0) <= wall]] = True
        return found


def _together(held: Conditions, tight: NDArray[np.intp]) -> list[list[int]]:
    """Conditions in groups: those of different groups are proven to have other hyperplanes."""
    groups: list[list[int]] = []
    for a in tight.tolist():
        near: list[list[int]] = [group for group in groups if any(alike(held, a, b) for b in group)]
        groups = [group for group in groups if group not in near]
        groups.append([a, *(b for group in near for b in group)])
    return groups
