"""Verification: right shares, intervals that cover, speed that lets one use it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.cases import convex, single_row
from tests.reference.plain import random_program

import privopt as po
from privopt.mechanisms.verify import Batch, Verification, simulate

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)


def test_completion_is_never_more_often_than_violation() -> None:
    data = random_program(1, n=8, equalities=3, rows=10, p=3)
    plan = po.solve(convex(data), po.Linear(data["S"]), LAPLACE, po.Analytic(eta=0.1))
    found = plan.verify(20_000)
    assert 0 < found.completion.value <= found.violation.value


def test_same_seed_same_answer() -> None:
    program, query, noise = single_row()
    plan = po.solve(program, query, noise, po.Analytic(eta=0.1))
    values = [plan.verify(2000, rng=seed).violation.value for seed in (1, 1, 2)]
    assert values[0] == values[1] != values[2]


@pytest.mark.parametrize("samples", [0, -5])
def test_at_least_one_draw_is_needed(samples: int) -> None:
    program, query, noise = single_row()
    with pytest.raises(po.errors.InputError, match="samples"):
        po.solve(program, query, noise, po.Analytic(eta=0.1)).verify(samples)


class Counted:
    """A simulation whose draws are given: rows broken, and at each place what breaks and fails."""

    def __init__(self, over: Any, bad: Any, fails: Any) -> None:
        self._over, self._bad, self._fails, self._done = over, bad, fails, 0
        self.sizes: list[int] = []

    def counted(self, samples: int) -> Verification:
        completion: Any = lambda: self  # noqa: E731 -- it is its own test of released values
        return simulate(("one", "two"), self.batch, completion, samples, 1)

    def impossible(self, y: Any, tolerance: float) -> Any:
        return np.array([self._fails[int(place)][int(draw)] for place, draw in y])

    def batch(self, count: int) -> Batch:
        part = range(self._done, self._done + count)
        self._done += count
        self.sizes.append(count)
        places: list[Any] = []
        for place, bad in enumerate(self._bad):
            broken = bad[part.start : part.stop]
            places.append((broken, np.array([(place, draw) for draw in part if bad[draw]])))
        return Batch(self._over[part.start : part.stop], places)


@pytest.mark.parametrize("block", [1, 7, 100])
def test_the_loop_counts_every_draw_once_and_takes_the_worst_place(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privopt.mechanisms.verify.BLOCK", block)
    rng = np.random.default_rng(0)
    over, bad, fails = (
        rng.random((50, 2)) < 0.3,
        rng.random((3, 50)) < 0.5,
        rng.random((3, 50)) < 0.5,
    )
    simulation = Counted(over, bad, fails)
    found = simulation.counted(50)
    assert sum(simulation.sizes) == 50
    assert max(simulation.sizes) == min(block, 50)
    assert found.rows.value.tolist() == over.mean(axis=0).tolist()
    assert found.violation.value == bad.mean(axis=1).max()
    assert found.completion.value == (bad & fails).mean(axis=1).max()


def test_where_nothing_breaks_nothing_is_asked() -> None:
    none = np.zeros((1, 9), dtype=bool)
    found = Counted(np.zeros((9, 2), dtype=bool), none, ~none).counted(9)
    assert (found.violation.value, found.completion.value) == (0.0, 0.0)
