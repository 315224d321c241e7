"""Models of a program: in whatever form, the optimum is that of the model as written down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg as la
from tests.cases import convex
from tests.reference.plain import random_program

import privopt as po
from privopt.arrays import Vector
from privopt.model.objective import Objective
from privopt.solving.attempt import Attempt, ByColumns, by_cones
from privopt.solving.compile import Model
from privopt.solving.directions import Positions
from privopt.solving.margins import Cuboid, Cuts, Margins
from privopt.solving.models import Models
from privopt.solving.noisy import NoisyProgram
from privopt.solving.refinement import Fixed
from privopt.solving.solver import Settings

N, P = 9, 2
COSTS: dict[str, Callable[[int], Vector]] = {
    "definite": np.ones,
    "of some variables": lambda n: 1.0 * (np.arange(n) % 2 == 1),  # enough for what is left free
    "of few variables": lambda n: 1.0 * (np.arange(n) % 3 == 1),  # too few for that
    "linear": np.zeros,
}


def made(
    cost: str = "definite",
    objective: Objective | None = None,
    still: Any = None,
    n: int = N,
    p: int = P,
) -> NoisyProgram:
    """A program whose cost is definite, or leaves variables without one."""
    data = random_program(4, n=n, equalities=3, rows=8, p=p)
    weight = COSTS[cost](n)
    data["C2"] = weight[:, None] * (data["C2"] + 0.02 * np.eye(n)) * weight
    data["b"] = data["b"] - 0.4  # so that some rows bind
    program, near = convex(data), convex(data).solve().z
    S = po.Linear(data["S"]).matrix(program)
    more: dict[str, Any] = {"objective": objective, "still": still}
    noise = po.Laplace(epsilon=1.0, alpha=0.1).calibrate(p, 0.1)
    return NoisyProgram(program, S, noise, Settings(), near, **more)


def margins_of(kind: str, chance: NoisyProgram) -> Margins:
    if kind == "box":
        return Margins(box=Cuboid(np.array([-2.0, -1.0]), np.array([1.0, 2.0])))
    return Margins(deviations=np.full(chance.rows, 2.0))


def both(chance: NoisyProgram) -> tuple[Models, Models]:
    """Models of a program, and those of it as it is written down."""
    models = chance.engine.models
    return models, Models(models.data, models.near, plain=True)


def model_of(
    models: Models, chance: NoisyProgram, margins: Margins, held: Positions | None = None
) -> Model:
    every = np.arange(len(models.data.directions.lead))
    none = every[:0] if held is None else held
    refine = Fixed(margins, models.data.noise_dimensions, chance.limits, 1.0)
    return models.by_cones(refine, np.setdiff1d(every, none), none)


def optimum(model: Model, chance: NoisyProgram, margins: Margins) -> tuple[float, Attempt]:
    found = by_cones(
        model, margins, Cuts.none(model.data.noise_dimensions), chance.limits, Settings()
    )
    assert isinstance(found, Attempt)
    Y = found.point.Y if found.point.R is None else found.point.Y @ found.point.R
    assert np.abs(model.data.C @ Y).max(initial=0.0) <= 1e-6
    return model.data.value(found.point), found


def optimum_by_columns(models: Models, chance: NoisyProgram, margins: Margins) -> float:
    data, box = models.data, margins.box
    assert box is not None
    every = np.flatnonzero(models.movable)
    refine = Fixed(margins, data.noise_dimensions, chance.limits, 1.0)
    model = models.by_columns(refine, every, every[:0])
    assert model is not None
    columns, found = ByColumns(models, 1e-9), None
    for _ in range(3):
        found = columns.solve(model, box, chance.limits)
        columns.sharpen()
    assert found is not None
    return data.value(found.point)


OBJECTIVES: dict[str, Objective | None] = {
    "expected": None,
    "solution": po.SolutionDeviation(phi=0.4),
    "published": po.SolutionDeviation(phi=0.4, published=True),
}


@pytest.mark.parametrize(
    ("cost", "objective"),
    [*((cost, "expected") for cost in COSTS), ("definite", "solution"), ("linear", "published")],
)
@pytest.mark.parametrize("kind", ["norms", "box"])
def test_a_plan_has_the_optimum_of_the_model_as_written(
    cost: str, kind: str, objective: str
) -> None:
    chance = made(cost, OBJECTIVES[objective])
    margins, (models, plain) = margins_of(kind, chance), both(chance)
    free = la.null_space(chance.scaled.C.toarray())
    curved = np.linalg.eigvalsh(free.T @ (chance.scaled.quadratic @ free))[0] > 1e-6
    assert models.by_answers == curved
    assert not plain.by_answers
    short, written = (model_of(one, chance, margins) for one in (models, plain))
    best, _ = optimum(written, chance, margins)
    assert optimum(short, chance, margins)[0] == pytest.approx(best, rel=1e-6)
    if margins.box is not None and models.columnwise(margins.box):
        assert curved
        assert objective == "expected"
        assert optimum_by_columns(models, chance, margins) == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("cost", COSTS)
def test_each_reduction_alone_has_the_optimum_of_what_it_accepts(cost: str) -> None:
    chance = made(cost)
    models, margins = chance.engine.models, margins_of("norms", chance)
    refine, written = Fixed(margins, P, chance.limits, 1.0), Model.plain(models.data)
    best, _ = optimum(written, chance, margins)
    names = [type(reduction).__name__ for reduction in models.reductions]
    assert names == ["LowRank", *(["Responses"] * models.by_answers)]
    for reduction in models.reductions:
        assert reduction.accepts(written, refine)
        value, _ = optimum(reduction.apply(written), chance, margins)
        assert value == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("cost", ["definite", "linear"])
def test_few_rows_with_a_margin_need_few_noise_dimensions(cost: str) -> None:
    """Three of 17, for two directions and a variable that is held: the optimum is the same."""
    chance = made(cost, n=22, p=17)
    models, factors = chance.engine.models, np.zeros(chance.rows)
    ways, single = models.data.directions, np.diff(models.data.directions.D.indptr) == 1
    working = np.flatnonzero(~single & models.movable)[[0, 3]]
    held = np.flatnonzero(single & models.movable)[:1]
    factors[np.isin(ways.group, working)] = 2.0
    margins, still = Margins(deviations=factors), np.zeros((22, 17), dtype=bool)
    model = models.by_cones(Fixed(margins, 17, chance.limits, 1.0), working, held)
    assert model.rank == 3
    still[ways.columns(held)] = True
    zeros = made(cost, still=still, n=22, p=17)
    best, _ = optimum(model_of(both(zeros)[1], zeros, margins), zeros, margins)
    value, found = optimum(model, chance, margins)
    assert value / chance.scaling.kappa == pytest.approx(best / zeros.scaling.kappa, rel=1e-6)
    assert found.point.R is not None
    Z = found.point.Y @ found.point.R + models.data.base
    assert np.abs(Z[still]).max() <= 1e-6


@pytest.mark.parametrize("kind", ["norms", "box"])
@pytest.mark.parametrize("cost", ["definite", "of few variables"])
def test_held_variables_leave_the_noise_to_others(cost: str, kind: str) -> None:
    """As in the program whose recourse has zeros there, as it is written down."""
    chance = made(cost)
    models, ways = chance.engine.models, chance.scaled.directions
    single = np.flatnonzero((np.diff(ways.D.indptr) == 1) & models.movable)[[0, 2]]
    still = np.zeros((N, P), dtype=bool)
    still[ways.columns(single)] = True
    margins = margins_of(kind, chance)
    value, found = optimum(model_of(models, chance, margins, single), chance, margins)
    Z = found.point.Y if found.point.R is None else found.point.Y @ found.point.R
    Z = Z + models.data.base
    assert np.abs(Z[ways.columns(single)]).max() <= 1e-6
    zeros = made(cost, still=still)
    best, _ = optimum(model_of(both(zeros)[1], zeros, margins), zeros, margins)
    assert value / chance.scaling.kappa == pytest.approx(best / zeros.scaling.kappa, rel=1e-6)


@pytest.mark.parametrize("cost", COSTS)
def test_a_row_moves_if_some_change_of_the_recourse_moves_it(cost: str) -> None:
    """By the null space of [G; S]: the rows of what is released stay where they are."""
    chance = made(cost)
    data = chance.scaled
    free = la.null_space(data.C.toarray())
    wanted = np.abs(np.asarray(data.directions.D @ free)).max(axis=1) > 1e-9
    assert chance.engine.models.movable.tolist() == wanted.tolist()
    assert 0 < wanted.sum() < len(wanted)
