"""The program under a box of noise, column by column.

With answers to the working rows (`response`) and a box of middle m and half-width h, the program is

    minimise   z'C2 z + c1'z + 1/2 |N|^2                          over z, N (p x k), U (p x w)
    subject to G z = d,   -U <= V <= U,   V = F + N Lambda'
               A_i z + c_i V_g m + |c_i| U_g h <= b_i             (g the direction of row i)

with one row of N, U and V for each noise dimension. These meet only in the rows A_i: an `arrow` of
z and `BoxColumns`. That takes a few dense products a step, where a sparse factorisation of the
whole would fill in.
"""

from __future__ import annotations

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.solving.arrow import Arrow, Core, MeanPart
from privopt.solving.box_columns import BoxColumns
from privopt.solving.compile import Model
from privopt.solving.interior import Start
from privopt.solving.margins import Box

__all__ = ["BoxedProgram"]


class BoxedProgram:
    """A model made of answers, under a box, as an arrow."""

    def __init__(self, model: Model, box: Box, limits: Vector) -> None:
        data = model.data
        self._with, self._alone = np.flatnonzero(model.place >= 0), np.flatnonzero(model.place < 0)
        group, factor = model.place[self._with], data.directions.factor[self._with]
        # The cost of N is 1/2 |N|^2 where N is the model's times this.
        self._unit = float(np.sqrt(model.spread * model.space.quadratic.diagonal().max()))
        mean = MeanPart(
            linear=(1 - data.phi) * data.linear, P=2 * (1 - data.phi) * data.quadratic, A=data.A,
            D=data.directions.D[model.working], G=data.G, d=data.d, normal=data.normal,
            alone=self._alone, bound=limits[self._alone], group=group, factor=factor,
            rows=len(group),
        )  # fmt: skip
        half = np.repeat(0.5 * (box.high - box.low)[:, None], len(model.working), axis=1)
        self._columns = BoxColumns(
            root=model.space.rows.toarray() / self._unit,
            curve=np.eye(model.space.rows.shape[1]), weight=np.ones(len(half)),
            fixed=np.ascontiguousarray(model.fixed.T), half=half,
            middle=0.5 * (box.high + box.low), working=len(model.working), group=group,
            size=np.abs(data.nu * factor), tilt=data.nu * factor, rows=len(group),
        )  # fmt: skip
        self._rows = len(limits)
        shared = limits[self._with] - self._columns.offset()
        self.arrow = Arrow(mean, (self._columns,), shared, 1)

    def split(self, x: Vector) -> tuple[Vector, Dense]:
        """The z and N of a solution, N as the model has it."""
        z, rest = self.arrow.split(x)
        return z, self._columns.parts(rest)[0].T / self._unit

    def multipliers(self, dual: Vector) -> Vector:
        """Those of the rows of the program."""
        own, shared = self.arrow.apart(dual)
        found = np.zeros(self._rows)
        found[self._alone], found[self._with] = own[0], shared
        return found

    def acting(self, dual: Vector) -> Dense:
        """What the multipliers do to the values of the working rows, one row each."""
        own, shared = self.arrow.apart(dual)
        up, down = own[1].reshape(2, *self._columns.fixed.shape)
        return (up - down + self._columns.values_pulled(shared)).T

    def start(
        self, z: Vector, V: Dense, multipliers: Vector, gap: float, y: Vector | None = None
    ) -> Start:
        """Near a solution of a similar program (V with one row a working row)."""
        columns = self._columns
        N = columns.nearest(V.T)
        prices = multipliers[self._alone], multipliers[self._with]
        cores: list[Core] = [lambda dual, t: columns.start(N, 0.0, dual, t)]
        return self.arrow.start(z, cores, prices, gap, len(columns.half), y)
