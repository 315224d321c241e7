"""One solve of a model: multipliers that tell what a limit is worth, ends that are told apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.cases import convex
from tests.reference.plain import random_program
from tests.solving.test_compile import chance_of
from tests.solving.test_models import made, margins_of

import privopt as po
from privopt.arrays import Vector
from privopt.solving.attempt import Attempt, Attempts, ByColumns, by_cones
from privopt.solving.compile import Model
from privopt.solving.interior import interior_point
from privopt.solving.margins import Cuts, Margins
from privopt.solving.noisy import NoisyProgram
from privopt.solving.problem import ConicAnswer, Outcome
from privopt.solving.refinement import Draws, Fixed
from privopt.solving.solver import Settings
from privopt.solving.working import WorkingSet


def solved(chance: NoisyProgram, margins: Margins, limits: Vector) -> tuple[float, Attempt]:
    """The optimum of the model as it is written down, by cones."""
    cuts, model = Cuts.none(chance.noise_dimensions), Model.plain(chance.scaled)
    found = by_cones(model, margins, cuts, limits, Settings())
    assert isinstance(found, Attempt)
    return chance.scaled.value(found.point), found


@pytest.mark.parametrize("kind", ["norms", "box"])
def test_a_multiplier_is_what_a_little_more_room_is_worth(kind: str) -> None:
    """By cones and by columns; by differences of the optimum, on both sides."""
    chance = made()
    margins, step = margins_of(kind, chance), 1e-4
    _, found = solved(chance, margins, chance.limits)
    assert found.multipliers is not None
    dearest = np.argsort(-found.multipliers)[:3]
    assert found.multipliers[dearest[-1]] > 1e-3
    for i in [*dearest, int(np.argmin(found.multipliers))]:
        room = step * np.eye(chance.rows)[i]
        up, down = (solved(chance, margins, chance.limits + s * room)[0] for s in (1, -1))
        slope = (down - up) / (2 * step)
        assert found.multipliers[i] == pytest.approx(slope, rel=1e-2, abs=1e-5)
    if kind == "box":
        rows = sharp(chance, margins).multipliers
        assert rows is not None
        assert rows == pytest.approx(found.multipliers, abs=1e-5)


def sharp(chance: NoisyProgram, margins: Margins) -> Attempt:
    """The end of the stages, column by column."""
    box = margins.box
    assert box is not None
    models = chance.engine.models
    every, p = np.flatnonzero(models.movable), models.data.noise_dimensions
    ways, limits = models.data.directions, chance.limits
    still = np.flatnonzero(~models.movable[ways.group])  # margins that are numbers
    a = (models.data.nu * ways.factor[still])[:, None] * models.data.base_rows[ways.group[still]]
    limits = limits.copy()
    limits[still] -= margins.value(a, chance.unit_deviation, still)
    model = models.by_columns(Fixed(margins, p, limits, 1.0), every, every[:0])
    assert model is not None
    columns, values = ByColumns(models, 1e-9), list[float]()
    while True:
        found = columns.solve(model, box, limits)
        assert found is not None
        values.append(models.data.value(found.point))
        if not found.rough:
            break
        columns.sharpen()
    # Each stage is nearer to the last one than the one before.
    left = np.abs(np.array(values[:-1]) - values[-1])
    assert (np.diff(left) < 0).all()
    columns.changed()  # another working set: roughly again
    again = columns.solve(model, box, limits)
    assert again is not None
    assert again.rough
    return found


@pytest.mark.parametrize(
    ("loose", "wanted"), [(0.0, Outcome.INFEASIBLE), (9.0, Outcome.STALLED), (None, None)]
)
def test_infeasible_is_what_is_so_for_loose_limits_too(
    loose: float | None, wanted: Outcome | None
) -> None:
    """What only tightened limits rule out is not ruled out."""
    data = random_program(0, n=6, equalities=2, rows=4, p=1)
    chance = chance_of(convex(data), po.Linear(data["S"]))
    margins = Margins(deviations=np.full(chance.rows, 1.0))
    tight = chance.limits - 9.0 * np.abs(chance.limits).max()
    others = None if loose is None else tight + loose * np.abs(chance.limits).max()
    cuts, model = Cuts.none(1), Model.plain(chance.scaled)
    found = by_cones(model, margins, cuts, tight, Settings(), loose=others)
    assert found is (wanted or Outcome.INFEASIBLE)


def test_a_program_without_a_point_inside_is_solved_on_its_face(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """x + y = 1 with x <= 1 and y <= 0: x = 1, y = 0 is all there is. w is free, and noisy."""
    program = po.ConvexProgram(
        linear=[0, 0, 1.0], quadratic=[0.1, 0.1, 1], A=[[1, 0, 0], [0, 1, 0], [0, 0, -1]],
        b=[1, 0, 2], G=[[1, 1, 0]], d=[1],
    )  # fmt: skip
    chance = chance_of(program, po.Identity([2]))
    margins = Margins(deviations=np.full(3, 1.0))
    cuts, model = Cuts.none(1), Model.plain(chance.scaled)
    stalled = ConicAnswer(Outcome.STALLED, np.zeros(0))
    monkeypatch.setattr("privopt.solving.attempt.solve_conic", lambda *_: stalled)
    assert by_cones(model, margins, cuts, chance.limits, Settings()) is Outcome.STALLED
    found = by_cones(model, margins, cuts, chance.limits, Settings(), on_face=True)
    assert isinstance(found, Attempt)
    activity = chance.scaled.A @ found.point.z
    assert activity[0] / chance.limits[0] == pytest.approx(1.0, abs=1e-7)  # x
    assert activity[1] == pytest.approx(0.0, abs=1e-7)  # y
    assert activity[2] / chance.limits[2] == pytest.approx(0.25, abs=1e-5)  # w + w^2 is least


def run(chance: NoisyProgram, refine: Any, settings: Settings, **more: Any) -> Attempts:
    return Attempts(chance.engine.models, refine, settings, on_face=False, **more)


def working_of(chance: NoisyProgram) -> WorkingSet:
    working = WorkingSet(chance.scaled.directions, chance.engine.models.movable)
    working.put_all()
    return working


def sharpened(chance: NoisyProgram, attempts: Attempts) -> float:
    """The value in the end."""
    while True:
        found = attempts.solve(working_of(chance), chance.limits, chance.limits)
        assert isinstance(found, Attempt)
        if not found.rough:
            return chance.scaled.value(found.point)
        attempts.sharpen()


@pytest.mark.parametrize("way", ["columns", "columns that fail", "cones"])
def test_where_columns_fail_cones_go_on(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimum is the same, and columns are not tried again."""
    chance = made()
    margins, calls = margins_of("box", chance), list[int]()

    def counted(*given: Any) -> Any:
        calls.append(1)
        return None if way == "columns that fail" else interior_point(*given)

    monkeypatch.setattr("privopt.solving.attempt.interior_point", counted)
    monkeypatch.setattr("privopt.solving.attempt.FEW", 0)  # else so small a plan has none
    attempts = run(chance, Fixed(margins, 2, chance.limits, 1.0), Settings())
    if way == "cones":
        attempts.freed()  # what was held may be in the way
    value = sharpened(chance, attempts)
    attempts.changed()
    assert sharpened(chance, attempts) == pytest.approx(value, rel=1e-7)
    assert len(calls) >= 2 if way == "columns" else len(calls) == (way != "cones")
    assert value == pytest.approx(solved(chance, margins, chance.limits)[0], rel=1e-7)


