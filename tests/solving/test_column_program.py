"""A plan under a box column by column: Newton steps, and the optimum of the conic program."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import network_chance
from tests.solving.parts import weights

from privopt.solving.arrow import Arrow
from privopt.solving.attempt import Attempt, ByColumns, by_cones
from privopt.solving.column_program import ColumnProgram
from privopt.solving.compile import Model
from privopt.solving.margins import Cuboid, Cuts, Margins
from privopt.solving.noisy import NoisyProgram
from privopt.solving.refinement import Fixed
from privopt.solving.solver import Settings


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


def check_newton(arrow: Arrow) -> None:
    """Operators and their transposes agree, and Newton steps solve their equations."""
    rng = np.random.default_rng(0)
    x, dual = rng.normal(size=len(arrow.q)), rng.normal(size=len(arrow.b))
    assert arrow.rows(x) @ dual == pytest.approx(arrow.rows_transposed(dual) @ x)
    e = rng.normal(size=len(arrow.d))
    assert arrow.equalities(x) @ e == pytest.approx(arrow.equalities_transposed(e) @ x)
    own = weights(rng, len(dual))
    f, g, h = rng.normal(size=len(x)), arrow.equalities(x), rng.normal(size=len(dual))
    dx, dy, dl = arrow.newton(own)(f, g, h)
    left = arrow.quadratic(dx) + arrow.equalities_transposed(dy) + arrow.rows_transposed(dl) - f
    assert np.abs(left).max() <= 1e-8
    assert np.abs(arrow.equalities(dx) - g).max() <= 1e-9
    assert np.abs(arrow.rows(dx) - dl / own - h).max() <= 1e-7


@pytest.mark.parametrize("lopsided", [False, True])
@pytest.mark.parametrize("name", ["14_ieee", "39_epri"])
def test_newton_steps_solve_their_equations(name: str, lopsided: bool) -> None:
    chance, model = held_model(name)
    box = box_of(model.data.noise_dimensions, lopsided=lopsided)
    check_newton(ColumnProgram(model, box, np.ones(len(chance.limits))).arrow)


def sharp(made: NoisyProgram, model: Model, box: Cuboid) -> tuple[Attempt, Attempt]:
    """The optimum of a model column by column, sharpened, and by cones."""
    columns, cuts = ByColumns(made.engine.models, 1e-9), Cuts.none(model.data.noise_dimensions)
    rough = columns.solve(model, box, made.limits)
    assert rough is not None
    assert rough.rough
    columns.sharpen()
    columns.sharpen()
    found = columns.solve(model, box, made.limits)
    assert found is not None
    assert not found.rough
    known = by_cones(model, Margins(box=box), cuts, made.limits, Settings())
    assert isinstance(known, Attempt)
    value = model.data.value
    assert value(found.point) == pytest.approx(value(known.point), rel=1e-7)
    return found, known


@pytest.mark.parametrize("lopsided", [False, True])
@pytest.mark.parametrize("holding", [False, True])
@pytest.mark.parametrize("name", ["14_ieee", "39_epri"])
def test_the_optimum_is_that_of_the_cones(name: str, holding: bool, lopsided: bool) -> None:
    chance, model = held_model(name, holding=holding)
    found, known = sharp(chance, model, box_of(model.data.noise_dimensions, lopsided=lopsided))
    assert np.abs(found.point.z - known.point.z).max() <= 1e-4
    assert found.multipliers is not None
    assert known.multipliers is not None
    assert np.abs(found.multipliers - known.multipliers).max() <= 1e-5
    assert (found.prices is None) == (not holding)
    if found.prices is not None and known.prices is not None:
        size = np.abs(known.prices).max()
        assert np.abs(found.prices - known.prices).max() <= 1e-3 * size
