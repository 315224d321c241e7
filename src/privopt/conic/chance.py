"""Solving the chance-constrained program under given margins.

Norm and box margins are one conic solve; draws and smooth norms are approached (`refinement`).

What comes back is polished: z and Z are projected on the equalities, so that G z = d, G Z = 0 and
S Z = I hold to rounding, not to the solver's tolerance. Rows are tightened by that tolerance
before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.conic.compile import ScaledProgram
from privopt.conic.directions import Directions
from privopt.conic.margins import Box, Margins
from privopt.conic.problem import Outcome
from privopt.conic.projector import Projector
from privopt.conic.recourse import Recourses
from privopt.conic.refinement import Draws, Fixed, Refinement, Step, Tilt
from privopt.conic.scaling import FAR, Scaling, binds, levels, row_sizes
from privopt.conic.solver import Settings, solve_conic
from privopt.noise.calibration import Calibration
from privopt.objective import Objective
from privopt.program import ConvexProgram

MAX_ROUNDS = 80
RESIDUAL = 1e-8  # largest excess of a row, relative to its size, that is believed to be rounding
EXACT = 1e-9  # the same for the equalities and the query
GAP = 1e-7  # relative difference of cost and lower bound at which a solution is the optimum


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

    `near` is a point whose size tells the size of the solution, such as the optimum without noise;
    `still` marks the entries of Z that must be zero.
    """

    def __init__(
        self,
        program: ConvexProgram,
        S: Sparse,
        calibration: Calibration,
        objective: Objective,
        settings: Settings,
        near: Vector,
        still: NDArray[np.bool_] | None = None,
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
        p = S.shape[0]
        noise = np.vstack([np.zeros((G.shape[0], p)), calibration.scale * np.eye(p)])
        self._on_data, self._recourses = Projector(G), Recourses(C, noise, still)
        base = self._recourses.particular()
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
            still=None if still is None else np.flatnonzero(still.T.ravel()),
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
        factor = 10 if margins.norm is not None else 4
        return factor * self.settings.tolerance * self._sizes

    @property
    def _sizes(self) -> Vector:
        return 1 + np.minimum(np.abs(self._b), FAR)

    def _run(self, margins: Margins, b: Vector) -> tuple[Vector, Dense] | Outcome:
        """Solve under the current model of the margins; where it differs from them, improve it."""
        refine = self._refinement(margins)
        best: tuple[Vector, Dense] | Outcome = Outcome.STALLED
        least = np.inf
        for _ in range(MAX_ROUNDS):
            problem = self._scaled.conic(refine.model, refine.cuts, b)
            answer = solve_conic(problem, self.settings)
            if answer.outcome is not Outcome.OPTIMAL:
                return answer.outcome if isinstance(best, Outcome) else best
            value = float(problem.q @ answer.x + 0.5 * answer.x @ (problem.P @ answer.x))
            if refine.below and value >= least - GAP * abs(least):
                return best
            z, Z = self._polish(answer.x)
            slack = b - np.asarray(self._scaled.A @ z)
            step = refine.look(np.asarray(self._scaled.A @ Z), slack)
            if step is Step.DONE:
                return z, Z
            if step is Step.KEPT and value < least:
                best, least = (z, Z), value
        return best

    def _refinement(self, margins: Margins) -> Refinement:
        allowed = 0.75 * self._tightening(margins)
        if margins.norm is not None:
            return Tilt(margins, margins.norm, allowed, self.unit_deviation, self._sizes)
        if margins.draws is not None:
            return Draws(margins.draws, allowed)
        return Fixed(margins, self.noise_dimensions)

    def _polish(self, x: Vector) -> tuple[Vector, Dense]:
        """Scaled z and Z (for noise of scale one), on the equalities."""
        z, Z = self._scaled.split(x)
        z = z + self._on_data.correction(self._scaled.d - self._scaled.G @ z)
        return z, self._recourses.nearest(Z)

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
