"""The design program column by column.

In the bases of `gain_space`, columns of gain and recourse meet only in the rows of the program and
in the budgets reach_j sum_r |S K_rj| <= ratio s, so the program is an `arrow` of z, `BoxColumns`
for the gain, and `BoxColumns` or `RoundColumns` with a level s for the noise. It is started
roughly, and from the solution before, as long as rows are still missing. What it cannot do, it says
(None): the program is then solved as conic data (`gain`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.arrow import Arrow, Core, MeanPart, Part
from privopt.solving.box_columns import BoxColumns
from privopt.solving.compile import Cuts
from privopt.solving.gain import GainData
from privopt.solving.gain_space import Spaces
from privopt.solving.interior import Start, interior_point
from privopt.solving.leveled import Leveled
from privopt.solving.margins import Margins
from privopt.solving.normal import NormalEquations
from privopt.solving.round_columns import RoundColumns

__all__ = ["Found", "GainColumns"]

_PRICE = 0.01  # multipliers to begin with, as a part of the largest cost
_STAGES = ((3e-2, 0.3), (1e-4, 0.05), (None, 1e-3))
"""Tolerances (None for the one asked for), and the gap to start from beside an earlier solution."""
_TRACE = 1e-8  # of a cost, in Newton steps alone: what they leave over is solved for again
_LARGEST = 4000  # variables: the basis is dense


@dataclass(frozen=True, repr=False, eq=False)
class Found:
    """z, K, Z and s; `rough` ones only tell which rows matter."""

    z: Vector
    K: Dense
    Z: Dense
    s: float
    rough: bool


@dataclass(frozen=True, repr=False, eq=False)
class _Before:
    """A solution, the multipliers of rows, budgets and equalities, and what they do to the gain."""

    found: Found
    rows: Vector
    budgets: Vector
    y: Vector
    forces: Dense


class GainColumns:
    """Models of one program with different working sets, each starting from the one before."""

    def __init__(
        self, data: GainData, near: Vector, tolerance: float, *, silent: bool, rank: int | None
    ) -> None:
        self.data, self.silent, self._near, self._tolerance = data, silent, near, tolerance
        self.spaces = Spaces(data, near, silent=silent, rank=rank)
        self._stage = 0
        self._before: _Before | None = None
        self._inside: Start | None = None

    @classmethod
    def of(
        cls,
        data: GainData,
        near: Vector,
        tolerance: float,
        *,
        silent: bool,
        rank: int | None = None,
    ) -> GainColumns | None:
        """Where it can be done: an l1 budget, and not too many variables."""
        if (data.order != 1 and not silent) or len(data.linear) > _LARGEST:
            return None
        return cls(data, near, tolerance, silent=silent, rank=rank)

    def share(self, count: int) -> None:
        """Let all columns share so many more directions."""
        if self._before is not None:
            self.spaces.share(self._before.found.K, self._before.forces, count)
            self.changed()

    def sharpen(self) -> None:
        """Go on to a finer tolerance, from where the same model was left."""
        self._stage += 1

    def changed(self) -> None:
        """The model is another one: roughly again, and not from the same point."""
        self._stage, self._inside = min(self._stage, 1), None

    def refined(self) -> None:
        """The margins are others, not far from those before."""
        self._inside = None

    def solve(
        self, working: NDArray[np.intp], margins: Margins, cuts: Cuts, b: Vector
    ) -> Found | None:
        """The optimum, to the tolerance of the stage; None where the iterations end before."""
        if not self.silent and margins.box is None and margins.deviations is None:
            return None
        model = _Columns(self, working, margins, cuts, b)
        given, gap = _STAGES[self._stage]
        start = self._inside or model.start(self._near, self._before, gap)
        found = interior_point(model.arrow, start, given or self._tolerance)
        if found is None:
            return None
        self._inside = found.start
        read = model.read(found.x, rough=given is not None)
        rows, budgets = model.multipliers(found.dual, len(b))
        self._before = _Before(read, rows, budgets, found.y, model.forces(found.dual))
        return read

    @cached_property
    def normal(self) -> NormalEquations:
        """The system for z. Where its cost is flat, a trace of one keeps it regular."""
        P: Any = 2 * self.spaces.C2
        if self.spaces.flat:
            P = P + _TRACE * max(1.0, float(np.abs(P.data).max(initial=0.0))) * sp.eye_array(
                len(self.data.linear)
            )
        return NormalEquations(sp.csr_array(P), self.data.A, self.data.G)


class _Columns:
    """The model for one working set."""

    def __init__(
        self,
        made: GainColumns,
        working: NDArray[np.intp],
        margins: Margins,
        cuts: Cuts,
        b: Vector,
    ) -> None:
        data, silent, spaces = made.data, made.silent, made.spaces
        self._made, self._working, self._data = made, working, data
        ways = data.directions
        place = np.full(ways.D.shape[0], -1, dtype=np.intp)
        place[working] = np.arange(len(working))
        place = place[ways.group]
        self._with, self._alone = np.flatnonzero(place >= 0), np.flatnonzero(place < 0)
        self._which = self._with if silent else np.concatenate([self._with, cuts.rows])
        self._budgets = 0 if silent else data.private
        group, factor = place[self._which], ways.factor[self._which]
        self._rows = len(group) + self._budgets
        D: Any = ways.D[working]
        nowhere = np.zeros(self._budgets)
        linear = data.linear
        if data.fidelity and data.answer is not None:
            linear = linear - 2 * data.fidelity * np.asarray(data.query.T @ data.answer[0])
        mean = MeanPart(
            linear=linear, P=2 * made.spaces.C2, A=data.A, D=D, G=data.G, d=data.d,
            normal=made.normal, alone=self._alone, bound=b[self._alone],
            group=group, factor=factor, rows=self._rows,
        )  # fmt: skip
        self._M: Any = D if silent else sp.csr_array(sp.vstack([D, data.query]))
        fixed, root = spaces.gain.roots(self._M)
        low, high = data.box.low, data.box.high
        half = np.repeat(0.5 * (high - low)[:, None], self._M.shape[0], axis=1)
        half[:, len(working) :] = data.reach[:, None]
        self._gain = BoxColumns(
            root=root, curve=spaces.gain.curve, weight=2 * spaces.spread, fixed=fixed, half=half,
            middle=0.5 * (high + low), working=len(working), group=group,
            size=np.abs(factor), tilt=factor, rows=self._rows,
        )  # fmt: skip
        parts: list[Part] = [self._gain]
        self._noise: Leveled | None = None
        if not silent:
            self._noise = self._noisy(D, margins, cuts, group, factor)
            parts.append(self._noise)
        limits = np.concatenate([b[self._which], nowhere]) - self._gain.offset()
        self.arrow = Arrow(mean, tuple(parts), limits, 1 + data.released)

    def _noisy(
        self, D: Sparse, margins: Margins, cuts: Cuts, group: NDArray[np.intp], factor: Vector
    ) -> Leveled:
        """The columns of the recourse."""
        data, space = self._data, self._made.spaces.noise
        moved, root = space.roots(D)
        weight = 2 * data.variance
        if margins.box is not None:
            box = margins.box
            part: Any = BoxColumns(
                root=root, curve=space.curve, weight=np.full(data.released, weight),
                fixed=0.0 * moved, working=D.shape[0],
                half=np.repeat(0.5 * (box.high - box.low)[:, None], D.shape[0], axis=1),
                middle=0.5 * (box.high + box.low), group=group, size=np.abs(factor),
                tilt=factor, rows=self._rows,
            )  # fmt: skip
        else:
            count = len(self._with)
            rho, tau = np.zeros(len(group)), np.zeros((len(group), data.released))
            if margins.deviations is not None:
                rho[:count] = margins.deviations[self._with] * np.sqrt(data.variance)
            if margins.tilt is not None:
                tau[:count] = margins.tilt[self._with]
            if len(group) > count:
                tau[count:] = cuts.gradients
            part = RoundColumns(
                root=root, curve=weight * space.curve, fixed=0.0 * moved, group=group,
                rho=np.abs(factor) * rho, tau=factor[:, None] * tau, rows=self._rows,
            )  # fmt: skip
        paid = np.zeros(self._rows)
        paid[len(group) :] = -data.ratio
        energy = float((space.start * np.asarray(data.quadratic @ space.start)).sum())
        return Leveled(
            part, moved, paid, weight * (energy + data.fidelity * data.released), data.floor
        )

    def start(self, near: Vector, before: _Before | None, gap: float) -> Start:
        """Near an earlier solution, or near the optimum without noise."""
        data, noise = self._data, self._noise
        z, N = near, np.zeros((data.private, self._gain.root.shape[-1]))
        M, s = np.zeros((data.released, 0 if noise is None else noise.part.root.shape[-1])), 0.0
        if before is None:
            price, y = _PRICE * float(np.abs(data.linear).max()), None
            own, budgets = np.full(data.A.shape[0], price), np.full(self._budgets, price)
            gap, s = 1.0, max(2.0 * data.floor, 0.1 / data.ratio)
            N = self._gain.nearest(np.asarray(self._M @ self._made.spaces.likely).T)
        else:
            own, budgets, y, found = before.rows, before.budgets, before.y, before.found
            z, N = found.z, self._gain.nearest(np.asarray(self._M @ found.K).T)
            if noise is not None:
                s = max(found.s, data.floor)
                values = np.asarray(data.directions.D[self._working] @ found.Z).T
                M = noise.part.nearest(values - s * noise.moved)
        cores: list[Core] = [lambda dual, t: self._gain.start(N, 0.0, dual, t)]
        if noise is not None:
            cores.append(lambda dual, t: noise.start(M, s, dual, t))
        prices = own[self._alone], np.concatenate([own[self._which], budgets])
        return self.arrow.start(z, cores, prices, gap, data.private + data.released, y)

    def read(self, x: Vector, *, rough: bool) -> Found:
        """The solution in the variables of the program."""
        spaces, (z, *others) = self._made.spaces, self.arrow.split(x)
        N, _ = self._gain.parts(others[0])
        Z, s = np.zeros((len(z), self._data.released)), 0.0
        if self._noise is not None:
            s = float(others[1][-1])
            M, _ = self._noise.part.parts(others[1][:-1])
            Z = s * spaces.noise.start + spaces.noise.basis @ M.T
        return Found(z, spaces.gain.lift(N), Z, s, rough)

    def multipliers(self, dual: Vector, count: int) -> tuple[Vector, Vector]:
        """Of the rows of the program (cuts go with their rows), and of the budgets."""
        own, shared = self.arrow.apart(dual)
        found = np.zeros(count)
        found[self._alone] = own[0]
        np.add.at(found, self._which, shared[: len(self._which)])
        return found, shared[len(self._which) :]

    def forces(self, dual: Vector) -> Dense:
        """What the multipliers do to each column of the gain."""
        own, shared = self.arrow.apart(dual)
        up, down = own[1].reshape(2, *self._gain.fixed.shape)
        return np.asarray(self._M.T @ (up - down + self._gain.values_pulled(shared)).T)
