"""One number a cut has the optimum of the cuts with all of Y."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import network_chance

from privopt.solving.compile import Model
from privopt.solving.cutting import CutProgram
from privopt.solving.margins import Cuts, Margins
from privopt.solving.problem import Outcome
from privopt.solving.response import Response
from privopt.solving.solver import Settings, solve_conic


@pytest.mark.parametrize("name", ["14_ieee", "39_epri"])
def test_it_has_the_optimum_of_the_plain_model_under_the_same_cuts(name: str) -> None:
    chance = network_chance(name)
    data = chance.scaled
    rng = np.random.default_rng(0)
    rows = np.flatnonzero(chance.engine.models.movable[data.directions.group])
    chosen = np.repeat(rng.choice(rows, 6, replace=False), 2)
    cuts = Cuts(chosen, rng.laplace(size=(12, data.noise_dimensions)))
    plain = Model.plain(data)
    wanted = plain.conic(Margins(), cuts, chance.limits)
    known = solve_conic(wanted.problem, Settings())
    response = Response(data.C, data.quadratic, np.zeros(0, dtype=np.intp))
    program = CutProgram.of(data, response, cuts, chance.limits, chance.limits)
    answer = solve_conic(program.problem, Settings())
    assert known.outcome is answer.outcome is Outcome.OPTIMAL

    def cost(z: np.ndarray, Y: np.ndarray) -> float:
        Z = data.nu * (data.base + Y)
        C2 = data.quadratic
        return float(data.linear @ z + z @ (C2 @ z) + data.variance * (Z * (C2 @ Z)).sum())

    z, Y = program.split(answer.x)
    point = plain.point(known.x)
    assert cost(z, Y) == pytest.approx(cost(point.z, point.Y), rel=1e-7)
    assert np.abs(data.C @ Y).max() <= 1e-10
    Z = data.nu * (data.base + Y)
    over = data.A[chosen] @ z + ((data.A[chosen] @ Z) * cuts.gradients).sum(axis=1)
    assert (over <= chance.limits[chosen] + 1e-7).all()
