"""The affine model column by column: an `arrow` of z, the gain and the recourse.

In spaces without conditions of their own (`response`, `gain_space`) the columns of gain and
recourse meet only in the rows of the program and in the budgets

    sum over j in o of reach_j sum_r |S K_rj| <= ratio s      for every owner o of columns

so the program is an arrow of z, `BoxColumns` for the gain, and `BoxColumns` or `RoundColumns` for
the recourse, with a level s where that is free; or, of an affine rule, `Ruled` for both. A step
takes a few dense products, where a sparse factorisation of the whole would fill in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.solving.arrow import Arrow, Core, MeanPart, Overlap, Part
from privopt.solving.box_columns import BoxColumns
from privopt.solving.compile import Model
from privopt.solving.interior import InnerOptimum, Start
from privopt.solving.leveled import Leveled
from privopt.solving.margins import Cuts, Margins
from privopt.solving.normal import NormalEquations
from privopt.solving.round_columns import RoundColumns
from privopt.solving.ruled import Ruled
from privopt.solving.scaled import Gain, Point
from privopt.solving.space import Space

__all__ = ["ColumnProgram", "Earlier"]


@dataclass(frozen=True, repr=False, eq=False)
class Earlier:
    """A solution with the multipliers of rows, budgets and equalities: where to start.

    `inside` is the same solution as the interior-point method left it, and the program it solved.
    """

    point: Point
    rows: Vector
    budgets: Vector
    y: Vector | None
    inside: tuple[ColumnProgram, Start] | None = None


class ColumnProgram:
    """A model under margins and cuts, as an arrow."""

    def __init__(
        self, model: Model, margins: Margins, cuts: Cuts, limits: Vector, normal: NormalEquations
    ) -> None:
        data, ways = model.data, model.data.directions
        self._model, self._count = model, len(limits)
        self._with = np.flatnonzero(model.place >= 0)
        self._alone = np.flatnonzero(model.place < 0)
        self._which = np.concatenate([self._with, cuts.rows])
        self._group, self._factor = model.place[self._which], ways.factor[self._which]
        noisy = model.noise is not None and model.rule is None
        budgets = data.gain.owners if data.gain is not None and noisy else 0
        self._rows = len(self._group) + budgets
        weight = 1 - data.phi
        mean = MeanPart(
            linear=weight * data.linear, P=2 * weight * data.quadratic, A=data.A,
            D=ways.D[model.working], G=data.G, d=data.d, normal=normal, alone=self._alone,
            bound=limits[self._alone], group=self._group, factor=self._factor, rows=self._rows,
        )  # fmt: skip
        shared = np.concatenate([limits[self._which], np.zeros(budgets)])
        parts: list[Part] = []
        self._gain: BoxColumns | None = None
        self._noise: BoxColumns | RoundColumns | None = None
        self._level: Leveled | None = None
        self._rule: Ruled | None = None
        if data.gain is not None and model.gain is not None:
            self._gain = self._gain_columns(model.gain, data.gain)
            parts.append(self._gain)
            shared = shared - self._gain.added_by(self._gain.fixed)[1]
        if model.noise is not None:
            start = np.ascontiguousarray(np.asarray(model.noise.watched @ model.base).T)
            free = data.floor is not None
            self._noise = self._noise_columns(
                model.noise, 0.0 * start if free else start, margins, cuts
            )
            if data.floor is not None:
                paid = np.zeros(self._rows)
                paid[len(self._group) :] = 0.0 if data.gain is None else -data.gain.ratio
                offset = model.noise.offset
                energy = data.energy if offset is None else data.energy_of(offset, model.R)
                self._level = Leveled(self._noise, start, paid, data.spread * energy, data.floor)
                parts.append(self._level)
            elif self._gain is not None and model.rule is not None and data.measure is not None:
                rule, A = model.rule, np.asarray(ways.D[model.working] @ model.rule.lead)
                self._rule = Ruled(self._gain, self._noise, A, data.measure, rule.curve, rule.pull)
                parts = [self._rule]
            else:
                parts.append(self._noise)
                shared = shared - self._noise.added_by(self._noise.fixed)[1]
        self.arrow = Arrow(mean, tuple(parts), shared, 1 + data.noise_dimensions)

    def _gain_columns(self, space: Space, gain: Gain) -> BoxColumns:
        model, working = self._model, len(self._model.working)
        fixed = np.ascontiguousarray(np.asarray(space.watched @ model.start).T)
        half = np.repeat(gain.box.half[:, None], fixed.shape[1], axis=1)
        half[:, working:] = gain.reach[:, None]
        return BoxColumns(
            root=_dense(space.rows), curve=_dense(space.quadratic),
            weight=2 * (1 - model.data.phi) * gain.weights, fixed=fixed, half=half,
            middle=gain.box.middle, working=working, group=self._group,
            size=np.abs(self._factor), tilt=self._factor, rows=self._rows, owner=gain.owner,
        )  # fmt: skip

    def _noise_columns(
        self, space: Space, fixed: Dense, margins: Margins, cuts: Cuts
    ) -> BoxColumns | RoundColumns:
        data, working = self._model.data, len(self._model.working)
        factor, count = data.nu * self._factor, len(self._with)
        if margins.box is not None:
            return BoxColumns(
                root=_dense(space.rows), curve=_dense(space.quadratic),
                weight=np.full(len(fixed), data.spread), fixed=fixed,
                half=np.repeat(margins.box.half[:, None], working, axis=1),
                middle=margins.box.middle, working=working, group=self._group,
                size=np.abs(factor), tilt=factor, rows=self._rows,
            )  # fmt: skip
        rho, tau = np.zeros(len(factor)), np.zeros((len(factor), data.noise_dimensions))
        if margins.deviations is not None:
            rho[:count] = margins.deviations[self._with] * data.deviation
        if margins.tilt is not None:
            tau[:count] = margins.tilt[self._with]
        if len(factor) > count:
            tau[count:] = cuts.gradients
        return RoundColumns(
            root=_dense(space.rows), curve=data.spread * _dense(space.quadratic), fixed=fixed,
            group=self._group, rho=np.abs(factor) * rho, tau=factor[:, None] * tau,
            rows=self._rows,
        )  # fmt: skip

    def start(self, earlier: Earlier, gap: float) -> Start:
        """Near a solution of a similar program."""
        data, point, model = self._model.data, earlier.point, self._model
        cores: list[Core] = []
        many = 0
        if self._rule is not None:
            ruled, started = self._rule, self._answered(self._rule, point)
            many = len(ruled.gain.fixed) + len(ruled.noise.fixed)
            cores.append(lambda dual, t: ruled.start(*started, dual, t))
        elif self._gain is not None and model.gain is not None:
            gain, many = self._gain, len(self._gain.fixed)
            N = gain.nearest(np.asarray(model.gain.watched @ point.K).T)
            cores.append(lambda dual, t: gain.start(N, 0.0, dual, t))
        if self._noise is not None and self._rule is None:
            noise, level, many = self._noise, self._level, many + len(self._noise.fixed)
            D: Any = data.directions.D[model.working]
            values = np.asarray(D @ (point.level * data.base + point.Y)).T
            if level is None:
                M = noise.nearest(values)
                cores.append(lambda dual, t: noise.start(M, 0.0, dual, t))
            else:
                s = max(point.level, level.floor)
                M = noise.nearest(values - s * level.per_level)
                cores.append(lambda dual, t: level.start(M, s, dual, t))
        prices = (
            earlier.rows[self._alone],
            np.concatenate([earlier.rows[self._which], earlier.budgets]),
        )
        overlap = None if earlier.inside is None else self._overlap(*earlier.inside)
        return self.arrow.start(point.z, cores, prices, gap, many, earlier.y, overlap)

    def _answered(self, ruled: Ruled, point: Point) -> tuple[Dense, Dense, Dense]:
        """N, M and T near a solution."""
        model, data = self._model, self._model.data
        if model.rule is None or data.gain is None:
            raise TypeError("only an affine rule has an answer")
        D: Any = data.directions.D[model.working]
        T = model.rule.answer(data.gain, point.Y)
        F = ruled.fixed(T)
        N = ruled.gain.nearest(np.asarray(D @ point.K).T - F[0])
        return N, ruled.noise.nearest(np.asarray(D @ point.Y).T - F[1]), T

    def _overlap(self, other: ColumnProgram, inside: Start) -> Overlap | None:
        old, new = other._model.working, self._model.working
        _, *directions = np.intersect1d(old, new, return_indices=True)
        _, *rows = np.intersect1d(other._which, self._which, return_indices=True)
        budgets = np.arange(self._rows - len(self._which))
        places = (
            np.concatenate([rows[0], len(other._which) + budgets]),
            np.concatenate([rows[1], len(self._which) + budgets]),
        )
        return Overlap(other.arrow, inside, (directions[0], directions[1]), places)

    def earlier(self, optimum: InnerOptimum) -> Earlier:
        """The solution in the variables of the program, and its multipliers."""
        data, model = self._model.data, self._model
        z, *others = self.arrow.split(optimum.x)
        T = None
        if self._rule is not None:
            *others, T = self._rule.parts(others[0])
        K, Y, level = model.start, np.zeros((len(z), 0)), 1.0
        if self._gain is not None and model.gain is not None and data.gain is not None:
            K = data.gain.start + model.gain.lift(self._gain.parts(others[0])[0].T, 1.0)
        if self._noise is not None and model.noise is not None:
            own = others[-1]
            if self._level is not None:
                level, own = float(own[-1]), own[:-1]
            Y = model.noise.lift(self._noise.parts(own)[0].T, level)
        if T is not None and model.rule is not None and data.measure is not None:
            answer = model.rule.lead @ T
            K, Y = K + answer @ data.measure, Y + answer
        own, shared = self.arrow.apart(optimum.dual)
        rows = np.zeros(self._count)
        rows[self._alone] = own[0]
        np.add.at(rows, self._which, shared[: len(self._which)])
        point, budgets = Point(z, Y, None, level, K), shared[len(self._which) :]
        return Earlier(point, rows, budgets, optimum.y, (self, optimum.start))

    def on_gain(self, dual: Vector) -> Dense:
        """The gradient in K of the rows, weighted by their multipliers."""
        if self._gain is None or self._model.gain is None:
            return self._model.start
        gradient = self._on_values(self._gain, self.arrow.apart(dual)[0][1], dual)
        return np.asarray(self._model.gain.watched.T @ gradient.T)

    def on_noise(self, dual: Vector) -> Dense:
        """The multipliers of the values of the working rows under a box, one row each."""
        own = self.arrow.apart(dual)[0][-1]
        if not isinstance(self._noise, BoxColumns):
            raise TypeError("prices of held rows are known under a box alone")
        return self._on_values(self._noise, own if self._level is None else own[1:], dual).T

    def _on_values(self, part: BoxColumns, own: Vector, dual: Vector) -> Dense:
        up, down = own.reshape(2, *part.fixed.shape)
        return up - down + part.on_values(self.arrow.apart(dual)[1])


def _dense(matrix: Any) -> Dense:  # noqa: ANN401 -- an array, or any scipy sparse
    dense: Any = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return np.asarray(dense, dtype=float)
