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
from privopt.solving.margins import Cuboid, Cuts, Margins
from privopt.solving.models import Models
from privopt.solving.prices import prices_of
from privopt.solving.problem import Outcome
from privopt.solving.refinement import Draws, Refinement
from privopt.solving.scaled import Point
from privopt.solving.solver import Settings, solve_conic
from privopt.solving.working import WorkingSet

__all__ = ["Attempt", "Attempts", "ByColumns", "by_cones"]

_PRICE = 0.01  # multipliers to begin with, as a part of the largest cost
_GAP = 1.0  # and the gap
_STAGES = ((3e-2, 0.3), (1e-4, 0.05), (None, 1e-3))
"""Tolerances (None: that of the settings), and the gap to start from near an earlier solution."""
FEW = 400  # values of the recourse up to which cones are faster


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
    on_face: bool = False,
) -> Attempt | Outcome:
    """The model as a conic program; with `on_face`, on the face of the cones that contains it.

    INFEASIBLE only where the certificate holds for `loose` limits, too.
    """
    compiled = model.conic(margins, cuts, limits)
    answer = (solve_faced if on_face else solve_conic)(compiled.problem, settings)
    if answer.outcome is Outcome.INFEASIBLE and not on_face and loose is not None:
        other = model.conic(margins, cuts, loose).problem
        return answer.outcome if answer.rules_out(compiled.problem, other) else Outcome.STALLED
    if answer.outcome is not Outcome.OPTIMAL:
        return answer.outcome
    point = model.point(answer.x)
    multipliers = prices = None
    if answer.dual is not None:
        multipliers = answer.dual[compiled.rows : compiled.rows + len(limits)]
        if len(model.held):
            prices = prices_of(model, compiled, answer.dual)
    return Attempt(model, point, multipliers, prices)


class ByColumns:
    """Models of one program column by column, each starting from the solution before."""

    def __init__(self, models: Models, tolerance: float) -> None:
        self._models, self._tolerance = models, tolerance
        self._stage = 0
        self._before: Earlier | None = None
        self._inside: Start | None = None

    def sharpen(self) -> None:
        """Go on to a finer tolerance."""
        self._stage += 1

    def changed(self) -> None:
        """The model has changed: solve it roughly first, and not from the same point."""
        self._stage, self._inside = min(self._stage, 1), None

    def refined(self) -> None:
        """The margins have changed a little."""
        self._inside = None
        if self._before is not None:
            self._before = replace(self._before, inside=None)

    def solve(self, model: Model, box: Cuboid, limits: Vector) -> Attempt | None:
        """The optimum, to the tolerance of the stage; None where the iterations end before."""
        program = ColumnProgram(model, box, limits)
        tolerance, gap = _STAGES[self._stage]
        if self._before is None:
            gap = _GAP
        before = self._before or self._first(model, len(limits))
        start = self._inside or program.start(before, gap)
        optimum = interior_point(program.arrow, start, tolerance or self._tolerance)
        if optimum is None:
            return None
        self._inside = optimum.start
        self._before = earlier = program.earlier(optimum)
        prices = None
        if len(model.held) and model.noise.prices is not None:
            prices = model.noise.prices(model.data.spread, program.on_noise(optimum.dual))
        return Attempt(model, earlier.point, earlier.rows, prices, rough=tolerance is not None)

    def _first(self, model: Model, rows: int) -> Earlier:
        """Where the first model starts: at the optimum without noise."""
        data = model.data
        price = _PRICE * float(np.abs(data.linear).max())
        point = Point(self._models.near, model.base - data.base, None)
        return Earlier(point, np.full(rows, price), None)


class Attempts:
    """The solves of one run, column by column as long as that goes well, then by cones.

    `on_face`: by cones at once, on the face that contains the program.
    """

    def __init__(
        self,
        models: Models,
        refine: Refinement,
        settings: Settings,
        *,
        on_face: bool,
    ) -> None:
        self._models, self._refine, self._settings = models, refine, settings
        self._on_face = on_face
        at_once = on_face or isinstance(refine, Draws)
        self._columns = None if at_once else ByColumns(models, settings.tolerance)
        self._model: Model | None = None  # of the present working set

    def solve(self, working: WorkingSet, limits: Vector, loose: Vector) -> Attempt | Outcome:
        """The optimum under the margins of the working set, or how the solver ended."""
        if self._settings.seconds_left == 0.0:
            return Outcome.TIME
        refine, models = self._refine, self._models
        cut = models.data.directions.group[refine.cuts.rows]
        groups = np.union1d(working.positions, cut)
        held = np.setdiff1d(working.held, groups)
        few = len(groups) * models.data.noise_dimensions <= FEW
        box = refine.model.box
        if box is not None and self._columns is not None and models.columnwise(box) and not few:
            model = self._model or models.by_columns(refine, groups, held)
            if model is not None:
                self._model = model
                attempt = self._columns.solve(model, box, limits)
                if attempt is not None:
                    return attempt
                self._columns = self._model = None
        model = self._model or models.by_cones(refine, groups, held)
        self._model = model
        return by_cones(
            model,
            refine.model,
            refine.cuts,
            limits,
            self._settings,
            loose=loose,
            on_face=self._on_face,
        )

    def sharpen(self) -> None:
        """The same model to a finer tolerance."""
        if self._columns is not None:
            self._columns.sharpen()

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
