"""Scenarios: every draw is kept, at the least cost, and the hull test tells inside from outside."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import network_chance

from privopt.solving.margins import Margins
from privopt.solving.scenarios import Scenarios
from privopt.solving.solved import Solved
from privopt.solving.solver import Settings


def scenarios(draws: np.ndarray) -> Scenarios:
    chance = network_chance("14_ieee")
    sizes = 1 + np.abs(chance.limits)
    return Scenarios(
        data=chance.scaled, draws=draws, b=chance.limits, limits=chance.limits,
        allowed=1e-9 * sizes, sizes=sizes,
        movable=chance.engine.models.movable, settings=Settings(),
    )  # fmt: skip


def test_every_draw_is_kept() -> None:
    chance = network_chance("39_epri", 1)
    draws = np.random.default_rng(0).laplace(size=(80, chance.noise_dimensions))
    found = chance.solve(Margins(draws=draws))
    assert isinstance(found, Solved)
    rows = chance.program.rows
    worst = chance.calibration.scale * np.asarray(rows.matrix @ np.asarray(found.Z)) @ draws.T
    assert (np.asarray(rows.matrix @ found.z)[:, None] + worst <= rows.bound[:, None] + 1e-7).all()


def test_the_hull_of_the_draws() -> None:
    corners = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    asked = scenarios(corners)
    one, two = np.array([2.0]), np.array([2.0, -1.0])
    assert asked.inside(np.array([1.9, -1.9]), one, 1.0)
    assert not asked.inside(np.array([2.1, 0.0]), one, 1.0)
    assert asked.inside(np.array([2.9, 0.0]), two, 1.0)  # the sum of both hulls
    assert not asked.inside(np.array([3.1, 0.0]), two, 1.0)
    assert not asked.inside(np.array([1.0, 0.0]), np.zeros(0), 1.0)


@pytest.mark.parametrize("count", [3, 70])
def test_the_worst_draws_of_each_row(count: int) -> None:
    rng = np.random.default_rng(1)
    asked = scenarios(rng.laplace(size=(50, 4)))
    a, slack = rng.normal(size=(count, 4)), rng.uniform(0, 3, count)
    rows, drawn = asked.worst(np.arange(count), a, slack, np.zeros(count))
    excess = asked.draws @ a.T - slack
    assert (excess[drawn, rows] > 0).all()
    broken = np.flatnonzero((excess > 0).any(axis=0))
    assert set(rows.tolist()) == set(broken.tolist())
    for i in broken:
        assert int(np.argmax(excess[:, i])) in drawn[rows == i]
