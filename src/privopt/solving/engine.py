"""The optimum under margins, from a working set of rows.

Margins are put on a working set of rows (`working`), some rows of Z are held at zero (`prices`), in
the smallest form there is (`models`). The optimum is checked over all rows, and the model grows
until every margin is kept and no held row should move: it is then the optimum of the whole program.
Draws and smooth norms are approached step by step (`scenarios`, `refinement`).

`plain=True` solves the model as it is written down, all rows and all variables at once. Everything
is in scaled variables.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.allowed import Allowed
from privopt.solving.attempt import Attempt, Attempts
from privopt.solving.compile import Model
from privopt.solving.margins import Margins
from privopt.solving.models import Models
from privopt.solving.prices import should_move
from privopt.solving.problem import Outcome
from privopt.solving.projector import Projector
from privopt.solving.refinement import Draws, Fixed, Refinement, Step, Tilt
from privopt.solving.scaled import Point, ScaledProgram
from privopt.solving.scenarios import Scenarios
from privopt.solving.solver import Settings
from privopt.solving.spread import Spread
from privopt.solving.working import Marks, WorkingSet

__all__ = ["Engine"]

MAX_ROUNDS = 80
CORNER = 0.5  # slack, relative to what is missing, at which a row will rather come to rest
FEW = 20  # rows up to which all get a margin at once
REST = 1e-6  # part of the particular recourse below which a row is at rest
AT_LIMIT = 1e-6  # a row this near to its limit, relative to its size, is at it
NEARLY = 2e-3  # a row this near to its limit at a rough solution may be over it
PRICE = 1e-7  # of the largest price: above the slope of a margin by less is rounding,
ROUGHLY = 1e-2  # or the roughness of a solution
GAP = 1e-6  # relative difference of cost and lower bound at which a solution is the optimum
BOUNDS = 6  # lower bounds after which, because they rise slowly in the end,
SLOWLY = 20.0  # times as much will do
SETTLING = 3  # models of a norm before limits are moved by what they miss,
LITTLE = 1e-4  # which is little, relative to the size of a row


class Engine:
    """Solves of one scaled program under different margins; it remembers what bound before.

    `near` is the optimum without noise, `limits` and `sizes` are those of the rows, `on_data`
    projects z, and `start` is what bound in an earlier solve.
    """

    def __init__(
        self,
        data: ScaledProgram,
        on_data: Projector,
        near: Vector,
        limits: Vector,
        sizes: Vector,
        settings: Settings,
        *,
        start: Marks | None = None,
        plain: bool = False,
    ) -> None:
        self._data, self._on_data, self._near, self._limits = data, on_data, near, limits
        self._sizes, self._settings, self._plain = sizes, settings, plain
        self.models = Models(data, near, plain=plain)
        self.memory = start

    def run(
        self, margins: Margins, b: Vector, allowed: Vector, *, on_face: bool = False
    ) -> Point | Outcome:
        """The optimum under margins and limits b; an excess up to `allowed` is rounding.

        With `on_face` it is solved on the face of the cones that contains it. Without, it is
        INFEASIBLE only if limits that are not tightened leave no solution either.
        """
        data = self._data
        if margins.draws is not None and self.models.by_answers and data.phi == 0:
            return self._under_draws(margins, margins.draws, b, allowed)
        refine = self._refinement(margins, allowed)
        working = self._start(margins, b)
        standing = self._standing(margins)
        attempts = Attempts(self.models, refine, self._settings, on_face=on_face)
        best: Point | Outcome = Outcome.STALLED
        least, inside, settling, bounds = np.inf, np.zeros(len(b)), 0, 0
        for _ in range(MAX_ROUNDS):
            below = refine.below
            limits = b - standing if below else b - standing - inside
            attempt = attempts.solve(working, limits, self._limits - standing)
            if isinstance(attempt, Outcome):
                if attempt is not Outcome.TIME and len(working.held):
                    working.free(working.held)  # what is held may be in the way
                    attempts.freed()
                    continue
                return attempt if isinstance(best, Outcome) else best
            freed = self._freed(attempt, margins, working)
            point = self._polished(attempt)
            value = data.value(point)
            if below and not isinstance(best, Outcome):
                bounds += 1
                gap = GAP * abs(least) * (SLOWLY if bounds > BOUNDS else 1.0)
                if not freed and value >= least - gap:
                    return best
            slack = b - np.asarray(data.A @ point.z)
            spread = Spread(data, point)
            look = refine
            if attempt.rough:  # too rough to learn from
                look = Fixed(refine.model, data.noise_dimensions, allowed, data.deviation)
            step, excess = look.look(spread, slack)
            relative = excess / self._sizes + (NEARLY if attempt.rough else 0.0)
            if working.add(relative) or freed:
                if isinstance(refine, Fixed):
                    if not attempt.rough:
                        working.drop(relative, value)
                    if data.still is None and not self._plain:
                        working.hold(self._at_rest(spread))
                    if self.models.by_answers:
                        working.hold(self._cornered(excess, slack))
                attempts.changed()
                continue
            if attempt.rough:
                attempts.sharpen()
                continue
            self.memory = working.marks
            if step is Step.DONE and (below or not inside.any()):
                return point
            if step is not Step.BROKEN and value < least:
                best, least = point, value
            # Where models do not settle, the next one keeps away from the little this one misses.
            missed = np.maximum(excess, 0.0)
            settling += not below
            if not below and settling > SETTLING and (missed <= LITTLE * self._sizes).all():
                inside = np.maximum(1.5 * missed, inside)
            attempts.refined()
        return best

    def _freed(self, attempt: Attempt, margins: Margins, working: WorkingSet) -> bool:
        """Free the held directions that should move; whether there was any."""
        held = attempt.model.held
        if not len(held):
            return False
        if attempt.prices is None or attempt.multipliers is None:
            working.free(held)
            return True
        most = ROUGHLY if attempt.rough else PRICE
        moving = should_move(attempt.model, margins, attempt.prices, attempt.multipliers, most)
        working.free(held[moving])
        return bool(moving.any())

    def _cornered(self, excess: Vector, slack: Vector) -> NDArray[np.bool_]:
        """For each direction, whether a row leaves it little of the margin it asks for.

        Where they are few, they are tried with a margin at once.
        """
        cornered = self._data.directions.marked((excess > 0) & (slack < CORNER * excess))
        return cornered if cornered.sum() > FEW else np.zeros_like(cornered)

    def _at_rest(self, spread: Spread) -> NDArray[np.bool_]:
        """For each direction, whether the recourse leaves it at rest."""
        return ~self._data.directions.marked(spread.norms > REST * self._base_norms)

    @property
    def _base_norms(self) -> Vector:
        """||A_i Z|| of the particular recourse."""
        ways = self._data.directions
        return self._data.nu * np.abs(ways.factor) * self._data.norms[ways.group]

    def _under_draws(
        self, margins: Margins, draws: Dense, b: Vector, allowed: Vector
    ) -> Point | Outcome:
        """The optimum under the worst of some draws."""
        data, movable = self._data, self.models.movable
        scenarios = Scenarios(
            data, draws, b, b - self._standing(margins), allowed, self._sizes, movable,
            self._settings,
        )  # fmt: skip
        z, change, held = self._near, np.zeros_like(data.base), self._at_limit(b)
        # 2-norms that are about as large show where the draws will bind.
        a = data.base_rows[movable]
        size = data.deviation * np.linalg.norm(a, axis=1)
        reach = (draws @ a.T).max(axis=0)[size > 0] / size[size > 0]
        if len(reach):
            like = Margins(deviations=np.full(len(self._sizes), float(np.median(reach))))
            start = self.run(like, b, allowed)
            if isinstance(start, Point):
                z, change = start.z, start.Y if start.R is None else start.Y @ start.R
                held = self._at_rest(Spread(data, start))
                held &= np.diff(data.directions.D.indptr) == 1
        return scenarios.solve(z, change, held)

    def _at_limit(self, b: Vector) -> NDArray[np.bool_]:
        """For each direction of one variable, whether it is at a limit without noise."""
        ways = self._data.directions
        slack = b - np.asarray(self._data.A @ self._near)
        return ways.marked(slack <= AT_LIMIT * self._sizes) & (np.diff(ways.D.indptr) == 1)

    def _standing(self, margins: Margins) -> Vector:
        """Margins of the rows that no recourse changes: numbers."""
        data, ways = self._data, self._data.directions
        value = np.zeros(len(self._sizes))
        if self._plain:
            return value
        rows = np.flatnonzero(~self.models.movable[ways.group])
        if margins.is_norm:
            value[rows] = margins.of_norms(self._base_norms[rows], data.deviation, rows)
        elif len(rows):
            a = (data.nu * ways.factor[rows])[:, None] * data.base_rows[ways.group[rows]]
            value[rows] = margins.value(a, data.deviation, rows)
        return value

    def _start(self, margins: Margins, b: Vector) -> WorkingSet:
        """Directions that bound the solution before, or would with Z_0."""
        data, ways = self._data, self._data.directions
        if self._plain:
            working = WorkingSet(ways, np.ones(len(ways.lead), dtype=bool))
            working.put_all()
            return working
        at_once = not self.models.by_answers
        working = WorkingSet(ways, self.models.movable, all_at_once=at_once)
        if margins.draws is not None:
            return working
        if self.memory is not None:
            working.put(self.memory)
            return working
        if margins.box is not None:
            a = data.base_rows[ways.group]
            value = margins.box.support((data.nu * ways.factor)[:, None] * a)
        else:
            value = margins.of_norms(self._base_norms, data.deviation)
        slack = b - np.asarray(data.A @ self._near)
        working.add((value - slack) / self._sizes)
        if self.models.by_answers:
            working.hold(self._at_limit(b))
        return working

    def _refinement(self, margins: Margins, allowed: Vector) -> Refinement:
        data = self._data
        if margins.norm is not None:
            movable = self.models.movable[data.directions.group]
            return Tilt(margins, margins.norm, allowed, data.deviation, self._sizes, movable)
        if margins.draws is not None:
            return Draws(margins.draws, allowed)
        return Fixed(margins, data.noise_dimensions, allowed, data.deviation)

    def _polished(self, attempt: Attempt) -> Point:
        """The solution on the equalities, to rounding."""
        data, model, point = self._data, attempt.model, attempt.point
        z = point.z + self._on_data.correction(data.d - data.G @ point.z)
        return Point(z, self._polished_change(model, point), point.R)

    def _polished_change(self, model: Model, point: Point) -> Dense:
        data, Y = self._data, point.Y
        if model.noise.kept is None:
            return Y  # answers are settled already
        if not len(model.held):
            return self._allowed.nearest(Y)
        # Held rows stay where they are held: nearest on [C; E_held] Y = [0; -Z_0].
        columns = data.directions.columns(model.held)
        unit: Any = sp.eye_array(len(Y), format="csr")[columns]
        both: Any = sp.vstack([data.C, unit], format="csr")
        base = data.along(model.R)
        right = np.vstack([np.zeros((data.C.shape[0], Y.shape[1])), -base[columns]])
        return Allowed(both, None).nearest(Y, right)

    @cached_property
    def _allowed(self) -> Allowed:
        still = self._data.still
        if still is None:
            return Allowed(self._data.C, None)
        marks = np.zeros(self._data.base.size, dtype=bool)
        marks[still] = True
        return Allowed(self._data.C, marks.reshape(self._data.base.shape[::-1]).T)
