"""Solving the chance-constrained program under given margins.

Norm and box margins are one conic solve. Draws enter by cuts: solve, cut with the worst draws of
the rows that are violated, repeat. A smooth norm h (the exact Laplace quantile) is modelled by a
cone with a tilt,

    k ||a|| + (g - k a0/||a0||)'a,     k = h(a0)/||a0||,   g = gradient of h at a0

which agrees with h in value and gradient at a0. Solved again at its own solution, it usually agrees
with h there after a few rounds; the optimality conditions are then those of the convex program with
h itself, so that point is its optimum. Should the model not settle, the tangents of h collected on
the way, which lie below it everywhere, are used over a low cone instead (Kelley's method).

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
from privopt.conic.margins import Box, Margins
from privopt.conic.problem import Outcome
from privopt.conic.projector import Projector
from privopt.conic.scaling import FAR, Scaling, binds, levels, row_sizes
from privopt.conic.solver import Settings, solve_conic
from privopt.noise.calibration import Calibration
from privopt.objective import Objective
from privopt.program import ConvexProgram

MAX_ROUNDS = 80
DRAWS_A_ROW = 12  # cuts added for one violated row in one round
RESIDUAL = 1e-8  # largest excess of a row, relative to its size, that is believed to be rounding
EXACT = 1e-9  # the same for the equalities and the query
TILTS = 12  # rounds after which tangents are used alone
SLOPE = 5e-5  # relative difference of model and norm in slope; its square reaches the cost


@dataclass(frozen=True, eq=False)
class Solved:
    """A solution in the user's units: z~, Z with S Z = I, and how far it is to be trusted.

    `residual` is the largest A_i z~ + h_i(A_i Z) - b_i over all rows, each relative to its size.
    """

    z: Vector
    Z: Dense
    residual: float


class ChanceProgram:
    """One program, query and noise, ready to be solved under different margins.

    `near` is a point whose size tells the size of the solution, such as the optimum without noise.
    """

    def __init__(
        self,
        program: ConvexProgram,
        S: Sparse,
        calibration: Calibration,
        objective: Objective,
        settings: Settings,
        near: Vector,
    ) -> None:
        self.program, self.S, self.calibration = program, S, calibration
        self.settings = settings
        target = program.right_hand_side()
        scaling = Scaling.of(program, target, calibration.scale)
        scaling = self._scaling = scaling.refined(program, target, near) or scaling
        A, G = scaling.rows(program.rows.matrix), scaling.equalities(program.equalities.matrix)
        query: Any = sp.csr_array(S @ sp.diags_array(scaling.columns))
        C: Any = sp.vstack([G, query], format="csr")
        self._b = scaling.bounds(program.rows.bound)
        self._on_query, self._on_data = Projector(C), Projector(G)
        p = S.shape[0]
        noise = calibration.scale * np.eye(p)
        self._right_side = np.vstack([np.zeros((G.shape[0], p)), noise])
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

    def decisions(self) -> int:
        """(n - rank G) + p (n - rank [G; S]): the free decisions of z~ and Z."""
        n, p, G = self.program.n, self.noise_dimensions, self._scaled.G
        rank = int(np.linalg.matrix_rank(G.toarray()))
        return (n - rank) + p * (n - rank - p)

    def spread(self, solved: Solved) -> tuple[Vector, Dense]:
        """Slack b - A z~ and A Z for noise of scale one, relative to the size of each row."""
        rows, Z = self.program.rows, self.calibration.scale * solved.Z
        size = row_sizes(rows.matrix, rows.bound, solved.z, self.unit_deviation * Z, self._scaling)
        slack = rows.bound - np.asarray(rows.matrix @ solved.z)
        return slack / size, np.asarray(rows.matrix @ Z) / size[:, None]

    def solve(self, margins: Margins) -> Solved | Outcome:
        """The optimum under the margins, or how the solver ended without one."""
        found = self._tightened(margins, 1.0)
        if isinstance(found, Solved) and not self._believed(found):
            found = self._tightened(margins, 10.0)
        if found is Outcome.INFEASIBLE:
            # A feasible set thinner than the tightening may still be there: look without.
            found = self._tightened(margins, 0.0)
            if isinstance(found, Solved) and not self._believed(found):
                return Outcome.INFEASIBLE
        if isinstance(found, Solved) and not self._believed(found):
            return Outcome.STALLED
        return found

    def _tightened(self, margins: Margins, much: float) -> Solved | Outcome:
        """Solve with rows tightened; limits far away are approached step by step."""
        outcome = Outcome.STALLED
        b = self._b - much * self._tightening(margins)
        for level in levels(b):
            found = self._run(margins, level)
            if isinstance(found, Outcome):
                outcome = found
            elif not binds(level, b, np.asarray(self._scaled.A @ found[0])):
                return self._finish(*found, margins)
        return outcome

    def _believed(self, solved: Solved) -> bool:
        return solved.residual <= RESIDUAL and self._exact(solved)

    def excess(self, margins: Margins) -> Vector:
        """The least excess of each row, relative to its size, at which a solution exists.

        For margins by draws or by a norm, under the nearest simpler ones.
        """
        if margins.draws is not None:
            box = Box(margins.draws.min(axis=0), margins.draws.max(axis=0))
            margins = Margins(box=box)
        problem, start = self._scaled.elastic(margins, np.minimum(self._b, FAR**2))
        answer = solve_conic(problem, self.settings)
        if answer.outcome is not Outcome.OPTIMAL:
            return np.zeros(self.rows)
        return np.maximum(answer.x[start : start + self.rows], 0.0)

    def _tightening(self, margins: Margins) -> Vector:
        """What rows give up for the solver's tolerance (and that of the model of a norm)."""
        factor = 20 if margins.norm is not None else 4
        return factor * self.settings.tolerance * self._sizes

    @property
    def _sizes(self) -> Vector:
        return 1 + np.minimum(np.abs(self._b), FAR)

    def _run(self, margins: Margins, b: Vector) -> tuple[Vector, Dense] | Outcome:
        """Solve under the current model; where it differs from the margins, improve it."""
        cuts, model = Cuts.none(self.noise_dimensions), margins
        allowed = 0.75 * self._tightening(margins)
        best: tuple[Vector, Dense] | Outcome = Outcome.STALLED
        sharper, gap = np.ones(self.rows), np.full(self.rows, np.inf)
        for count in range(MAX_ROUNDS):
            # A tilted model lies above its own tangents: beside it they would only be in the way.
            used = cuts if model.tilt is None else Cuts.none(self.noise_dimensions)
            answer = solve_conic(self._scaled.conic(model, used, b), self.settings)
            if answer.outcome is not Outcome.OPTIMAL:
                return answer.outcome if isinstance(best, Outcome) else best
            z, Z = self._polish(answer.x)
            a = np.asarray(self._scaled.A @ Z)
            slack = b - np.asarray(self._scaled.A @ z)
            if margins.draws is not None:
                rows, gradients = self._worst_draws(margins.draws, a, slack, allowed)
                if len(rows) == 0:
                    return z, Z
            elif margins.norm is not None:
                value, gradient = margins.norm(a)
                live = value > 1.5 * self._tightening(margins)
                differs = self._differences(model, a, value, gradient, slack, live)
                kept = bool((value - slack <= allowed).all())
                if kept and (count > TILTS or (differs <= SLOPE).all()):
                    return z, Z
                best = (z, Z) if kept else best
                # Where the slopes do not approach each other, h curves more than its model.
                sharper = np.where(differs > 0.5 * gap, np.minimum(2 * sharper, 8.0), sharper)
                gap = np.where(differs > 0, differs, np.inf)
                tilted = self._tilted(margins, a, value, gradient, live, sharper)
                model = tilted if count < TILTS else margins
                rows = np.flatnonzero(value - slack > -1e-6 * self._sizes)
                gradients = gradient[rows]
            else:
                return z, Z
            cuts = cuts.more(rows, gradients)
        return best

    def _worst_draws(
        self, draws: Dense, a: Dense, slack: Vector, allowed: Vector
    ) -> tuple[NDArray[np.intp], Dense]:
        """The most violated draws of every violated row."""
        rows: list[int] = []
        chosen: list[int] = []
        for i in np.flatnonzero(np.abs(a).max(axis=1, initial=0.0) > 0):
            excess = draws @ a[i] - slack[i]
            worst = np.argpartition(-excess, min(DRAWS_A_ROW, len(excess) - 1))[:DRAWS_A_ROW]
            violated = worst[excess[worst] > allowed[i]]
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

    def _differences(
        self,
        model: Margins,
        a: Dense,
        value: Vector,
        gradient: Dense,
        slack: Vector,
        live: NDArray[np.bool_],
    ) -> Vector:
        """Relative difference in slope of model and norm on rows that bind, zero on others."""
        size = np.linalg.norm(a, axis=1)
        slope = self._model_slope(model, a)
        nearest = slack - np.maximum(value, (slope * a).sum(axis=1))
        binding = live & (nearest < 1e-6 * self._sizes)
        difference = np.linalg.norm(slope - gradient, axis=1) * size
        return np.where(binding, difference / np.where(live, value, 1.0), 0.0)

    def _tilted(
        self,
        margins: Margins,
        a: Dense,
        value: Vector,
        gradient: Dense,
        live: NDArray[np.bool_],
        sharper: Vector,
    ) -> Margins:
        """The cone with a tilt that agrees with the norm at a; a low cone where h is near zero."""
        size = np.linalg.norm(a, axis=1)
        start = np.zeros(len(a)) if margins.deviations is None else margins.deviations
        ratio = value / (self.unit_deviation * np.where(live, size, 1.0))
        deviations = np.where(live, sharper * ratio, start)
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

    def _finish(self, z: Vector, Z: Dense, margins: Margins) -> Solved:
        value = margins.value(np.asarray(self._scaled.A @ Z), self.unit_deviation)
        excess = np.asarray(self._scaled.A @ z) + value - self._b
        residual = float((excess / (1 + np.abs(self._b))).max(initial=-np.inf))
        unit = self._scaling.variables(Z) / self.calibration.scale
        return Solved(self._scaling.variables(z), unit, residual)

    def _exact(self, solved: Solved) -> bool:
        """Whether G z = d, G Z = 0 and S Z = I hold to rounding, each row against its own size."""
        program = self.program
        G, d = program.equalities.matrix, program.right_hand_side()
        size = np.abs(d) + np.asarray(abs(G) @ np.abs(solved.z))
        data = np.abs(np.asarray(G @ solved.z) - d) <= EXACT * np.maximum(size, 1e-300)
        still = np.abs(np.asarray(G @ solved.Z)) <= EXACT * np.asarray(abs(G) @ np.abs(solved.Z))
        noise = np.abs(np.asarray(self.S @ solved.Z) - np.eye(self.noise_dimensions)) <= EXACT
        floor = 0.1 * EXACT * np.asarray(abs(G) @ self._scaling.columns)
        data |= np.abs(np.asarray(G @ solved.z) - d) <= floor
        still |= np.abs(np.asarray(G @ solved.Z)) * self.calibration.scale <= floor[:, None]
        return bool(data.all() and still.all() and noise.all())
