"""Columns with a level, as a part of an `arrow`: their F is s times a given one, s a variable.

In a Newton step the part is bordered by one row and column for s.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.solving.arrow import Places, Reduced
from privopt.solving.box_columns import BoxColumns
from privopt.solving.cones import Weights
from privopt.solving.interior import Start
from privopt.solving.round_columns import RoundColumns

__all__ = ["Leveled"]

_LEAST = 1e-12  # slack of s at the start,
_ROOM = 0.03  # or this part of s


@dataclass(frozen=True, repr=False, eq=False)
class Leveled:
    """A part whose F is s times `per_level`, s a variable.

    `paid` is what a unit of s adds to the shared rows by itself, `curve` its quadratic cost.
    """

    part: BoxColumns | RoundColumns
    per_level: Dense
    paid: Vector
    curve: float
    floor: float

    @property
    def cost(self) -> Vector:
        """That of the part."""
        return np.concatenate([self.part.cost, [0.0]])

    @property
    def limits(self) -> Vector:
        """The limit of -s <= -floor, then those of the part."""
        return np.concatenate([[-self.floor], self.part.limits])

    @property
    def cones(self) -> int:
        """Those of the part."""
        return self.part.cones

    @cached_property
    def _own(self) -> Vector:
        """What a unit of s adds to the own rows of the part."""
        return self.part.added_by(self.per_level)[0]

    @cached_property
    def _shared(self) -> Vector:
        """What a unit of s adds to the shared rows."""
        return self.paid + self.part.added_by(self.per_level)[1]

    def quadratic(self, x: Vector) -> Vector:
        """P x."""
        return np.concatenate([self.part.quadratic(x[:-1]), [self.curve * x[-1]]])

    def own(self, x: Vector) -> Vector:
        """-s, and the rows of the part."""
        return np.concatenate([[-x[-1]], self.part.own(x[:-1]) + x[-1] * self._own])

    def own_transposed(self, dual: Vector) -> Vector:
        """The transpose of `own`."""
        return np.concatenate(
            [self.part.own_transposed(dual[1:]), [self._own @ dual[1:] - dual[0]]]
        )

    def shared(self, x: Vector) -> Vector:
        """Its part in the shared rows."""
        return self.part.shared(x[:-1]) + x[-1] * self._shared

    def shared_transposed(self, dual: Vector) -> Vector:
        """The transpose of `shared`."""
        return np.concatenate([self.part.shared_transposed(dual), [self._shared @ dual]])

    def start(self, N: Dense, s: float, dual: Vector, t: float) -> Start:
        """Near N and s."""
        inner = self.part.start(N, s * self.per_level, dual, t)
        room = max(s - self.floor, _ROOM * s, _LEAST)
        return Start(
            np.concatenate([inner.x, [s]]),
            np.concatenate([[room], inner.slack]),
            np.concatenate([[t / room], inner.dual]),
        )

    def places(self, directions: Places) -> tuple[Places, Places]:
        """Those of the part, and the row of s."""
        x, rows = self.part.places(directions)
        return x, np.concatenate([[0], 1 + rows])

    def reduced(self, weights: Weights) -> Reduced:
        """The part, bordered by s."""
        inner = Weights.of(weights.linear[1:], weights.eta, weights.w)
        reduced = self.part.reduced(inner)
        heavy = inner.inverse(self._own)
        k = self.part.own_transposed(heavy)
        follow = reduced.solve(k)
        pivot = float(self._own @ heavy - k @ follow) + self.curve + float(weights.linear[0])
        v = self._shared - self.part.shared(follow)

        def solve(right: Vector) -> Vector:
            x = reduced.solve(right[:-1])
            s = (right[-1] - k @ x) / pivot
            return np.concatenate([x - s * follow, [s]])

        return Reduced(reduced.gram + np.outer(v, v / pivot), solve)
