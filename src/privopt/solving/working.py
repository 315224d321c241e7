"""The working set: which directions have a margin in the model.

Solve with some, look at all rows, add those whose full margin is violated, repeat: when none is,
the optimum of the model is that of the whole program. Rows of one variable are cheap and are all
added; of the others the most violated come first, because each makes the model larger and many are
only in the way until the first few are there (unless each adds little: `all_at_once`). Directions
that turn out slack have no multiplier; when many are, and the value has risen since the last time,
they are dropped, each at most once, so that there is an end.

A variable at its limit mostly leaves the noise to others: its row of Z is zero. Such directions are
`held` there and cost nothing, until a price says that they should move; they are not held again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Vector
from privopt.solving.directions import Directions, Positions

__all__ = ["Marks", "WorkingSet"]

_FIRST = 8  # coupling directions added in one round, at least,
_SHARE = 0.5  # or this part of those there are
_MANY = 0.4  # of the coupling directions slack: worth dropping
_SLACK = 1e-3  # a row this far from its limit, relative to its size, is slack
_RISE = 1e-9  # relative
_NEAR = 3e-3  # a row this near to its limit comes along with those that are over it


@dataclass(frozen=True, repr=False, eq=False)
class Marks:
    """Rows that had a margin in an earlier solve, and rows that were held."""

    rows: NDArray[np.bool_]
    held: NDArray[np.bool_]


class WorkingSet:
    """Directions with a margin, as rows turn out violated or idle."""

    def __init__(
        self, ways: Directions, movable: NDArray[np.bool_], *, all_at_once: bool = False
    ) -> None:
        self._ways, self._movable, self._all = ways, movable, all_at_once
        D: Any = ways.D
        self._coupling = np.asarray(np.diff(D.indptr) > 1)
        self._in = np.zeros(len(movable), dtype=bool)
        self._held = np.zeros(len(movable), dtype=bool)
        self._freed = np.zeros(len(movable), dtype=bool)
        self._dropped = np.zeros(len(movable), dtype=bool)
        self._last = -np.inf

    @property
    def positions(self) -> Positions:
        """The directions with a margin, in order."""
        return np.flatnonzero(self._in & ~self._held)

    @property
    def held(self) -> Positions:
        """The directions held at zero, in order."""
        return np.flatnonzero(self._in & self._held)

    @property
    def marks(self) -> Marks:
        """What is in it, for another solve."""
        group = self._ways.group
        return Marks((self._in & ~self._held)[group], (self._in & self._held)[group])

    def put(self, marks: Marks) -> None:
        """Put in what another one had, where it can move."""
        rows, held = self._ways.marked(marks.rows), self._ways.marked(marks.held)
        self._in = (self._in | rows | held) & self._movable
        self.hold(held & ~rows)

    def put_all(self) -> None:
        """Put in whatever can move."""
        self._in |= self._movable

    def hold(self, directions: NDArray[np.bool_]) -> None:
        """Hold directions of one variable at zero, unless they were freed before."""
        self._held |= directions & self._in & ~self._coupling & ~self._freed

    def free(self, directions: Positions) -> None:
        """Let held directions go."""
        self._held[directions] = False
        self._freed[directions] = True

    def add(self, excess: Vector) -> bool:
        """Add directions of rows with positive excess; whether there was any to add.

        Rows that come near come along: they are likely to be next.
        """
        worst = self._worst(excess)
        new = (worst > 0) & self._movable & ~self._in
        if not new.any():
            return False
        new = (worst > -_NEAR) & self._movable & ~self._in
        coupling = np.flatnonzero(new & self._coupling)
        most = max(_FIRST, int(_SHARE * (self._in & self._coupling).sum()))
        if self._all:
            most = len(coupling)
        later = coupling[np.argsort(-worst[coupling], kind="stable")][most:]
        new[later] = False
        self._in |= new
        return True

    def drop(self, excess: Vector, value: float) -> None:
        """Drop directions whose rows are slack, if the value has risen."""
        if not value > self._last + _RISE * abs(value):
            return
        self._last = value
        coupling = self._in & self._coupling
        idle = coupling & (self._worst(excess) < -_SLACK) & ~self._dropped
        if idle.sum() < _MANY * coupling.sum():
            return
        self._in &= ~idle
        self._dropped |= idle

    def _worst(self, excess: Vector) -> Vector:
        """The largest excess of the rows of each direction."""
        worst = np.full(len(self._in), -np.inf)
        np.maximum.at(worst, self._ways.group, excess)
        return worst
