"""Solving the chance-constrained program under given margins.

Margins are put on a working set of rows (`working`) in as few variables as the structure allows
(`space`) and, for 2-norms, along the noise directions that matter (`basis`). The optimum is looked
at over all rows, and the model grows until every margin is kept: it is then the optimum of the
whole program. `engine="plain"` solves the model as it is written down, all rows and all variables
at once, for comparison. Draws and smooth norms are approached besides (`refinement`).

What comes back is polished: z and Z are projected on the equalities, so that G z = d, G Z = 0 and
S Z = I hold to rounding, not to the solver's tolerance. Rows are tightened by that tolerance
before.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.conic.allowed import Allowed
from privopt.conic.basis import basis
from privopt.conic.compile import Compiled, Model, ScaledProgram, watched
from privopt.conic.directions import Directions
from privopt.conic.margins import Box, Margins
from privopt.conic.particular import particular_of
from privopt.conic.problem import Answer, Outcome
from privopt.conic.projector import Projector
from privopt.conic.recourse import Recourse, recourse_of
from privopt.conic.refinement import Draws, Fixed, Refinement, Step, Tilt
from privopt.conic.response import Response
from privopt.conic.scaling import FAR, Scaling, binds, levels, row_sizes
from privopt.conic.scenarios import Scenarios
from privopt.conic.solver import Settings, solve_conic
from privopt.conic.space import Elimination, Space
from privopt.conic.spread import Spread
from privopt.conic.working import WorkingSet
from privopt.noise.calibration import Calibration
from privopt.objective import Objective
from privopt.program import ConvexProgram

MAX_ROUNDS = 80
RESIDUAL = 1e-8  # largest excess of a row, relative to its size, that is believed to be rounding
EXACT = 1e-9  # the same for the equalities and the query
DENSE = 20_000_000  # numbers of the program in terms of the working rows, at most
CORNER = 0.5  # slack, relative to what is missing, at which a row will rather come to rest
FEW = 20
PLAIN = 300_000  # variables up to which the plain model is worth a try
REST = 1e-6  # part of the particular recourse below which a row is at rest
AT_LIMIT = 1e-6  # a row this near to its limit, relative to its size, is at it
GAP = 1e-7  # relative difference of cost and lower bound at which a solution is the optimum


@dataclass(frozen=True, eq=False)
class Solved:
    """A solution in the user's units: z~, Z with S Z = I, and how far it is to be trusted.

    `residual` is the largest A_i z~ + h_i(A_i Z) - b_i over all rows, each relative to its size;
    `exact` tells whether G z~ = d, G Z = 0 and S Z = I hold to rounding.
    """

    z: Vector
    Z: Recourse
    residual: float
    exact: bool


Point = tuple[Vector, Dense, "Dense | None"]
"""Scaled z, Y and R."""


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
        engine: Literal["working set", "plain"] = "working set",
    ) -> None:
        self.program, self.S, self.calibration = program, S, calibration
        self.settings = settings
        self._engine: Literal["working set", "plain"] = engine
        target = program.right_hand_side()
        scaling = Scaling.of(program, target, calibration.scale)
        scaling = self._scaling = scaling.refined(program, target, near) or scaling
        A, G = scaling.rows(program.rows.matrix), scaling.equalities(program.equalities.matrix)
        query: Any = sp.csr_array(S @ sp.diags_array(scaling.columns))
        C: Any = sp.vstack([G, query], format="csr")
        self._b = scaling.bounds(program.rows.bound)
        p, scale = S.shape[0], calibration.scale
        self._on_data, self._allowed = Projector(G), Allowed(C, still)
        particular = self._particular = particular_of(program, S, still)
        nu = scale * float((particular.largest / scaling.columns).max()) or 1.0
        deviation = objective.deviation(program, p)
        L, T = (None, None) if deviation is None else deviation
        ways = Directions.of(A)
        norms = (scale / nu) * scaling.row_factors * particular.row_norms
        self._scaled = ScaledProgram(
            linear=scaling.linear(program.linear),
            quadratic=scaling.quadratic(program.quadratic),
            A=A,
            directions=ways,
            G=G,
            d=scaling.targets(target),
            C=C,
            particular=particular,
            units=scale / (nu * scaling.columns),
            norms=norms[ways.lead],
            nu=nu,
            variance=calibration.law.variance,
            phi=objective.phi,
            L=None if L is None else scaling.cost_map(L),
            T=T,
            still=None if still is None else np.flatnonzero(still.T.ravel()),
        )
        self._near = near / scaling.columns
        self._answers: Response | None = None
        self._memory: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None

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
        rows, scale = self.program.rows, self.calibration.scale
        sizes = self.unit_deviation * scale * solved.Z.sizes
        size = row_sizes(rows.matrix, rows.bound, solved.z, sizes, self._scaling)
        slack = rows.bound - np.asarray(rows.matrix @ solved.z)
        return slack / size, scale * solved.Z.under(rows.matrix) / size[:, None]

    def solve(self, margins: Margins) -> Solved | Outcome:
        """The optimum under the margins, or how the solver ended without one.

        Where the working set ends in a stall, the model as it is written down has the last word.
        """
        found = self._attempts(margins)
        size = self.program.n * self.noise_dimensions
        if found is Outcome.STALLED and self._engine != "plain" and size <= PLAIN:
            self._engine = "plain"
            found = self._attempts(margins)
            self._engine = "working set"
        return found

    def _attempts(self, margins: Margins) -> Solved | Outcome:
        """Solve with rows a little tightened; more, or not at all, where that fails."""
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
        return solved.residual <= RESIDUAL and solved.exact

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

    def _run(self, margins: Margins, b: Vector) -> Point | Outcome:
        """Solve under the current model of the margins; where it differs from them, improve it."""
        if margins.draws is not None and self._by_answers and self._scaled.phi == 0:
            return self._under_draws(margins, margins.draws, b)
        refine = self._refinement(margins)
        working = self._start(margins, b)
        limits = b - self._standing(margins)
        best: Point | Outcome = Outcome.STALLED
        least = np.inf
        for _ in range(MAX_ROUNDS):
            model = self._model(refine, working)
            compiled = model.conic(refine.model, refine.cuts, limits)
            answer = solve_conic(compiled.problem, self.settings)
            if answer.outcome is not Outcome.OPTIMAL and len(working.held):
                working.free(working.held)  # what is held may be in the way
                continue
            if answer.outcome is not Outcome.OPTIMAL:
                return answer.outcome if isinstance(best, Outcome) else best
            freed = self._freed(model, compiled, answer, margins, working)
            value = compiled.held.value(answer.x)
            if not freed and refine.below and value >= least - GAP * abs(least):
                return best
            point = self._polish(model, compiled.held.point(answer.x))
            slack = b - np.asarray(self._scaled.A @ point[0])
            spread = Spread(self._scaled, *point[1:])
            step, excess = refine.look(spread, slack)
            relative = excess / self._sizes
            if working.add(relative) or freed:
                if isinstance(refine, Fixed):
                    working.drop(relative, value)
                    if self._by_answers:
                        working.hold(self._at_rest(spread) | self._cornered(excess, slack))
                continue
            self._memory = working.masks if self._engine != "plain" else None
            if step is Step.DONE:
                return point
            if step is Step.KEPT and value < least:
                best, least = point, value
        return best

    def _freed(
        self,
        model: Model,
        compiled: Compiled,
        answer: Answer,
        margins: Margins,
        working: WorkingSet,
    ) -> bool:
        """Free the held directions that should move; whether there was any."""
        if not len(model.held) or answer.dual is None:
            working.free(model.held)
            return bool(len(model.held))
        multipliers = answer.dual[compiled.rows : compiled.rows + self.rows]
        dear = model.too_dear(margins, model.prices(compiled, answer), multipliers)
        working.free(model.held[dear])
        return bool(dear.any())

    def _cornered(self, excess: Vector, slack: Vector) -> NDArray[np.bool_]:
        """For each direction, whether a row leaves it little of the margin it asks for.

        Where they are few, they are tried with a margin at once.
        """
        ways = self._scaled.directions
        cornered = np.zeros(len(ways.lead), dtype=bool)
        cornered[ways.group[(excess > 0) & (slack < CORNER * excess)]] = True
        return cornered if cornered.sum() > FEW else np.zeros_like(cornered)

    def _at_rest(self, spread: Spread) -> NDArray[np.bool_]:
        """For each direction, whether the recourse leaves it at rest."""
        ways = self._scaled.directions
        size = self._scaled.nu * np.abs(ways.factor) * self._scaled.norms[ways.group]
        moving = np.zeros(len(ways.lead), dtype=bool)
        moving[ways.group[spread.norms > REST * size]] = True
        return ~moving

    @property
    def _by_answers(self) -> bool:
        """Whether an optimal recourse is made of answers to the working rows."""
        return self._engine != "plain" and self._particular.definite

    def _under_draws(self, margins: Margins, draws: Dense, b: Vector) -> Point | Outcome:
        """The optimum under the worst of some draws."""
        scenarios = Scenarios(
            data=self._scaled,
            draws=draws,
            b=b,
            limits=b - self._standing(margins),
            allowed=0.75 * self._tightening(margins),
            sizes=self._sizes,
            movable=self._movable,
            settings=self.settings,
        )
        z, change, held = self._near, np.zeros_like(self._scaled.base), self._at_limit(b)
        # 2-norms that are about as large show where the draws will bind.
        a = self._scaled.base_rows[self._movable]
        size = self.unit_deviation * np.linalg.norm(a, axis=1)
        reach = (draws @ a.T).max(axis=0)[size > 0] / size[size > 0]
        if len(reach):
            like = Margins(deviations=np.full(self.rows, float(np.median(reach))))
            found = self._run(like, b)
            if not isinstance(found, Outcome):
                z, Y, R = found
                change = Y if R is None else Y @ R
                held = self._at_rest(Spread(self._scaled, change, None))
                held &= np.diff(self._scaled.directions.D.indptr) == 1
        found = scenarios.solve(z, change, held)
        return found if isinstance(found, Outcome) else (*found, None)

    def _at_limit(self, b: Vector) -> NDArray[np.bool_]:
        """For each direction of one variable, whether it is at a limit without noise."""
        ways = self._scaled.directions
        slack = b - np.asarray(self._scaled.A @ self._near)
        found = np.zeros(len(ways.lead), dtype=bool)
        found[ways.group[slack <= AT_LIMIT * self._sizes]] = True
        return found & (np.diff(ways.D.indptr) == 1)

    @cached_property
    def _movable(self) -> NDArray[np.bool_]:
        """For each direction, whether the recourse can change it."""
        D: Any = self._scaled.directions.D @ sp.diags_array(1 / self._scaling.columns)
        return self._particular.moves(D)

    @cached_property
    def _elimination(self) -> Elimination:
        return Elimination(self._scaled.C, self._scaled.quadratic)

    def _standing(self, margins: Margins) -> Vector:
        """Margins of the rows that no recourse changes: numbers."""
        ways = self._scaled.directions
        value = np.zeros(self.rows)
        if self._engine == "plain":
            return value
        rows = np.flatnonzero(~self._movable[ways.group])
        if margins.is_norm:
            norms = self._scaled.nu * np.abs(ways.factor) * self._scaled.norms[ways.group]
            value[rows] = margins.of_norms(norms[rows], self.unit_deviation, rows)
        elif len(rows):
            a = self._scaled.base_rows[ways.group[rows]]
            a = (self._scaled.nu * ways.factor[rows])[:, None] * a
            value[rows] = margins.value(a, self.unit_deviation, rows)
        return value

    def _start(self, margins: Margins, b: Vector) -> WorkingSet:
        """Directions that bound the solution before, or would with the particular recourse."""
        ways = self._scaled.directions
        if self._engine == "plain":
            every = np.ones(len(ways.lead), dtype=bool)
            working = WorkingSet(ways, every)
            working.put(every)
            return working
        working = WorkingSet(ways, self._movable, all_at_once=not self._by_answers)
        if margins.draws is not None:
            return working
        if self._memory is not None:
            working.put(*self._memory)
            return working
        if margins.box is not None:
            a = self._scaled.base_rows[ways.group]
            value = margins.box.support((self._scaled.nu * ways.factor)[:, None] * a)
        else:
            norms = self._scaled.nu * np.abs(ways.factor) * self._scaled.norms[ways.group]
            value = margins.of_norms(norms, self.unit_deviation)
        slack = b - np.asarray(self._scaled.A @ self._near)
        working.add((value - slack) / self._sizes)
        if self._by_answers:
            working.hold(self._at_limit(b))
        return working

    def _model(self, refine: Refinement, working: WorkingSet) -> Model:
        """The program on the working set, in the smallest form that has its optimum."""
        data = self._scaled
        if self._engine == "plain":
            return Model.plain(data)
        groups = np.union1d(working.positions, data.directions.group[refine.cuts.rows])
        held = np.setdiff1d(working.held, groups)
        rows = watched(data, groups, held)
        if data.still is not None:
            return Model(data, groups, held, Space.plain(data.C, rows, data.quadratic), None)
        low_rank = refine.model.is_norm and not len(refine.cuts.rows)
        R = basis(data, np.concatenate([groups, held])) if low_rank else None
        r = self.noise_dimensions if R is None else len(R)
        dense = refine.model.box is None and not len(refine.cuts.rows)
        if self._by_answers and dense and len(groups) ** 2 * r <= DENSE:
            response = self._response(data.directions.columns(held))
            working_rows = watched(data, groups)
            return Model(data, groups, held, response.space(working_rows, data.along(R)), R)
        return Model(data, groups, held, self._elimination.space(rows), R)

    def _response(self, held: NDArray[np.intp]) -> Response:
        """Answers under a set of held variables, kept for the next round."""
        if self._answers is None or not np.array_equal(self._answers.held, held):
            self._answers = Response(self._scaled.C, self._scaled.quadratic, held)
        return self._answers

    def _refinement(self, margins: Margins) -> Refinement:
        allowed = 0.75 * self._tightening(margins)
        if margins.norm is not None:
            movable = self._movable[self._scaled.directions.group]
            return Tilt(margins, margins.norm, allowed, self.unit_deviation, self._sizes, movable)
        if margins.draws is not None:
            return Draws(margins.draws, allowed)
        return Fixed(margins, self.noise_dimensions, allowed, self.unit_deviation)

    def _polish(self, model: Model, x: Vector) -> Point:
        """Scaled z, Y and R, on the equalities."""
        z, Y = model.split(x)
        z = z + self._on_data.correction(self._scaled.d - self._scaled.G @ z)
        if model.space.kept is None:
            return z, Y, model.R
        if not len(model.held):
            return z, self._allowed.nearest(Y), model.R
        # Held rows stay where they are held: nearest on [C; E_held] Y = [0; -Z_0].
        columns = self._scaled.directions.columns(model.held)
        unit: Any = sp.eye_array(len(Y), format="csr")[columns]
        both: Any = sp.vstack([self._scaled.C, unit], format="csr")
        base = self._scaled.along(model.R)
        right = np.vstack([np.zeros((self._scaled.C.shape[0], Y.shape[1])), -base[columns]])
        return z, Allowed(both, None).nearest(Y, right), model.R

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
        return Solved(found, Z, residual, self._exact(found, change))

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
