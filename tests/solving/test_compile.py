"""The compiled program: the plain model, and the elastic form."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import convex, toy
from tests.reference.plain import plain_model, random_program

import privopt as po
from privopt.solving.compile import Model
from privopt.solving.margins import Cuts, Margins
from privopt.solving.noisy import NoisyProgram
from privopt.solving.problem import Outcome
from privopt.solving.solver import Settings, solve_conic


def chance_of(program: po.ConvexProgram, query: po.Linear | po.Identity, alpha: float = 0.1):  # noqa: ANN201
    S = query.matrix(program)
    calibration = po.Laplace(epsilon=1.0, alpha=alpha).calibrate(S.shape[0], alpha)
    near = program.solve().z
    return NoisyProgram(program, S, calibration, Settings(), near)


@pytest.mark.parametrize("seed", range(4))
def test_the_plain_model_has_the_optimum_of_cvxpy(seed: int) -> None:
    data = random_program(seed, n=12, equalities=3, rows=8, p=3)
    chance = chance_of(convex(data), po.Linear(data["S"]))
    scaled, factors = chance.scaled, np.full(len(data["b"]), 3.0)
    model = Model.plain(scaled)
    limits = chance.limits
    compiled = model.conic(Margins(deviations=factors), Cuts.none(3), limits)
    answer = solve_conic(compiled.problem, Settings())
    assert answer.outcome is Outcome.OPTIMAL
    value = scaled.value(model.point(answer.x))
    sigma = chance.calibration.scale * chance.unit_deviation
    wanted = plain_model(**data, sigma=sigma, factors=factors).cost
    assert value / chance.scaling.kappa == pytest.approx(wanted, rel=1e-6)


def test_the_elastic_form_is_zero_where_a_plan_exists_and_positive_where_none_does() -> None:
    margins = Margins(deviations=np.full(6, 3.0))
    assert chance_of(toy(6.0), po.Identity(["x"])).excess(margins).max() <= 1e-6
    blocked = chance_of(toy(11.9), po.Identity(["x"]), alpha=1.0)
    assert blocked.excess(margins).max() > 1e-2
    assert blocked.solve(margins) is Outcome.INFEASIBLE
