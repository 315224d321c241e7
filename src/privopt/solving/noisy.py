"""A program under noise, as a reformulation sees it: sizes, the noise, and solves under margins.

It is brought to scaled variables (`scaled`) and solved there by the `engine`. What comes back is
polished: z and Z are projected on the equalities, so that G z = d, G Z = 0 and S Z = I hold to
rounding, not to the solver's tolerance. Rows are tightened by that tolerance
before. All of it is checked, over all rows, before it is believed; where the engine stalls, the
model as it is written down has the last word.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.noise.calibration import Calibration
from privopt.solving.compile import Model
from privopt.solving.engine import Engine
from privopt.solving.margins import Cuboid, Cuts, Margins
from privopt.solving.particular import particular_of
from privopt.solving.posed import posed
from privopt.solving.problem import Outcome
from privopt.solving.program import Objective, Program
from privopt.solving.recourse import recourse_of
from privopt.solving.scaled import Point
from privopt.solving.scaling import FAR, Scaling, binds, levels, row_sizes, worth
from privopt.solving.solved import Solved
from privopt.solving.solver import Settings, solve_conic
from privopt.solving.spread import Spread
from privopt.solving.tightening import solve_tightened
from privopt.solving.working import Marks

__all__ = ["NoisyProgram"]

EXACT = 1e-9  # largest residual of equalities and query, relative to their size: rounding
RESCALED = 3  # times that units follow the cost
SHARE = 1e-4  # of what the noise may cost, before it is known
PLAIN = 300_000  # variables up to which the plain model is worth a try,
SMALL = 900  # and entries of A K and A Z up to which it is the faster one,
HARDER = 6  # times as many where the cost does not single out a recourse


class NoisyProgram:
    """One program, query and noise, ready to be solved under different margins.

    Parameters
    ----------
    near
        A point whose size tells the size of the solution, such as the optimum without noise.
    objective
        The deviation in the objective, if any.
    still
        Marks the entries of Z that must be zero.
    start
        What bound in an earlier solve.
    plain
        Asks for the model as it is written down at once.
    """

    def __init__(
        self,
        program: Program,
        S: Sparse,
        calibration: Calibration,
        settings: Settings,
        near: Vector,
        *,
        objective: Objective | None = None,
        still: NDArray[np.bool_] | None = None,
        start: Marks | None = None,
        plain: bool = False,
    ) -> None:
        self.program, self.S, self.calibration, self.settings = program, S, calibration, settings
        self._objective, self._near, self._still = objective, near, still
        self._memory, self._plain = start, plain
        self._target = program.right_hand_side()
        self._particular = particular_of(program, S, still)
        # It is solved in units that suit the optimum without noise; these come from the program.
        self._first = Scaling.of(program, self._target, calibration.scale)
        # What the noise may cost at the most, if not yet how it is best borne.
        spread = calibration.deviation * self._particular.sizes
        more = SHARE * worth(program, np.abs(near) + spread)
        self._scale(self._first.refined(program, self._target, near, more, spread) or self._first)

    def _scale(self, scaling: Scaling) -> None:
        """Bring the program to scaled variables."""
        program = self.program
        self.scaling = scaling
        self.limits = scaling.bounds(program.rows.bound)
        self._sizes = 1 + np.minimum(np.abs(self.limits), FAR)
        self.scaled = posed(
            program, self.S, self.calibration, scaling, self._particular, self._target,
            self._objective, self._still,
        )  # fmt: skip
        on_data = scaling.projector(program)
        common = self.scaled, on_data, self._near / scaling.columns, self.limits, self._sizes
        self.engine = Engine(*common, self.settings, start=self._memory, plain=self._plain)
        fits = program.n * self.noise_dimensions <= PLAIN and not self._plain
        self._last = Engine(*common, self.settings, plain=True) if fits else None

    @property
    def rows(self) -> int:
        """Number of inequality rows."""
        return len(self.program.rows.bound)

    @property
    def noise_dimensions(self) -> int:
        """Number of noise dimensions p."""
        return self._particular.shape[1]

    @property
    def unit_deviation(self) -> float:
        """Standard deviation of the noise at scale one."""
        return float(np.sqrt(self.calibration.law.variance))

    def decisions(self) -> int:
        """(n - rank G) + p (n - rank [G; S]): the free decisions of z and Z."""
        n, p, rank = self.program.n, self.noise_dimensions, len(self.program.independent)
        return (n - rank) + p * (n - rank - p)

    def spread(self, solved: Solved) -> tuple[Vector, Dense]:
        """Slack, and A Z at scale one, relative to the size of each row."""
        rows, scale = self.program.rows, self.calibration.scale
        sizes = self.unit_deviation * scale * solved.Z.sizes
        size = row_sizes(rows.matrix, rows.bound, solved.z, sizes, self.scaling)
        slack = rows.bound - np.asarray(rows.matrix @ solved.z)
        return slack / size, scale * solved.Z.under(rows.matrix) / size[:, None]

    def solve(self, margins: Margins) -> Solved | Outcome:
        """The optimum under the margins, or how the solver ended without one.

        In units that suit its cost: a solve whose cost turns out to be of another size is done
        again in units that do.
        """
        solved = self._in_units(margins)
        for _ in range(RESCALED):
            if isinstance(solved, Outcome):
                break
            more, spread = self._scattered(solved)
            finer = self.scaling.refined(self.program, self._target, solved.z, more, spread)
            if finer is None or not self.scaling.differs(finer):
                break
            self._memory = solved.marks
            self._scale(finer)
            again = self._solve(margins)
            if isinstance(again, Outcome):
                break
            solved = again
        return solved

    def _scattered(self, solved: Solved) -> tuple[float, Vector]:
        """What noise adds to the cost, and the deviation of each variable."""
        C2, deviation = self.program.quadratic, self.calibration.deviation
        return deviation**2 * solved.Z.energy(C2), np.sqrt(np.square(deviation * solved.Z.sizes))

    def _in_units(self, margins: Margins) -> Solved | Outcome:
        """Solve. That there is no solution is believed only if both kinds of units say so."""
        solved, units = self._solve(margins), self.scaling
        if not isinstance(solved, Outcome) or solved is Outcome.TIME or units is self._first:
            return solved
        self._scale(self._first)
        again = self._solve(margins)
        if not isinstance(again, Outcome):
            return again
        self._scale(units)
        # A stall proves nothing; how the other solve ended may.
        return again if solved is Outcome.STALLED else solved

    def _solve(self, margins: Margins) -> Solved | Outcome:
        """The optimum in the present units.

        If the working set ends in a stall, the model as it is written down is solved after it; a
        small one is solved first.
        """
        engines = [self.engine] if self._last is None else [self.engine, self._last]
        entries = self.program.rows.matrix.nnz * self.noise_dimensions
        most = SMALL if self._particular.definite else HARDER * SMALL
        if margins.norm is None and margins.draws is None and entries <= most:
            engines.reverse()
        solved: Solved | Outcome = Outcome.STALLED
        for engine in engines:
            solved = self._attempts(margins, engine)
            if solved is not Outcome.STALLED:
                break
        return solved

    def _attempts(self, margins: Margins, engine: Engine) -> Solved | Outcome:
        """Solve with rows a little tightened; more, or not at all, where that fails."""

        def solve(by: Vector, allowed: Vector, on_face: bool) -> Solved | Outcome:
            """With rows tightened; limits far away are approached step by step."""
            outcome, b = Outcome.STALLED, self.limits - by
            for level in levels(b):
                point = engine.run(margins, level, allowed, on_face=on_face)
                if isinstance(point, Outcome):
                    outcome = point
                elif not binds(level, b, np.asarray(self.scaled.A @ point.z)):
                    return self._finished(point, margins)
            return outcome

        factor = 10 if margins.norm is not None else 4
        # A tilted model of a norm may lie above it; scenarios know only tightened rows.
        sure = margins.norm is None and margins.draws is None
        tightening = factor * self.settings.tolerance * self._sizes
        return solve_tightened(solve, tightening, self._sizes, sure=sure)

    def excess(self, margins: Margins) -> Vector:
        """The least excess of each row, relative to its size, at which a solution exists.

        For margins by draws or by a norm, under the nearest simpler ones.
        """
        if margins.draws is not None:
            box = Cuboid(margins.draws.min(axis=0), margins.draws.max(axis=0))
            margins = Margins(box=box)
        cuts, limits = Cuts.none(self.noise_dimensions), np.minimum(self.limits, FAR**2)
        compiled = Model.plain(self.scaled).conic(margins, cuts, limits, elastic=True)
        answer = solve_conic(compiled.problem, self.settings)
        if answer.outcome is not Outcome.OPTIMAL:
            return np.zeros(self.rows)
        return np.maximum(answer.x[compiled.excess : compiled.excess + self.rows], 0.0)

    def _largest(self, excess: Vector) -> float:
        return float((excess / (1 + np.abs(self.limits))).max(initial=-np.inf))

    def _finished(self, point: Point, margins: Margins) -> Solved:
        """A solution in the user's units, and how far it is to be trusted."""
        data, scaling, spread = self.scaled, self.scaling, Spread(self.scaled, point)
        rows = np.asarray(data.A @ point.z)
        residual = self._largest(rows + spread.under(margins, self.unit_deviation) - self.limits)
        z = scaling.variables(point.z)
        Y = scaling.variables((data.nu / self.calibration.scale) * point.Y)
        Z = recourse_of(self._particular, Y, point.R)
        return Solved(z, Z, residual, self._exact(z, Y), self.engine.memory)

    def _exact(self, z: Vector, Y: Dense) -> bool:
        """Whether G z = d, G Y = 0 and S Y = 0 hold to rounding.

        Each row against its own size; what is released, S Z = I, against the noise there is.
        """
        G, d = self.program.equalities.matrix, self._target
        sizes: Any = abs(G)
        floor = 0.1 * EXACT * np.asarray(sizes @ self.scaling.columns)[:, None]

        def holds(off: Dense, size: Dense, unit: float = 1.0) -> bool:
            return bool(((np.abs(off) <= EXACT * size) | (np.abs(off) * unit <= floor)).all())

        size = np.abs(d) + np.asarray(sizes @ np.abs(z))
        exact = holds((np.asarray(G @ z) - d)[:, None], size[:, None])
        size = np.asarray(sizes @ (np.abs(Y) + self._particular.largest[:, None]))
        exact &= holds(np.asarray(G @ Y), size, self.calibration.scale)
        exact &= bool((np.abs(np.asarray(self.S @ Y)) <= EXACT).all())
        return exact and self._particular.exists