def test_cuts_are_kept_beside_the_working_rows() -> None:
    """A direction with a cut is in the model though no margin asked for it."""
    chance = made()
    limits, draws = chance.limits, np.array([[3.0, -1.0], [-2.0, 2.0]])
    refine = Draws(draws, np.zeros(chance.rows))
    coupling = np.flatnonzero(np.diff(chance.scaled.A.indptr) > 1)
    refine.cuts = refine.cuts.more(np.repeat(coupling, 2), np.tile(draws, (len(coupling), 1)))
    empty = WorkingSet(chance.scaled.directions, chance.engine.models.movable)
    found = run(chance, refine, Settings()).solve(empty, limits, limits)
    assert isinstance(found, Attempt)
    point, data = found.point, chance.scaled
    Z = data.base + (point.Y if point.R is None else point.Y @ point.R)
    a = data.nu * np.asarray(data.A @ Z)[coupling]
    worst = (a @ draws.T).max(axis=1)
    assert ((data.A @ point.z)[coupling] + worst <= limits[coupling] + 1e-7).all()
    assert ((data.A @ point.z) <= limits + 1e-7).all()


def test_no_time_is_no_solve() -> None:
    chance = made()
    now = [0.0]
    settings = Settings(time_limit=5.0).started(lambda: now[0])
    refine = Fixed(margins_of("box", chance), 2, chance.limits, 1.0)
    attempts = run(chance, refine, settings)
    assert isinstance(attempts.solve(working_of(chance), chance.limits, chance.limits), Attempt)
    now[0] = 5.0
    found = attempts.solve(working_of(chance), chance.limits, chance.limits)
    assert found is Outcome.TIME
