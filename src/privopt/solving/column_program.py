"""The affine model under a box, column by column: an `arrow` of z and the recourse.

In a space without conditions of its own (`response`) the columns of the recourse meet only in the
rows of the program, so the program is an arrow of z and `BoxColumns`. A step takes a few dense
products, where a sparse factorisation of the whole would fill in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.solving.arrow import Arrow, MeanPart, Overlap
from privopt.solving.box_columns import BoxColumns
from privopt.solving.compile import Model
from privopt.solving.interior import InnerOptimum, Start
from privopt.solving.margins import Cuboid
from privopt.solving.scaled import Point

__all__ = ["ColumnProgram", "Earlier"]


@dataclass(frozen=True, repr=False, eq=False)
class Earlier:
    """A solution with the multipliers of rows and equalities: where to start.

    `inside` is the same solution as the interior-point method left it, and the program it solved.
    """

    point: Point
    rows: Vector
    y: Vector | None
    inside: tuple[ColumnProgram, Start] | None = None


class ColumnProgram:
    """A model under a box, as an arrow."""

    def __init__(self, model: Model, box: Cuboid, limits: Vector) -> None:
        data, ways, space = model.data, model.data.directions, model.noise
        self._model, self._count = model, len(limits)
        self._which = np.flatnonzero(model.place >= 0)
        self._alone = np.flatnonzero(model.place < 0)
        group, factor = model.place[self._which], ways.factor[self._which]
        weight = 1 - data.phi
        mean = MeanPart(
            linear=weight * data.linear, P=2 * weight * data.quadratic, A=data.A,
            D=ways.D[model.working], G=data.G, d=data.d, normal=data.normal, alone=self._alone,
            bound=limits[self._alone], group=group, factor=factor,
        )  # fmt: skip
        fixed = np.ascontiguousarray(np.asarray(space.watched @ model.base).T)
        size = data.nu * factor
        self._noise = BoxColumns(
            root=_dense(space.rows), curve=_dense(space.quadratic),
            weight=np.full(len(fixed), data.spread), fixed=fixed,
            half=np.repeat(box.half[:, None], len(model.working), axis=1), middle=box.middle,
            group=group, size=np.abs(size), tilt=size,
        )  # fmt: skip
        shared = limits[self._which] - self._noise.added
        self.arrow = Arrow(mean, self._noise, shared)

    def start(self, earlier: Earlier, gap: float) -> Start:
        """Near a solution of a similar program."""
        data, point, noise = self._model.data, earlier.point, self._noise
        D: Any = data.directions.D[self._model.working]
        M = noise.nearest(np.asarray(D @ (data.base + point.Y)).T)
        prices = earlier.rows[self._alone], earlier.rows[self._which]
        overlap = None if earlier.inside is None else self._overlap(*earlier.inside)
        return self.arrow.start(point.z, M, prices, gap, earlier.y, overlap)

    def _overlap(self, other: ColumnProgram, inside: Start) -> Overlap | None:
        old, new = other._model.working, self._model.working
        _, *directions = np.intersect1d(old, new, return_indices=True)
        _, *rows = np.intersect1d(other._which, self._which, return_indices=True)
        both = (directions[0], directions[1]), (rows[0], rows[1])
        return Overlap(other.arrow, inside, *both)

    def earlier(self, optimum: InnerOptimum) -> Earlier:
        """The solution in the variables of the program, and its multipliers."""
        z, noise = self.arrow.split(optimum.x)
        Y = self._model.noise.lift(self._noise.parts(noise)[0].T)
        own, _, shared = self.arrow.apart(optimum.dual)
        rows = np.zeros(self._count)
        rows[self._alone] = own
        np.add.at(rows, self._which, shared)
        return Earlier(Point(z, Y, None), rows, optimum.y, (self, optimum.start))

    def on_noise(self, dual: Vector) -> Dense:
        """The multipliers of the values of the working rows, one row each."""
        _, own, shared = self.arrow.apart(dual)
        up, down = own.reshape(2, *self._noise.fixed.shape)
        return (up - down + self._noise.on_values(shared)).T


def _dense(matrix: Any) -> Dense:  # noqa: ANN401 -- any scipy sparse
    return np.asarray(matrix.toarray(), dtype=float)
