"""The affine model column by column: Newton steps, and the optimum of the conic program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.cases import network_chance

import privopt as po
from privopt.arrays import Vector
from privopt.mechanisms.private_data import PrivateData
from privopt.solving.arrow import Arrow
from privopt.solving.attempt import Attempt, ByColumns, by_cones
from privopt.solving.column_program import ColumnProgram
from privopt.solving.compile import Model
from privopt.solving.cones import Weights
from privopt.solving.margins import Cuboid, Cuts, Margins
from privopt.solving.noisy import NoisyProgram
from privopt.solving.refinement import Fixed
from privopt.solving.solver import Settings


def design_program(name: str, *, silent: bool = False, **asked: Any) -> NoisyProgram:
    """The program of a policy for the paper's instance of a network."""
    one = po.experiments.instance(name, 0)
    program, S = one.program, one.query.matrix(one.program)
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    lower, upper = one.domain.ends(len(program.private))
    data = PrivateData.of(program, lower, upper, None, None)
    fidelity = asked.pop("fidelity", 0.0)
    answers = data.answers(S, Settings()) if fidelity else None
    floor, rank = asked.pop("floor", 0.0), asked.pop("rank", None)
    W = asked.pop("measure", None)
    spec = data.specification(noise, floor, fidelity, answers, rank, silent=silent, measure=W)
    near = program.solve(d=data.middle).z
    unit = noise.calibrate(S.shape[0] if W is None else len(W), 0.1)
    return NoisyProgram(program, S, unit, Settings(), near, asked=spec)


def held_model(name: str, *, holding: bool = True) -> tuple[NoisyProgram, Model]:
    """A model of answers to a random working set of a plan, some rows of Z held at zero."""
    chance = network_chance(name)
    models, rng = chance.engine.models, np.random.default_rng(1)
    data = chance.scaled
    single = np.diff(data.directions.D.indptr) == 1
    held = np.flatnonzero(single & models.movable)[:3] if holding else np.zeros(0, dtype=np.intp)
    free = np.setdiff1d(np.flatnonzero(models.movable), held)
    working = np.sort(rng.choice(free, min(9, len(free)), replace=False))
    p = data.noise_dimensions
    refine = Fixed(Margins(box=Cuboid(-np.ones(p), np.ones(p))), p, chance.limits, 1.0)
    model = models.by_columns(refine, working, held)
    assert model is not None
    return chance, model


def box_of(p: int, *, lopsided: bool) -> Cuboid:
    rng = np.random.default_rng(2)
    high = rng.uniform(0.5, 1.5, p)
    return Cuboid(-high - (rng.uniform(0, 0.5, p) if lopsided else 0.0), high)


def margins_of(kind: str, rows: int, p: int) -> Margins:
    rng = np.random.default_rng(2)
    if kind == "box":
        half = rng.uniform(0.5, 1.5, p)
        return Margins(box=Cuboid(-half, 1.2 * half))
    tilt = 0.1 * rng.normal(size=(rows, p)) if kind == "tilt" else None
    return Margins(deviations=np.full(rows, 2.9), tilt=tilt)


def inside(rng: np.random.Generator, count: int, cones: tuple[int, int]) -> Vector:
    found = np.exp(rng.uniform(-3, 3, count))
    if cones[0]:
        part = found[count - cones[0] * cones[1] :].reshape(cones)
        part[:] = rng.normal(size=cones)
        part[:, 0] = np.linalg.norm(part[:, 1:], axis=1) * (1 + np.exp(rng.uniform(-6, 1)))
    return found


def check_newton(arrow: Arrow) -> None:
    """Operators and their transposes agree, and Newton steps solve their equations."""
    rng = np.random.default_rng(0)
    x, dual = rng.normal(size=len(arrow.q)), rng.normal(size=len(arrow.b))
    assert arrow.rows(x) @ dual == pytest.approx(arrow.rows_transposed(dual) @ x)
    e = rng.normal(size=len(arrow.d))
    assert arrow.equalities(x) @ e == pytest.approx(arrow.equalities_transposed(e) @ x)
    s, y = (inside(rng, len(dual), arrow.cones) for _ in range(2))
    weights = Weights(s, y, arrow.cones)
    f, g, h = rng.normal(size=len(x)), arrow.equalities(x), rng.normal(size=len(dual))
    dx, dy, dl = arrow.newton(weights)(f, g, h)
    left = arrow.quadratic(dx) + arrow.equalities_transposed(dy) + arrow.rows_transposed(dl) - f
    assert np.abs(left).max() <= 1e-8
    assert np.abs(arrow.equalities(dx) - g).max() <= 1e-9
    assert np.abs(arrow.rows(dx) - weights.squared(dl) - h).max() <= 1e-7


@pytest.mark.parametrize("rank", [None, 2])
@pytest.mark.parametrize("kind", ["round", "tilt", "box", "silent"])
def test_newton_steps_of_policies_solve_their_equations(kind: str, rank: int | None) -> None:
    made = design_program("14_ieee", silent=kind == "silent", rank=rank)
    data, rng, models = made.scaled, np.random.default_rng(0), made.engine.models
    working = np.sort(rng.choice(data.directions.D.shape[0], 8, replace=False))
    cuts = Cuts.none(data.noise_dimensions)
    if kind == "tilt":
        rows = np.flatnonzero(np.isin(data.directions.group, working))[:3]
        cuts = cuts.more(rows, rng.normal(size=(3, data.noise_dimensions)))
    margins = margins_of(kind, data.A.shape[0], data.noise_dimensions)
    refine = Fixed(margins, data.noise_dimensions, made.limits, 1.0)
    model = models.by_columns(refine, working, working[:0])
    assert model is not None
    check_newton(ColumnProgram(model, margins, cuts, made.limits, models.normal).arrow)


