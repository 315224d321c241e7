"""The optimum under margins, from a working set of rows.

Margins are put on a working set of rows (`working`), some rows of Z are held at zero (`prices`), in
as few variables as the structure allows (`response`, `space`) and, for 2-norms, along the noise
directions that matter (`basis`). The optimum is looked at over all rows, and the model grows until
every margin is kept and no held row wants to move: it is then the optimum of the whole program.
Draws and smooth norms are approached besides (`scenarios`, `refinement`).

`plain=True` solves the model as it is written down, all rows and all variables at once. Everything
is in scaled variables.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.allowed import Allowed
from privopt.solving.attempt import Attempt, ByColumns, by_cones
from privopt.solving.basis import basis
from privopt.solving.compile import Model
from privopt.solving.equilibration import scaled
from privopt.solving.margins import Margins
from privopt.solving.prices import should_move
from privopt.solving.problem import Outcome
from privopt.solving.projector import Projector
from privopt.solving.refinement import Draws, Fixed, Refinement, Step, Tilt
from privopt.solving.response import Response
from privopt.solving.scaled import ScaledProgram, watched
from privopt.solving.scenarios import Scenarios
from privopt.solving.solver import Settings
from privopt.solving.space import Elimination, Space
from privopt.solving.spread import Spread
from privopt.solving.working import Marks, WorkingSet

__all__ = ["Engine", "ScaledSolution"]

MAX_ROUNDS = 80
DENSE = 20_000_000  # numbers of the program in terms of the working rows, at most
CORNER = 0.5  # slack, relative to what is missing, at which a row will rather come to rest
FEW = 20  # rows up to which all get a margin at once
REST = 1e-6  # part of the particular recourse below which a row is at rest
AT_LIMIT = 1e-6  # a row this near to its limit, relative to its size, is at it
NEARLY = (
    2e-3  # a row this near to its limit, relative to its size, at a rough solution may be over it
)
PRICE = 1e-7  # of the largest price: above the slope of a margin by less is rounding,
ROUGHLY = 1e-2  # or the roughness of a solution
GAP = 1e-7  # relative difference of cost and lower bound at which a solution is the optimum

ScaledSolution: TypeAlias = "tuple[Vector, Dense, Dense | None]"
"""Scaled z, Y and R."""


class Engine:
    """Solves of one scaled program under different margins; it remembers what bound before.

    `near` is the optimum without noise, `limits` and `sizes` are those of the rows, `allowed`
    projects Y, `on_data` z, and `start` is what bound in an earlier solve.
    """

    def __init__(
        self,
        data: ScaledProgram,
        allowed: Allowed,
        on_data: Projector,
        near: Vector,
        limits: Vector,
        sizes: Vector,
        settings: Settings,
        *,
        start: Marks | None = None,
        plain: bool = False,
    ) -> None:
        self._data, self._allowed, self._near, self._limits = data, allowed, near, limits
        self._sizes, self._settings, self._plain = sizes, settings, plain
        self._deviation = float(np.sqrt(data.variance))
        self._on_data = on_data
        self._answers: Response | None = None
        self.memory = start

    def run(
        self, margins: Margins, b: Vector, allowed: Vector, *, on_face: bool = False
    ) -> ScaledSolution | Outcome:
        """The optimum under margins and limits b; an excess up to `allowed` is rounding.

        With `on_face` it is solved on the face of the cones that holds it. Without, it is
        INFEASIBLE only where limits that are not tightened leave no solution, either.
        """
        if margins.draws is not None and self._by_answers and self._data.phi == 0:
            return self._under_draws(margins, margins.draws, b, allowed)
        refine = self._refinement(margins, allowed)
        working = self._start(margins, b)
        standing = self._standing(margins)
        limits, loose = b - standing, self._limits - standing
        columns = None if on_face else self._columns(refine, limits)
        best: ScaledSolution | Outcome = Outcome.STALLED
        least = np.inf
        same: Model | None = None
        for _ in range(MAX_ROUNDS):
            model, same = same or self._model(refine, working), None
            found = self._attempt(model, refine, limits, loose, columns, on_face=on_face)
            if isinstance(found, Outcome) and found is not Outcome.TIME and len(working.held):
                working.free(working.held)  # what is held may be in the way
                columns = None
                continue
            if isinstance(found, Outcome):
                return found if isinstance(best, Outcome) else best
            freed = self._freed(model, found, margins, working)
            value = found.value
            if not freed and refine.below and value >= least - GAP * abs(least):
                return best
            point = self._polish(model, found.z, found.Y)
            slack = b - np.asarray(self._data.A @ point[0])
            spread = Spread(self._data, *point[1:])
            step, excess = refine.look(spread, slack)
            relative = excess / self._sizes + (NEARLY if found.rough else 0.0)
            if working.add(relative) or freed:
                if isinstance(refine, Fixed):
                    if not found.rough:
                        working.drop(relative, value)
                    if self._data.still is None and not self._plain:
                        working.hold(self._at_rest(spread))
                    if self._by_answers:
                        working.hold(self._cornered(excess, slack))
                if columns is not None:
                    columns.changed()
                continue
            if columns is not None and found.rough:
                columns.sharpen()
                same = model
                continue
            self.memory = working.marks
            if step is Step.DONE:
                return point
            if step is Step.KEPT and value < least:
                best, least = point, value
        return best

    def _attempt(
        self,
        model: Model,
        refine: Refinement,
        limits: Vector,
        loose: Vector,
        columns: ByColumns | None,
        *,
        on_face: bool,
    ) -> Attempt | Outcome:
        found = None
        if columns is not None and model.space.prices is not None and model.space.rows.nnz:
            found = columns.solve(model)
        margins, cuts, settings = refine.model, refine.cuts, self._settings
        return found or by_cones(
            model, margins, cuts, limits, settings, loose=loose, on_face=on_face
        )

    def _columns(self, refine: Refinement, limits: Vector) -> ByColumns | None:
        """Column by column where that has the same optimum."""
        box = refine.model.box
        if box is None or not self._by_answers or self._data.phi > 0:
            return None
        if not (box.high > box.low).all():
            return None
        return ByColumns(box, limits, self._near, self._settings.tolerance)

    def _freed(self, model: Model, found: Attempt, margins: Margins, working: WorkingSet) -> bool:
        """Free the held directions that should move; whether there was any."""
        if not len(model.held):
            return False
        if found.prices is None or found.multipliers is None:
            working.free(model.held)
            return True
        most = ROUGHLY if found.rough else PRICE
        moving = should_move(model, margins, found.prices, found.multipliers, most)
        working.free(model.held[moving])
        return bool(moving.any())

    def _cornered(self, excess: Vector, slack: Vector) -> NDArray[np.bool_]:
        """For each direction, whether a row leaves it little of the margin it asks for.

        Where they are few, they are tried with a margin at once.
        """
        ways = self._data.directions
        cornered = np.zeros(len(ways.lead), dtype=bool)
        cornered[ways.group[(excess > 0) & (slack < CORNER * excess)]] = True
        return cornered if cornered.sum() > FEW else np.zeros_like(cornered)

    def _at_rest(self, spread: Spread) -> NDArray[np.bool_]:
        """For each direction, whether the recourse leaves it at rest."""
        ways = self._data.directions
        size = self._data.nu * np.abs(ways.factor) * self._data.norms[ways.group]
        moving = np.zeros(len(ways.lead), dtype=bool)
        moving[ways.group[spread.norms > REST * size]] = True
        return ~moving

    @property
    def _by_answers(self) -> bool:
        """Whether an optimal recourse is made of answers to the working rows."""
        return not self._plain and self._data.particular.definite

    def _under_draws(
        self, margins: Margins, draws: Dense, b: Vector, allowed: Vector
    ) -> ScaledSolution | Outcome:
        """The optimum under the worst of some draws."""
        scenarios = Scenarios(
            data=self._data,
            draws=draws,
            b=b,
            limits=b - self._standing(margins),
            allowed=allowed,
            sizes=self._sizes,
            movable=self.movable,
            settings=self._settings,
        )
        z, change, held = self._near, np.zeros_like(self._data.base), self._at_limit(b)
        # 2-norms that are about as large show where the draws will bind.
        a = self._data.base_rows[self.movable]
        size = self._deviation * np.linalg.norm(a, axis=1)
        reach = (draws @ a.T).max(axis=0)[size > 0] / size[size > 0]
        if len(reach):
            like = Margins(deviations=np.full(len(self._sizes), float(np.median(reach))))
            found = self.run(like, b, allowed)
            if not isinstance(found, Outcome):
                z, Y, R = found
                change = Y if R is None else Y @ R
                held = self._at_rest(Spread(self._data, change, None))
                held &= np.diff(self._data.directions.D.indptr) == 1
        found = scenarios.solve(z, change, held)
        return found if isinstance(found, Outcome) else (*found, None)

    def _at_limit(self, b: Vector) -> NDArray[np.bool_]:
        """For each direction of one variable, whether it is at a limit without noise."""
        ways = self._data.directions
        slack = b - np.asarray(self._data.A @ self._near)
        found = np.zeros(len(ways.lead), dtype=bool)
        found[ways.group[slack <= AT_LIMIT * self._sizes]] = True
        return found & (np.diff(ways.D.indptr) == 1)

    @cached_property
    def movable(self) -> NDArray[np.bool_]:
        """For each direction, whether the recourse can change it."""
        return self._data.particular.moves(scaled(self._data.directions.D, self._data.units))

    @cached_property
    def _elimination(self) -> Elimination:
        return Elimination(self._data.C, self._data.quadratic)

    def _standing(self, margins: Margins) -> Vector:
        """Margins of the rows that no recourse changes: numbers."""
        ways = self._data.directions
        value = np.zeros(len(self._sizes))
        if self._plain:
            return value
        rows = np.flatnonzero(~self.movable[ways.group])
        if margins.is_norm:
            norms = self._data.nu * np.abs(ways.factor) * self._data.norms[ways.group]
            value[rows] = margins.of_norms(norms[rows], self._deviation, rows)
        elif len(rows):
            a = self._data.base_rows[ways.group[rows]]
            a = (self._data.nu * ways.factor[rows])[:, None] * a
            value[rows] = margins.value(a, self._deviation, rows)
        return value

    def _start(self, margins: Margins, b: Vector) -> WorkingSet:
        """Directions that bound the solution before, or would with the particular recourse."""
        ways = self._data.directions
        if self._plain:
            every = np.ones(len(ways.lead), dtype=bool)
            working = WorkingSet(ways, every)
            working.put_all()
            return working
        working = WorkingSet(ways, self.movable, all_at_once=not self._by_answers)
        if margins.draws is not None:
            return working
        if self.memory is not None:
            working.put(self.memory)
            return working
        if margins.box is not None:
            a = self._data.base_rows[ways.group]
            value = margins.box.support((self._data.nu * ways.factor)[:, None] * a)
        else:
            norms = self._data.nu * np.abs(ways.factor) * self._data.norms[ways.group]
            value = margins.of_norms(norms, self._deviation)
        slack = b - np.asarray(self._data.A @ self._near)
        working.add((value - slack) / self._sizes)
        if self._by_answers:
            working.hold(self._at_limit(b))
        return working

    def _model(self, refine: Refinement, working: WorkingSet) -> Model:
        """The program on the working set, in the smallest form that has its optimum."""
        data = self._data
        if self._plain:
            return Model.plain(data)
        groups = np.union1d(working.positions, data.directions.group[refine.cuts.rows])
        held = np.setdiff1d(working.held, groups)
        rows = watched(data, groups, held)
        if data.still is not None:
            return Model(data, groups, held, Space.plain(data.C, rows, data.quadratic), None)
        low_rank = refine.model.is_norm and not len(refine.cuts.rows)
        R = basis(data, np.concatenate([groups, held])) if low_rank else None
        r = self._data.noise_dimensions if R is None else len(R)
        dense = (refine.model.box is None or data.phi == 0) and not len(refine.cuts.rows)
        if self._by_answers and dense and len(groups) ** 2 * r <= DENSE:
            response = self._response(data.directions.columns(held))
            working_rows = watched(data, groups)
            return Model(data, groups, held, response.space(working_rows, data.along(R)), R)
        return Model(data, groups, held, self._elimination.space(rows), R)

    def _response(self, held: NDArray[np.intp]) -> Response:
        """Answers under a set of held variables, kept for the next round."""
        if self._answers is None or not np.array_equal(self._answers.held, held):
            self._answers = Response(self._data.C, self._data.quadratic, held)
        return self._answers

    def _refinement(self, margins: Margins, allowed: Vector) -> Refinement:
        if margins.norm is not None:
            movable = self.movable[self._data.directions.group]
            return Tilt(margins, margins.norm, allowed, self._deviation, self._sizes, movable)
        if margins.draws is not None:
            return Draws(margins.draws, allowed)
        return Fixed(margins, self._data.noise_dimensions, allowed, self._deviation)

    def _polish(self, model: Model, z: Vector, Y: Dense) -> ScaledSolution:
        """Scaled z, Y and R, on the equalities."""
        z = z + self._on_data.correction(self._data.d - self._data.G @ z)
        if model.space.kept is None:
            return z, Y, model.R
        if not len(model.held):
            return z, self._allowed.nearest(Y), model.R
        # Held rows stay where they are held: nearest on [C; E_held] Y = [0; -Z_0].
        columns = self._data.directions.columns(model.held)
        unit: Any = sp.eye_array(len(Y), format="csr")[columns]
        both: Any = sp.vstack([self._data.C, unit], format="csr")
        base = self._data.along(model.R)
        right = np.vstack([np.zeros((self._data.C.shape[0], Y.shape[1])), -base[columns]])
        return z, Allowed(both, None).nearest(Y, right), model.R
