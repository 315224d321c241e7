"""Solving the chance-constrained program under given margins.

Norm and box margins are one conic solve. Draws enter by cuts: solve, cut with the worst draws of
the rows that are violated, repeat. A smooth norm h (the exact Laplace quantile) is modelled by a
cone with a tilt,

    k ||a|| + (g - k a0/||a0||)'a,     k = h(a0)/||a0||,   g = gradient of h at a0

which agrees with h in value and gradient at a0. Solved again and again at its own solution, the
model stops where it agrees with h at the solution; the optimality conditions there are those of the
convex program with h itself, so that point is its optimum. Tangents of h, which lie below it
everywhere, are kept as cuts, so a model that lies too low is corrected.

What comes back is polished: z and Z are projected on the equalities, so that G z = d, G Z = 0 and
S Z = I hold to rounding, not to the solver's tolerance. Rows are tightened by that tolerance
before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.conic.compile import Cuts, ScaledProgram
from privopt.conic.directions import Directions
from privopt.conic.margins import Margins
from privopt.conic.problem import Outcome
from privopt.conic.projector import Projector
from privopt.conic.scaling import Scaling
from privopt.conic.solver import Settings, solve_conic
from privopt.noise.calibration import Calibration
from privopt.objective import Objective
from privopt.program import ConvexProgram

MAX_ROUNDS = 80
DRAWS_A_ROW = 12  # cuts added for one violated row in one round
SLOPE = 2e-4  # relative difference of model and norm in slope; its square reaches the cost


@dataclass(frozen=True)
class Solved:
    """A solution in the user's units: z~, Z with S Z = I, and how far it is to be trusted.

    `residual` is the largest A_i z~ + h_i(A_i Z) - b_i over all rows, each relative to its size;
    `rounds` counts conic solves.
    """

    z: Vector
    Z: Dense
    residual: float
    rounds: int
    cuts: int


class ChanceProgram:
    """One program, query and noise, ready to be solved under different margins."""

    def __init__(
        self,
        program: ConvexProgram,
        S: Sparse,
        calibration: Calibration,
        objective: Objective,
        settings: Settings,
    ) -> None:
        self.program, self.S, self.calibration = program, S, calibration
        self.settings = settings
        target = program.right_hand_side()
        scaling = self._scaling = Scaling.of(program, target, calibration.scale)
        A, G = scaling.rows(program.rows.matrix), scaling.equalities(program.equalities.matrix)
        query: Any = sp.csr_array(S @ sp.diags_array(scaling.columns))
        C: Any = sp.vstack([G, query], format="csr")
        self._b = scaling.bounds(program.rows.bound)
        self._on_query, self._on_data = Projector(C), Projector(G)
        p, noise = S.shape[0], calibration.scale / scaling.rho
        self._right_side = np.vstack([np.zeros((G.shape[0], p)), noise * np.eye(p)])
        base = self._on_query.correction(self._right_side)
        nu = float(np.abs(base).max()) or 1.0
        deviation = objective.deviation(program, p)
        L, T = (None, None) if deviation is None else deviation
        self._scaled = ScaledProgram(
            linear=scaling.linear(program.linear),
            quadratic=scaling.quadratic(program.quadratic),
            A=A,
            directions=Directions.of(A),
            G=G,
            d=scaling.targets(target),
            C=C,
            base=base / nu,
            nu=nu,
            R=np.eye(p),
            variance=calibration.law.variance,
            phi=objective.phi,
            L=None if L is None else scaling.cost_map(L),
            T=T,
        )

    @property
    def rows(self) -> int:
        """Number of inequality rows."""
        return len(self._b)

    @property
    def noise_dimensions(self) -> int:
        """Number of noise dimensions p."""
        return self.S.shape[0]

    @property
    def unit_deviation(self) -> float:
        """Standard deviation of the noise at scale one."""
        return float(np.sqrt(self.calibration.law.variance))

    def row_sizes(self) -> Vector:
        """Size of each row in the user's units, against which its violation is small or not."""
        return self._scaling.row_sizes(self.program.rows.bound)

    def decisions(self) -> int:
        """(n - rank G) + p (n - rank [G; S]): the free decisions of z~ and Z."""
        n, p, G = self.program.n, self.noise_dimensions, self._scaled.G
        rank = int(np.linalg.matrix_rank(G.toarray()))
        return (n - rank) + p * (n - rank - p)

    def solve(self, margins: Margins) -> Solved | Outcome:
        """The optimum under the margins, or how the solver ended without one."""
        solved = self._run(margins, self._b - 4 * self.settings.tolerance * self._sizes)
        if solved is Outcome.INFEASIBLE:
            # A feasible set thinner than the tolerance: take it as it is, and report the residual.
            return self._run(margins, self._b)
        return solved

    @property
    def _sizes(self) -> Vector:
        return 1 + np.abs(self._b)

    def _run(self, margins: Margins, b: Vector) -> Solved | Outcome:
        """Solve under the current model; where it differs from the margins, improve it."""
        cuts, model = Cuts.none(self.noise_dimensions), margins
        for count in range(1, MAX_ROUNDS + 1):
            answer = solve_conic(self._scaled.conic(model, cuts, b), self.settings)
            if answer.outcome is not Outcome.OPTIMAL:
                return answer.outcome
            z, Z = self._polish(answer.x)
            a = np.asarray(self._scaled.A @ Z)
            slack = b - np.asarray(self._scaled.A @ z)
            if margins.draws is not None:
                rows, gradients = self._worst_draws(margins.draws, a, slack)
                done = len(rows) == 0
            elif margins.norm is not None:
                value, gradient = margins.norm(a)
                rows = np.flatnonzero(value - slack > self._allowed)
                gradients = gradient[rows]
                done = self._agrees(model, a, value, gradient, slack) and len(rows) == 0
                model = self._tilted(margins, a, value, gradient)
            else:
                return self._finish(z, Z, margins, count, 0)
            if done:
                return self._finish(z, Z, margins, count, len(cuts.rows))
            cuts = cuts.more(rows, gradients)
        return Outcome.STALLED

    @property
    def _allowed(self) -> Vector:
        """Excess of a row that the tightening covers."""
        return 3 * self.settings.tolerance * self._sizes

    def _worst_draws(self, draws: Dense, a: Dense, slack: Vector) -> tuple[NDArray[np.intp], Dense]:
        """The most violated draws of every violated row."""
        rows: list[int] = []
        chosen: list[int] = []
        for i in np.flatnonzero(np.abs(a).max(axis=1, initial=0.0) > 0):
            excess = draws @ a[i] - slack[i]
            worst = np.argpartition(-excess, min(DRAWS_A_ROW, len(excess) - 1))[:DRAWS_A_ROW]
            violated = worst[excess[worst] > self._allowed[i]]
            rows += [int(i)] * len(violated)
            chosen += violated.tolist()
        return np.array(rows, dtype=np.intp), draws[np.array(chosen, dtype=np.intp)]

    def _model_slope(self, model: Margins, a: Dense) -> Dense:
        """Gradient of the model at a (zero where a is)."""
        size = np.linalg.norm(a, axis=1)
        unit = a / np.where(size > 0, size, 1.0)[:, None]
        factor = np.zeros(len(a)) if model.deviations is None else model.deviations
        slope = (factor * self.unit_deviation)[:, None] * unit
        return slope if model.tilt is None else slope + model.tilt

    def _agrees(
        self, model: Margins, a: Dense, value: Vector, gradient: Dense, slack: Vector
    ) -> bool:
        """Whether model and norm have the same value and slope at a, on the rows that bind."""
        size = np.linalg.norm(a, axis=1)
        slope = self._model_slope(model, a)
        binding = (slack - np.maximum(value, (slope * a).sum(axis=1))) < 1e-6 * self._sizes
        binding &= size > 1e-9
        difference = np.linalg.norm(slope - gradient, axis=1) * size
        off = np.abs((slope * a).sum(axis=1) - value)
        return bool(
            (difference[binding] <= SLOPE * np.maximum(value, 1e-6)[binding]).all()
            and (off[binding] <= self._allowed[binding] + 1e-8 * value[binding]).all()
        )

    def _tilted(self, margins: Margins, a: Dense, value: Vector, gradient: Dense) -> Margins:
        """The cone with a tilt that agrees with the norm at a; a low cone where a is zero."""
        size = np.linalg.norm(a, axis=1)
        live = size > 1e-9
        start = np.zeros(len(a)) if margins.deviations is None else margins.deviations
        ratio = value / (self.unit_deviation * np.where(live, size, 1.0))
        deviations = np.where(live, ratio, start)
        flat = self._model_slope(replace(margins, deviations=deviations), a)
        tilt = np.where(live[:, None], gradient - flat, 0.0)
        return replace(margins, deviations=deviations, tilt=tilt)

    def _polish(self, x: Vector) -> tuple[Vector, Dense]:
        """Scaled z and Z (for noise of scale one), on the equalities."""
        z, Z = self._scaled.split(x)
        z = z + self._on_data.correction(self._scaled.d - self._scaled.G @ z)
        for _ in range(2):
            Z = Z + self._on_query.correction(self._right_side - self._scaled.C @ Z)
        return z, Z

    def _finish(self, z: Vector, Z: Dense, margins: Margins, rounds: int, cuts: int) -> Solved:
        a = np.asarray(self._scaled.A @ Z)
        value = margins.value(a, self.unit_deviation)
        excess = np.asarray(self._scaled.A @ z) + value - self._b
        residual = float((excess / self._sizes).max(initial=-np.inf))
        unit = self._scaling.variables(Z) / self.calibration.scale
        return Solved(self._scaling.variables(z), unit, residual, rounds, cuts)
