"""Boxes column by column: the same Newton steps, optimum, multipliers and prices as by cones."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import network_chance

from privopt.solving.attempt import Attempt, ByColumns, by_cones
from privopt.solving.boxed import BoxedProgram
from privopt.solving.compile import Cuts, Model
from privopt.solving.cones import Weights
from privopt.solving.engine import Engine
from privopt.solving.margins import Box, Margins
from privopt.solving.response import Response
from privopt.solving.scaled import watched
from privopt.solving.solver import Settings


def engine_and_model(name: str, *, holding: bool = True) -> tuple[Engine, Model]:
    """A model of answers to a random working set, some rows of Z held at zero."""
    engine = network_chance(name)._usual
    data, rng = engine._data, np.random.default_rng(1)
    single = np.diff(data.directions.D.indptr) == 1
    held = np.flatnonzero(single & engine.movable)[:3] if holding else np.zeros(0, dtype=np.intp)
    free = np.setdiff1d(np.flatnonzero(engine.movable), held)
    working = np.sort(rng.choice(free, min(9, len(free)), replace=False))
    response = Response(data.C, data.quadratic, data.directions.columns(held))
    space = response.space(watched(data, working), data.base)
    return engine, Model(data, working, held, space, None)


def box_of(p: int, *, lopsided: bool) -> Box:
    rng = np.random.default_rng(2)
    high = rng.uniform(0.5, 1.5, p)
    return Box(-high - (rng.uniform(0, 0.5, p) if lopsided else 0.0), high)


@pytest.mark.parametrize("lopsided", [False, True])
@pytest.mark.parametrize("name", ["14_ieee", "39_epri"])
def test_newton_steps_solve_their_equations(name: str, lopsided: bool) -> None:
    _, model = engine_and_model(name)
    box = box_of(model.data.noise_dimensions, lopsided=lopsided)
    program = BoxedProgram(model, box, np.ones(model.data.A.shape[0])).arrow
    rng = np.random.default_rng(0)
    x, dual = rng.normal(size=len(program.q)), rng.normal(size=len(program.b))
    assert program.rows(x) @ dual == pytest.approx(program.rows_transposed(dual) @ x)
    y = rng.normal(size=len(program.d))
    assert program.equalities(x) @ y == pytest.approx(program.equalities_transposed(y) @ x)
    weights = Weights.of(np.exp(rng.uniform(-4, 4, len(dual))), np.ones(0), np.zeros((0, 1)))
    f, g, h = rng.normal(size=len(program.q)), program.equalities(x), rng.normal(size=len(dual))
    dx, dy, dl = program.newton(weights)(f, g, h)
    left = (
        program.quadratic(dx) + program.equalities_transposed(dy) + program.rows_transposed(dl) - f
    )
    assert np.abs(left).max() <= 1e-9
    assert np.abs(program.equalities(dx) - g).max() <= 1e-9
    assert np.abs(program.rows(dx) - weights.squared(dl) - h).max() <= 1e-7


@pytest.mark.parametrize("lopsided", [False, True])
@pytest.mark.parametrize("holding", [False, True])
@pytest.mark.parametrize("name", ["14_ieee", "39_epri"])
def test_the_optimum_is_that_of_the_cones(name: str, holding: bool, lopsided: bool) -> None:
    engine, model = engine_and_model(name, holding=holding)
    box = box_of(model.data.noise_dimensions, lopsided=lopsided)
    limits = network_chance(name)._b
    columns = ByColumns(box, limits, engine._near, 1e-9)
    rough = columns.solve(model)
    assert rough is not None
    assert rough.rough
    columns.sharpen()
    columns.sharpen()
    found = columns.solve(model)
    cuts = Cuts.none(model.data.noise_dimensions)
    known = by_cones(model, Margins(box=box), cuts, limits, Settings())
    assert found is not None
    assert not found.rough
    assert isinstance(known, Attempt)
    assert found.value == pytest.approx(known.value, rel=1e-7)
    assert np.abs(found.z - known.z).max() <= 1e-4
    assert found.multipliers is not None
    assert known.multipliers is not None
    assert np.abs(found.multipliers - known.multipliers).max() <= 1e-5
    assert (found.prices is None) == (not holding)
    if found.prices is not None and known.prices is not None:
        size = np.abs(known.prices).max()
        assert np.abs(found.prices - known.prices).max() <= 1e-3 * size