@pytest.mark.parametrize("lopsided", [False, True])
@pytest.mark.parametrize("name", ["14_ieee", "39_epri"])
def test_newton_steps_of_plans_solve_their_equations(name: str, lopsided: bool) -> None:
    chance, model = held_model(name)
    p = model.data.noise_dimensions
    margins = Margins(box=box_of(p, lopsided=lopsided))
    limits, normal = np.ones(len(chance.limits)), chance.engine.models.normal
    check_newton(ColumnProgram(model, margins, Cuts.none(p), limits, normal).arrow)


def sharp(made: NoisyProgram, model: Model, margins: Margins) -> tuple[Attempt, Attempt]:
    """The optimum of a model column by column, sharpened, and by cones."""
    columns, cuts = ByColumns(made.engine.models, 1e-9), Cuts.none(model.data.noise_dimensions)
    rough = columns.solve(model, margins, cuts, made.limits)
    assert rough is not None
    assert rough.rough
    columns.sharpen()
    columns.sharpen()
    found = columns.solve(model, margins, cuts, made.limits)
    assert found is not None
    assert not found.rough
    other = model
    if model.gain is not None:
        refine = Fixed(margins, model.data.noise_dimensions, made.limits, 1.0)
        other = made.engine.models.by_cones(refine, model.working, model.held)
    known = by_cones(other, margins, cuts, made.limits, Settings())
    assert isinstance(known, Attempt)
    value = model.data.value
    assert value(found.point) == pytest.approx(value(known.point), rel=1e-7)
    return found, known


@pytest.mark.parametrize("fidelity", [0.0, 3.0])
@pytest.mark.parametrize("kind", ["round", "tilt", "box", "silent"])
def test_the_optimum_of_a_policy_is_that_of_the_cones(kind: str, fidelity: float) -> None:
    made = design_program("14_ieee", silent=kind == "silent", fidelity=fidelity, floor=0.1)
    data, models = made.scaled, made.engine.models
    margins = margins_of(kind, data.A.shape[0], data.noise_dimensions)
    every = np.arange(data.directions.D.shape[0])
    refine = Fixed(margins, data.noise_dimensions, made.limits, 1.0)
    model = models.by_columns(refine, every, every[:0])
    assert model is not None
    found, known = sharp(made, model, margins)
    assert np.abs(found.point.z - known.point.z).max() <= 1e-3
    assert found.point.level == pytest.approx(known.point.level, abs=1e-4)


@pytest.mark.long
@pytest.mark.parametrize("sums", [1, 3])
@pytest.mark.parametrize("fidelity", [0.0, 3.0])
@pytest.mark.parametrize("kind", ["round", "tilt", "box"])
def test_the_optimum_of_an_affine_rule_is_that_of_the_cones(
    kind: str, fidelity: float, sums: int
) -> None:
    W = np.random.default_rng(1).uniform(0.5, 1.0, (sums, 14))
    made = design_program("14_ieee", fidelity=fidelity, measure=W)
    data, models = made.scaled, made.engine.models
    margins = margins_of(kind, data.A.shape[0], sums)
    every = np.arange(data.directions.D.shape[0])
    refine = Fixed(margins, sums, made.limits, 1.0)
    model = models.by_columns(refine, every, every[:0])
    assert model is not None
    assert model.rule is not None
    assert models.columnwise(margins)
    check_newton(ColumnProgram(model, margins, Cuts.none(sums), made.limits, models.normal).arrow)
    found, known = sharp(made, model, margins)
    assert np.abs(found.point.z - known.point.z).max() <= 1e-3
    assert np.abs(found.point.Y - known.point.Y).max() <= 1e-3


@pytest.mark.parametrize("lopsided", [False, True])
@pytest.mark.parametrize("holding", [False, True])
@pytest.mark.parametrize("name", ["14_ieee", "39_epri"])
def test_the_optimum_of_a_plan_is_that_of_the_cones(
    name: str, holding: bool, lopsided: bool
) -> None:
    chance, model = held_model(name, holding=holding)
    margins = Margins(box=box_of(model.data.noise_dimensions, lopsided=lopsided))
    found, known = sharp(chance, model, margins)
    assert np.abs(found.point.z - known.point.z).max() <= 1e-4
    assert found.multipliers is not None
    assert known.multipliers is not None
    assert np.abs(found.multipliers - known.multipliers).max() <= 1e-5
    assert (found.prices is None) == (not holding)
    if found.prices is not None and known.prices is not None:
        size = np.abs(known.prices).max()
        assert np.abs(found.prices - known.prices).max() <= 1e-3 * size


def test_linear_costs_too() -> None:
    """No cost to whiten a basis with: the optimum is that of the cones all the same."""
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0, 1.5], G=[[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0]], d=None,
        lower=0.0, upper=5.0,
    )  # fmt: skip
    parts = program, po.Identity([0]), po.Laplace(epsilon=1.0, alpha=0.1), po.ExactBox(eta=0.1)
    policy = po.design(*parts, domain=po.Box(1.0, 2.0), floor=0.5)
    assert policy.residual <= 1e-8
    assert policy.cost == pytest.approx(3.3075647, rel=1e-6)  # that of the conic program
