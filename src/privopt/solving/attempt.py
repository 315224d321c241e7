"""One solve of a model: by cones, or under a box column by column, first roughly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.solving.boxed import BoxedProgram
from privopt.solving.compile import Cuts, Model
from privopt.solving.faces import solve_faced
from privopt.solving.interior import Start, interior_point
from privopt.solving.margins import Box, Margins
from privopt.solving.prices import prices_of
from privopt.solving.problem import Outcome
from privopt.solving.solver import Settings, solve_conic

__all__ = ["Attempt", "ByColumns", "by_cones"]

_PRICE = 0.01  # multipliers to begin with, as a part of the largest cost
_STAGES = ((3e-2, 0.3), (1e-4, 0.05), (None, 1e-3))
"""Tolerances (None for the one asked for), and the gap to start from beside an earlier solution."""


@dataclass(frozen=True, repr=False, eq=False)
class Attempt:
    """An optimum of a model: z and Y, its value, and what holds it there.

    `multipliers` are those of the rows, `prices` the gradient at the held rows of Z; None where the
    solver gave none. `rough` solutions only tell which rows matter.
    """

    z: Vector
    Y: Dense
    value: float
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
    """The model as a conic program; with `on_face`, on the face of the cones that holds it.

    INFEASIBLE only where the certificate holds for `loose` limits, too.
    """
    compiled = model.conic(margins, cuts, limits)
    answer = (solve_faced if on_face else solve_conic)(compiled.problem, settings)
    if answer.outcome is Outcome.INFEASIBLE and not on_face and loose is not None:
        other = model.conic(margins, cuts, loose).problem
        return answer.outcome if answer.rules_out(compiled.problem, other) else Outcome.STALLED
    if answer.outcome is not Outcome.OPTIMAL:
        return answer.outcome
    multipliers = prices = None
    if answer.dual is not None:
        multipliers = answer.dual[compiled.rows : compiled.rows + len(limits)]
        if len(model.held):
            prices = prices_of(model, compiled, answer.x, answer.dual)
    z, Y = model.split(compiled.held.point(answer.x))
    return Attempt(z, Y, compiled.held.value(answer.x), multipliers, prices)


class ByColumns:
    """Models made of answers under one box, each starting from the solution before.

    While the working set still changes, a rough solution shows as well which rows are missing.
    """

    def __init__(self, box: Box, limits: Vector, near: Vector, tolerance: float) -> None:
        self._box, self._limits, self._near, self._tolerance = box, limits, near, tolerance
        self._stage = 0
        self._before: Attempt | None = None
        self._inside: Start | None = None
        self._y: Vector | None = None

    def sharpen(self) -> None:
        """Go on to a finer tolerance, from where the same model was left."""
        self._stage += 1

    def changed(self) -> None:
        """The model is another one: roughly again, and not from the same point."""
        self._stage, self._inside = min(self._stage, 1), None

    def solve(self, model: Model) -> Attempt | None:
        """The optimum, to the tolerance of the stage; None where the iterations end before."""
        program = BoxedProgram(model, self._box, self._limits)
        given, gap = _STAGES[self._stage]
        start = self._inside or self._start(model, program, gap)
        found = interior_point(program.arrow, start, given or self._tolerance)
        if found is None:
            return None
        z, N = program.split(found.x)
        prices = None
        if len(model.held) and model.space.prices is not None:
            prices = model.space.prices(model.spread, program.acting(found.dual))
        multipliers = program.multipliers(found.dual)
        rough = given is not None
        self._inside, self._y = found.start, found.y
        self._before = Attempt(z, model.space.lift(N), found.value, multipliers, prices, rough)
        return self._before

    def _start(self, model: Model, program: BoxedProgram, gap: float) -> Start:
        before = self._before
        if before is None or before.multipliers is None:
            price = _PRICE * float(np.abs(program.arrow.q).max())
            start = np.full(len(self._limits), price)
            return program.start(self._near, model.fixed, start, 1.0)
        D = model.data.directions.D[model.working]
        V = np.asarray(D @ (model.data.base + before.Y))
        return program.start(before.z, V, before.multipliers, gap, self._y)
