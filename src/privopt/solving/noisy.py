"""A program under noise, as a reformulation sees it: sizes, the noise, and solves under margins.

It is brought to scaled variables (`scaled`) and solved there by the `engine`. What comes back is
polished: z, K and Z are projected on the equalities, so that G z = d, G K = F, G Z = 0 and
S Z = s I hold to rounding, not to the solver's tolerance. Rows are tightened by that tolerance
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
from privopt.solving.equilibration import scaled
from privopt.solving.margins import Cuboid, Cuts, Margins
from privopt.solving.particular import NoParticular, particular_of
from privopt.solving.posed import conditions, posed
from privopt.solving.problem import Outcome
from privopt.solving.program import Objective, Program
from privopt.solving.projector import Projector
from privopt.solving.recourse import recourse_of
from privopt.solving.scaled import Point
from privopt.solving.scaling import FAR, Scaling, binds, levels, row_sizes, worth
from privopt.solving.solved import Solved
from privopt.solving.solver import Settings, solve_conic
from privopt.solving.specification import Specification
from privopt.solving.spread import Spread
from privopt.solving.tightening import solve_tightened
from privopt.solving.working import Marks

__all__ = ["NoisyProgram"]

EXACT = 1e-9  # largest residual of equalities and query, relative to their size: rounding
FAINT = 1e-4  # of released values: noise below it is measured by that
RESCALED = 3  # times that units follow the cost
SHARE = 1e-4  # of what the noise may cost, before it is known
PLAIN = 300_000  # variables up to which the plain model is worth a try,
SMALL = 900  # and entries of A K and A Z up to which it is the faster one,
HARDER = 6  # times as many for a policy, or where the cost does not single out a recourse


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
    asked
        The private data a policy follows; None for a plan.
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
        asked: Specification | None = None,
        start: Marks | None = None,
        plain: bool = False,
    ) -> None:
        self.program, self.S, self.calibration, self.settings = program, S, calibration, settings
        self.asked = asked
        self._objective, self._near, self._still = objective, near, still
        self._memory, self._plain = start, plain
        self._target = program.right_hand_side() if asked is None else asked.target
        if asked is not None and (asked.silent or asked.measure is not None):
            sums = S.shape[0] if asked.measure is None else len(asked.measure)
            self._particular = NoParticular(program, sums)
        else:
            self._particular = particular_of(program, S, still)
        # It is solved in units that suit the optimum without noise; these come from the program.
        self._first = Scaling.of(program, self._target, calibration.scale)
        more, spread = 0.0, np.zeros(program.n)
        if asked is None:  # what the noise may cost at the most, if not yet how it is best borne
            spread = calibration.deviation * self._particular.sizes
            more = SHARE * worth(program, np.abs(near) + spread)
        self._scale(self._first.refined(program, self._target, near, more, spread) or self._first)

    def _scale(self, scaling: Scaling) -> None:
        """Bring the program to scaled variables."""
        program = self.program
        self._scaling = scaling
        self.limits = scaling.bounds(program.rows.bound)
        self._sizes = 1 + np.minimum(np.abs(self.limits), FAR)
        self.scaled = posed(
            program, self.S, self.calibration, scaling, self._particular, self._target,
            self._objective, self._still, self.asked,
        )  # fmt: skip
        on_data = scaling.projector(program)
        common = self.scaled, on_data, self._near / scaling.columns, self.limits, self._sizes
        self.engine = Engine(*common, self.settings, start=self._memory, plain=self._plain)
        columns = self.scaled.noise_dimensions + self._columns
        fits = program.n * columns <= PLAIN and not self._plain
        self._last = Engine(*common, self.settings, plain=True) if fits else None

    @property
    def _columns(self) -> int:
        return 0 if self.asked is None else len(self.asked.low)

    @property
    def rows(self) -> int:
        """Number of inequality rows."""
        return len(self.program.rows.bound)

    @property
    def noise_dimensions(self) -> int:
        """Number of noise dimensions: p, or the sums that an affine rule measures."""
        return self._particular.shape[1]

    @property
    def unit_deviation(self) -> float:
        """Standard deviation of the noise at scale one."""
        return float(np.sqrt(self.calibration.law.variance))

    @property
    def cost_unit(self) -> float:
        """What the cost is multiplied by in scaled variables."""
        return self._scaling.kappa

    @property
    def released_size(self) -> float:
        """What size released values have, by that of their variables."""
        if self._measured:
            S = scaled(self.S, self._scaling.columns)
            return float(np.sqrt(np.asarray(S.multiply(S).sum(axis=1))).max(initial=0.0))
        return self.scaled.unit * self.calibration.scale

    @property
    def _measured(self) -> bool:
        return self.asked is not None and self.asked.measure is not None

    @property
    def silent(self) -> bool:
        """Whether the release is to be a constant."""
        return self.asked is not None and self.asked.silent

    def decisions(self) -> int:
        """(n - rank G)(1 + q) + p (n - rank [G; S]): the free decisions of z, K and Z; and s.

        Of an affine rule, (n - rank G)(1 + q + r) at the most: S K follows from Z.
        """
        n, p, rank = self.program.n, self.noise_dimensions, len(self.program.independent)
        if self._measured:
            return (n - rank) * (1 + self._columns + p)
        return (n - rank) * (1 + self._columns) + p * (n - rank - p) + (self.asked is not None)

    def spread(self, solved: Solved) -> tuple[Vector, Dense]:
        """Slack at the worst of v, and A Z at scale one, relative to the size of each row."""
        rows, scale = self.program.rows, self.calibration.scale
        sizes = self.unit_deviation * scale * solved.Z.sizes
        size = row_sizes(rows.matrix, rows.bound, solved.z, sizes, self._scaling)
        slack = rows.bound - np.asarray(rows.matrix @ solved.z) - self._worst(solved.gain)
        return slack / size, scale * solved.Z.under(rows.matrix) / size[:, None]

    def _worst(self, gain: Dense) -> Vector:
        """What the private data add to each row at the worst."""
        if self.asked is None:
            return np.zeros(self.rows)
        rows = np.asarray(self.program.rows.matrix @ gain)
        return Cuboid(self.asked.low, self.asked.high).support(rows)

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
            finer = self._scaling.refined(self.program, self._target, solved.z, more, spread)
            if finer is None or not self._scaling.differs(finer):
                break
            self._memory = solved.marks
            self._scale(finer)
            again = self._solve(margins)
            if isinstance(again, Outcome):
                break
            solved = again
        return solved

    def _scattered(self, solved: Solved) -> tuple[float, Vector]:
        """What noise and private data add to the cost, and the deviation of each variable."""
        C2, deviation = self.program.quadratic, self.calibration.deviation
        cost, square = deviation**2 * solved.Z.energy(C2), np.square(deviation * solved.Z.sizes)
        if self.asked is not None:
            K, variance = solved.gain, self.asked.variance
            cost += float((K * np.asarray(C2 @ K)).sum(axis=0) @ variance)
            square = square + np.square(K) @ variance
        return cost, np.sqrt(square)

    def _in_units(self, margins: Margins) -> Solved | Outcome:
        """Solve. That there is no solution is believed only if both kinds of units say so."""
        solved, units = self._solve(margins), self._scaling
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
        columns = self.scaled.noise_dimensions + self._columns
        entries = self.program.rows.matrix.nnz * columns
        most = SMALL if self._particular.definite and self.asked is None else HARDER * SMALL
        ranked = self.asked is not None and self.asked.rank is not None
        if margins.norm is None and margins.draws is None and entries <= most and not ranked:
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

        factor = 10 if margins.norm is not None and self.asked is None else 4
        # A tilted model of a norm may lie above it; scenarios know only tightened rows.
        sure = margins.norm is None and (margins.draws is None or self.asked is not None)
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

    def residual(self, z: Vector, gain: Dense, Z: Dense, margins: Margins) -> float:
        """The largest excess of a row, relative to its size, of a solution in the user's units."""
        A, factors = self.program.rows.matrix, self._scaling.row_factors
        rows = factors * (np.asarray(A @ z) + self._worst(gain))
        if not self.silent:
            a = (factors * self.calibration.scale)[:, None] * np.asarray(A @ Z)
            rows = rows + margins.value(a, self.unit_deviation)
        return self._largest(rows - self.limits)

    def _largest(self, excess: Vector) -> float:
        return float((excess / (1 + np.abs(self.limits))).max(initial=-np.inf))

    def matched(self, X: Dense, targets: Dense, released: Dense) -> Dense:
        """The nearest to X, in the user's units, with G X = targets and S X = released."""
        program, scaling = self.program, self._scaling
        off = (scaling.equality_factors * (targets - np.asarray(program.equalities.matrix @ X)).T).T
        off_query = (scaling.query_factors(self.S) * (released - np.asarray(self.S @ X)).T).T
        right = np.concatenate([off[program.independent], off_query])
        C = conditions(program, self.S, scaling)
        return X + scaling.variables(Projector(C).correction(right))

    def _finished(self, point: Point, margins: Margins) -> Solved:
        """A solution in the user's units, and how far it is to be trusted."""
        data, scaling, spread = self.scaled, self._scaling, Spread(self.scaled, point)
        rows = np.asarray(data.A @ point.z) + data.worst(point.K)
        residual = self._largest(rows + spread.under(margins, self.unit_deviation) - self.limits)
        z, gain = scaling.variables(point.z), np.zeros((self.program.n, 0))
        if self.asked is not None:
            gain = scaling.variables(point.K) / (0.5 * (self.asked.high - self.asked.low))
        level, Y = 0.0, np.zeros((self.program.n, self.noise_dimensions))
        if not self.silent:
            level = point.level * data.unit
            Y = scaling.variables((data.nu / self.calibration.scale) * point.Y)
        Z = recourse_of(self._particular, Y, point.R, level)
        exact = self._exact(z, Y, gain, level)
        return Solved(z, Z, residual, exact, gain, level, self.engine.memory)

    def _exact(self, z: Vector, Y: Dense, gain: Dense, level: float) -> bool:
        """Whether G z = d, G K = F, G Y = 0 and S Y = 0 hold to rounding.

        Each row against its own size; what is released, S Z = level I, against the noise there is.
        """
        G, d = self.program.equalities.matrix, self._target
        sizes: Any = abs(G)
        floor = 0.1 * EXACT * np.asarray(sizes @ self._scaling.columns)[:, None]

        def holds(off: Dense, size: Dense, unit: Vector | float = 1.0) -> bool:
            return bool(((np.abs(off) <= EXACT * size) | (np.abs(off) * unit <= floor)).all())

        size = np.abs(d) + np.asarray(sizes @ np.abs(z))
        exact = holds((np.asarray(G @ z) - d)[:, None], size[:, None])
        half = 0.0 if self.asked is None else 0.5 * (self.asked.high - self.asked.low)
        if self.asked is not None and gain.shape[1]:
            follow = self.asked.F.toarray()
            size = np.abs(follow) + np.asarray(sizes @ np.abs(gain))
            exact &= holds(np.asarray(G @ gain) - follow, size, half)
        if not self.silent:
            size = np.asarray(sizes @ (np.abs(Y) + level * self._particular.largest[:, None]))
            exact &= holds(np.asarray(G @ Y), size, self.calibration.scale)
            # A level next to zero leaves a recourse that is not, and its rounding.
            noise = max(level, FAINT * self.scaled.unit)
            released, W = np.asarray(self.S @ Y), None if self.asked is None else self.asked.measure
            if W is None:
                exact &= bool((np.abs(released) <= EXACT * noise).all())
            else:  # against what the data move
                off = (np.asarray(self.S @ gain) - released @ W) * half
                exact &= bool((np.abs(off) <= EXACT * self.released_size).all())
            exact &= self._particular.exists
        return exact
