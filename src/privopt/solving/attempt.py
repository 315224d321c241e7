"""One solve of a model: column by column where that has the same optimum, or by cones.

While rows are still missing, a rough solution is enough to show which.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.solving.column_program import ColumnProgram, Earlier
from privopt.solving.compile import Model
from privopt.solving.faces import solve_faced
from privopt.solving.interior import Start, interior_point
from privopt.solving.margins import Cuts, Margins
from privopt.solving.models import Models
from privopt.solving.prices import prices_of
from privopt.solving.problem import Outcome
from privopt.solving.refinement import Draws, Refinement
from privopt.solving.scaled import Point
from privopt.solving.solver import Settings, solve_conic
from privopt.solving.working import WorkingSet

__all__ = ["Attempt", "Attempts", "ByColumns", "by_cones"]

_PRICE = 0.01  # multipliers to begin with, as a part of the largest cost
_LEVEL = 0.01  # and the level, as a part of one that hides the whole reach
_GAP = 0.1  # and the gap of a policy, 1 of a plan
_STAGES = ((3e-2, 0.3), (1e-4, 0.05), (None, 1e-3))
"""Tolerances (None: that of the settings), and the gap to start from near an earlier solution."""
FEW = 400  # values of gain and recourse up to which cones are faster
_ROUGH = 1e-6  # tolerance of rough solutions by cones
_PASSES = 3  # in which a gain of low rank gets its directions


@dataclass(frozen=True, repr=False, eq=False)
class Attempt:
    """An optimum of a model, and what holds it there.

    `multipliers` are those of the rows, `prices` the gradient at the held rows of Z; None where the
    solver gave none. `rough` solutions only tell which rows matter.
    """

    model: Model
    point: Point
    multipliers: Vector | None
    prices: Dense | None
    rough: bool = False


def by_cones(
    model: Model,
    margins: Margins,
    cuts: Cuts,
    limits: Vector,
    settings: Settings,
    *,
    loose: Vector | None = None,
    leveled: Vector | None = None,
    on_face: bool = False,
) -> Attempt | Outcome:
    """The model as a conic program; with `on_face`, on the face of the cones that contains it.

    `leveled` are margins of rows that only the level changes, at level one. INFEASIBLE only where
    the certificate holds for `loose` limits, too.
    """
    compiled = model.conic(margins, cuts, limits, leveled)
    answer = (solve_faced if on_face else solve_conic)(compiled.problem, settings)
    if answer.outcome is Outcome.INFEASIBLE and not on_face and loose is not None:
        other = model.conic(margins, cuts, loose, leveled).problem
        return answer.outcome if answer.rules_out(compiled.problem, other) else Outcome.STALLED
    if answer.outcome is not Outcome.OPTIMAL:
        return answer.outcome
    point = model.point(answer.x)
    multipliers = prices = None
    if answer.dual is not None:
        multipliers = answer.dual[compiled.rows : compiled.rows + len(limits)]
        if len(model.held):
            prices = prices_of(model, compiled, answer.dual, point.level)
    return Attempt(model, point, multipliers, prices)


class ByColumns:
    """Models of one program column by column, each starting from the solution before."""

    def __init__(self, models: Models, tolerance: float) -> None:
        self._models, self._tolerance = models, tolerance
        gain = models.data.gain
        self._rank = self._left = 0 if gain is None else gain.rank or 0
        self._stage = 0
        self._before: Earlier | None = None
        self._row_gradient: Dense | None = None
        self._inside: Start | None = None

    def sharpen(self) -> None:
        """Go on to a finer tolerance, once the gain has all its directions."""
        if self._left and self._before is not None and self._row_gradient is not None:
            more = min(self._left, -(-self._rank // _PASSES))
            self._left -= more
            self._models.spaces.share(self._before.point.K, self._row_gradient, more)
            self.changed()
            self.refined()
        else:
            self._stage += 1

    def changed(self) -> None:
        """The model has changed: solve it roughly first, and not from the same point."""
        self._stage, self._inside = min(self._stage, 1), None

    def refined(self) -> None:
        """The margins have changed a little."""
        self._inside = None
        if self._before is not None:
            self._before = replace(self._before, inside=None)

    def solve(self, model: Model, margins: Margins, cuts: Cuts, limits: Vector) -> Attempt | None:
        """The optimum, to the tolerance of the stage; None where the iterations end before."""
        program = ColumnProgram(model, margins, cuts, limits, self._models.normal)
        tolerance, gap = _STAGES[self._stage]
        if self._before is None:
            gap = 1.0 if model.data.gain is None else _GAP
        before = self._before or self._first(model, len(limits))
        start = self._inside or program.start(before, gap)
        optimum = interior_point(program.arrow, start, tolerance or self._tolerance)
        if optimum is None:
            return None
        self._inside = optimum.start
        self._before = earlier = program.earlier(optimum)
        if self._left:
            self._row_gradient = program.on_gain(optimum.dual)
        prices = None
        if len(model.held) and model.noise is not None and model.noise.prices is not None:
            weight = model.data.spread * earlier.point.level
            prices = model.noise.prices(weight, program.on_noise(optimum.dual))
        return Attempt(model, earlier.point, earlier.rows, prices, rough=tolerance is not None)

    def _first(self, model: Model, rows: int) -> Earlier:
        """Where the first model starts: at the optimum without noise, with a likely gain."""
        data = model.data
        price = _PRICE * float(np.abs(data.linear).max())
        K, level = model.start, 1.0
        budgets = np.zeros(0)
        if data.gain is not None:
            K = self._models.spaces.likely
            noisy = model.noise is not None and model.rule is None
            budgets = np.full(data.gain.owners if noisy else 0, price)
        if data.floor is not None:
            level = max(2 * data.floor, _LEVEL if data.gain is None else _LEVEL / data.gain.ratio)
        Y = level * (model.base - data.base)
        return Earlier(
            Point(self._models.near, Y, None, level, K), np.full(rows, price), budgets, None
        )


class Attempts:
    """The solves of one run, column by column as long as that goes well, then by cones.

    `on_face`: by cones at once, on the face that contains the program.
    """

    def __init__(
        self,
        models: Models,
        refine: Refinement,
        settings: Settings,
        leveled: Vector | None = None,
        *,
        on_face: bool,
    ) -> None:
        self._models, self._refine, self._settings = models, refine, settings
        self._leveled, self._on_face = leveled, on_face
        data = models.data
        at_once = on_face or isinstance(refine, Draws)
        self._columns = None if at_once else ByColumns(models, settings.tolerance)
        silent = data.noise_dimensions == 0
        roughly = data.gain is not None and not on_face and not models.plain
        self._rough = roughly and (silent or not at_once)
        self._model: Model | None = None  # of the present working set

    def solve(self, working: WorkingSet, limits: Vector, loose: Vector) -> Attempt | Outcome:
        """The optimum under the margins of the working set, or how the solver ended."""
        if self._settings.seconds_left == 0.0:
            return Outcome.TIME
        refine, models = self._refine, self._models
        cut = models.data.directions.group[refine.cuts.rows]
        groups = np.union1d(working.positions, cut)
        held = np.setdiff1d(working.held, groups)
        gain = models.data.gain
        columns = models.data.noise_dimensions + (0 if gain is None else gain.columns)
        few = len(groups) * columns <= FEW and (gain is None or gain.rank is None)
        if self._columns is not None and models.columnwise(refine.model) and not few:
            model = self._model or models.by_columns(refine, groups, held)
            if model is not None:
                self._model = model
                attempt = self._columns.solve(model, refine.model, refine.cuts, limits)
                if attempt is not None:
                    return attempt
                self._columns = self._model = None
        model = self._model or models.by_cones(refine, groups, held)
        self._model = model
        if self._rough:
            attempt = self._by_cones(model, limits, loose, self._settings.easier(_ROUGH))
            if isinstance(attempt, Attempt):
                return replace(attempt, rough=True)
            if attempt is Outcome.INFEASIBLE:
                return attempt
            self._rough = False
        return self._by_cones(model, limits, loose, self._settings)

    def _by_cones(
        self, model: Model, limits: Vector, loose: Vector, settings: Settings
    ) -> Attempt | Outcome:
        return by_cones(
            model,
            self._refine.model,
            self._refine.cuts,
            limits,
            settings,
            loose=loose,
            leveled=self._leveled,
            on_face=self._on_face,
        )

    def sharpen(self) -> None:
        """The same model to a finer tolerance."""
        if self._columns is not None:
            self._columns.sharpen()
            if self._models.data.gain is not None:
                self._model = None  # its gain may have more directions
        self._rough = False

    def changed(self) -> None:
        """The working set has changed."""
        self._model = None
        if self._columns is not None:
            self._columns.changed()

    def refined(self) -> None:
        """The margins have changed a little."""
        self._model = None
        if self._columns is not None:
            self._columns.refined()

    def freed(self) -> None:
        """What was held may have been in the way: by cones from now on."""
        self._columns = self._model = None
