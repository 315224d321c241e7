"""Solving the chance-constrained program under given margins.

The program is brought to scaled variables and solved there by the `engine`. What comes back is
polished: z and Z are projected on the equalities, so that G z = d, G Z = 0 and S Z = I hold to
rounding, not to the solver's tolerance. Rows are tightened by that tolerance before. All of it is
checked, over all rows, before it is believed; where the engine stalls, the model as it is written
down has the last word.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.noise.calibration import Calibration
from privopt.solving.allowed import Allowed
from privopt.solving.compile import Model
from privopt.solving.directions import Directions
from privopt.solving.engine import Engine
from privopt.solving.equilibration import largest_of_rows, scaled
from privopt.solving.margins import Box, Margins
from privopt.solving.noisy import NoisyProgram, Solved
from privopt.solving.particular import particular_of
from privopt.solving.problem import Outcome
from privopt.solving.program import Objective, Program
from privopt.solving.recourse import recourse_of
from privopt.solving.scaled import ScaledProgram
from privopt.solving.scaling import FAR, Scaling, binds, levels, row_sizes, worth
from privopt.solving.solver import Settings, solve_conic
from privopt.solving.spread import Spread
from privopt.solving.tightening import RESIDUAL, solve_tightened
from privopt.solving.working import Marks

__all__ = ["RESIDUAL", "ChanceProgram"]

EXACT = 1e-9  # largest residual of equalities and query, relative to their size: rounding
RESCALED = 3  # times that units follow the cost
SHARE = 1e-4  # of what the noise may cost, before it is known
PLAIN = 300_000  # variables up to which the plain model is worth a try


class ChanceProgram(NoisyProgram):
    """One program, query and noise, ready to be solved under different margins.

    `near` is a point whose size tells the size of the solution, such as the optimum without noise;
    `still` marks the entries of Z that must be zero; `start` is what bound in an earlier solve;
    `plain` asks for the model as it is written down at once.
    """

    def __init__(
        self,
        program: Program,
        S: Sparse,
        calibration: Calibration,
        objective: Objective,
        settings: Settings,
        near: Vector,
        still: NDArray[np.bool_] | None = None,
        *,
        start: Marks | None = None,
        plain: bool = False,
    ) -> None:
        target = program.right_hand_side()
        scaling = Scaling.of(program, target, calibration.scale)
        super().__init__(program, S, calibration, scaling)
        self.settings = settings
        self._objective, self._near, self._still = objective, near, still
        self._memory, self._plain = start, plain
        self._particular = particular_of(program, S, still)
        # What the noise may cost at the most, if not yet how it is best borne.
        spread = calibration.deviation * self._particular.sizes
        more = SHARE * worth(program, np.abs(near) + spread)
        self._scale(scaling.refined(program, target, near, more, spread) or scaling)

    def _scale(self, scaling: Scaling) -> None:
        """Bring the program to scaled variables."""
        program, S, calibration = self.program, self.S, self.calibration
        self._scaling = scaling
        A, G = scaling.rows(program.rows.matrix), scaling.independent(program)
        query = scaled(S, scaling.columns, 1 / largest_of_rows(S, scaling.columns))
        C: Any = sp.vstack([G, query], format="csr")
        self._b = scaling.bounds(program.rows.bound)
        p, scale = S.shape[0], calibration.scale
        particular, still, phi = self._particular, self._still, self._objective.phi
        nu = scale * float((particular.largest / scaling.columns).max()) or 1.0
        deviation = self._objective.deviation(program, p)
        L, T = (None, None) if deviation is None else deviation
        ways = Directions.of(A)
        norms = (scale / nu) * scaling.row_factors * particular.row_norms
        self._scaled = ScaledProgram(
            linear=scaling.linear(program.linear),
            quadratic=scaling.quadratic(program.quadratic),
            A=A,
            directions=ways,
            G=G,
            d=scaling.targets(program.right_hand_side())[program.independent],
            C=C,
            particular=particular,
            units=scale / (nu * scaling.columns),
            norms=norms[ways.lead],
            nu=nu,
            variance=calibration.law.variance,
            phi=phi,
            L=None if L is None else scaling.cost_map(L),
            T=T,
            still=None if still is None else np.flatnonzero(still.T.ravel()),
        )
        on_data = scaling.projector(program)
        inward = self._near / scaling.columns
        allowed = Allowed(C, still)
        common = self._scaled, allowed, on_data, inward, self._b, self._sizes, self.settings
        self._usual = Engine(*common, start=self._memory, plain=self._plain)
        fits = program.n * p <= PLAIN and not self._plain
        self._last = Engine(*common, plain=True) if fits else None

    def decisions(self) -> int:
        """(n - rank G) + p (n - rank [G; S]): the free decisions of z~ and Z."""
        n, p, rank = self.program.n, self.noise_dimensions, len(self.program.independent)
        return (n - rank) + p * (n - rank - p)

    def spread(self, solved: Solved) -> tuple[Vector, Dense]:
        """Slack b - A z~ and A Z for noise of scale one, relative to the size of each row."""
        rows, scale = self.program.rows, self.calibration.scale
        sizes = self.unit_deviation * scale * solved.Z.sizes
        size = row_sizes(rows.matrix, rows.bound, solved.z, sizes, self._scaling)
        slack = rows.bound - np.asarray(rows.matrix @ solved.z)
        return slack / size, scale * solved.Z.under(rows.matrix) / size[:, None]

    def solve(self, margins: Margins) -> Solved | Outcome:
        """The optimum under the margins, or how the solver ended without one.

        In units that suit its cost: a solve whose cost turns out to be of another size is done
        again in units that do.
        """
        found = self._in_units(lambda: self._solve(margins))
        for _ in range(RESCALED):
            if isinstance(found, Outcome):
                break
            target = self.program.right_hand_side()
            more = self.calibration.deviation**2 * found.Z.energy(self.program.quadratic)
            spread = self.calibration.deviation * found.Z.sizes
            finer = self._scaling.refined(self.program, target, found.z, more, spread)
            if finer is None or not self._scaling.differs(finer):
                break
            self._memory = found.marks
            self._scale(finer)
            again = self._solve(margins)
            if isinstance(again, Outcome):
                break
            found = again
        return found

    def _solve(self, margins: Margins) -> Solved | Outcome:
        """The optimum in the present units.

        Where the working set ends in a stall, the model as it is written down has the last word.
        """
        found = self._attempts(margins, self._usual)
        if found is Outcome.STALLED and self._last is not None:
            return self._attempts(margins, self._last)
        return found

    def _attempts(self, margins: Margins, engine: Engine) -> Solved | Outcome:
        """Solve with rows a little tightened; more, or not at all, where that fails."""
        return solve_tightened(
            lambda by, allowed, on_face: self._tightened(
                margins, engine, by, allowed, on_face=on_face
            ),
            self._tightening(margins),
            self._sizes,
            sure=margins.norm is None and margins.draws is None,  # the model is the margins
        )

    def _tightened(
        self, margins: Margins, engine: Engine, by: Vector, allowed: Vector, *, on_face: bool
    ) -> Solved | Outcome:
        """Solve with rows tightened; limits far away are approached step by step."""
        outcome = Outcome.STALLED
        b = self._b - by
        for level in levels(b):
            found = engine.run(margins, level, allowed, on_face=on_face)
            if isinstance(found, Outcome):
                outcome = found
            elif not binds(level, b, np.asarray(self._scaled.A @ found[0])):
                return self._finish(*found, margins)
        return outcome

    def excess(self, margins: Margins) -> Vector:
        """The least excess of each row, relative to its size, at which a solution exists.

        For margins by draws or by a norm, under the nearest simpler ones.
        """
        if margins.draws is not None:
            box = Box(margins.draws.min(axis=0), margins.draws.max(axis=0))
            margins = Margins(box=box)
        model = Model.plain(self._scaled)
        problem, start = model.elastic(margins, np.minimum(self._b, FAR**2))
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

    def _finish(self, z: Vector, Y: Dense, R: Dense | None, margins: Margins) -> Solved:
        spread = Spread(self._scaled, Y, R)
        if margins.is_norm:
            value = margins.of_norms(spread.norms, self.unit_deviation)
        else:
            value = margins.value(spread.dense, self.unit_deviation)
        excess = np.asarray(self._scaled.A @ z) + value - self._b
        residual = float((excess / (1 + np.abs(self._b))).max(initial=-np.inf))
        change = self._scaling.variables((self._scaled.nu / self.calibration.scale) * Y)
        found = self._scaling.variables(z)
        Z = recourse_of(self._particular, change, R)
        return Solved(found, Z, residual, self._exact(found, change), self._usual.memory)

    def _exact(self, z: Vector, Y: Dense) -> bool:
        """Whether G z = d, G Y = 0 and S Y = 0 hold to rounding, each row against its own size."""
        program = self.program
        G, d = program.equalities.matrix, program.right_hand_side()
        floor = 0.1 * EXACT * np.asarray(abs(G) @ self._scaling.columns)
        off = np.abs(np.asarray(G @ z) - d)
        size = np.abs(d) + np.asarray(abs(G) @ np.abs(z))
        data = off <= np.maximum(EXACT * size, floor)
        moved = np.abs(np.asarray(G @ Y))
        size = np.asarray(abs(G) @ (np.abs(Y) + self._particular.largest[:, None]))
        scale = self.calibration.scale
        still = (moved <= EXACT * size) | (moved * scale <= floor[:, None])
        noise = np.abs(np.asarray(self.S @ Y)) <= EXACT
        return bool(data.all() and still.all() and noise.all() and self._particular.exists)
