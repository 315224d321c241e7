"""The demo's story: what is published is what it is said to be, judged by plain CVXPY."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

import privopt as po
from privopt.arrays import Vector
from privopt.experiments.story import DRAWS, ETA, Story, story

KEY = "demo: the total demand"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Story, Path]:
    place = tmp_path_factory.mktemp("story") / "demands.ledger"
    with pytest.MonkeyPatch.context() as patch, po.Ledger(place, limit=po.Budget(2)) as ledger:
        patch.setattr("privopt.experiments.story.SIMULATED", 1)
        return story(ledger, seed=3), place


def optimum(told: Story, values: Vector | None = None) -> tuple[Vector, float] | None:
    """The cheapest dispatch, with these released values if there are some, or None."""
    program = told.drawn.program
    z = cp.Variable(program.n)
    rows: list[Any] = [program.A @ z <= program.b, program.G @ z == program.d]
    for side, sign in ((program.lower, -1.0), (program.upper, 1.0)):
        known = np.isfinite(side)
        rows.append(sign * z[known] <= sign * side[known])
    released = told.drawn.query.matrix(program) @ z
    if values is not None:
        rows.append(released == values)
    squares = cp.sum(cp.multiply(program.quadratic.diagonal(), cp.square(z)))
    solved = cp.Problem(cp.Minimize(program.linear @ z + squares), rows)
    solved.solve(solver=cp.CLARABEL)
    if solved.status != "optimal":
        return None
    return np.asarray(released.value), float(solved.value)  # type: ignore[arg-type]


def test_the_answer_is_the_optimum(told: tuple[Story, Path]) -> None:
    found = optimum(told[0])
    assert found is not None
    assert told[0].answer == pytest.approx(found[0], abs=1e-4)


def test_the_measured_values_can_be_completed_at_the_cost_that_is_told(
    told: tuple[Story, Path],
) -> None:
    one = told[0]
    least = optimum(one)
    for way in (one.measured, one.constant):
        found = optimum(one, way.values)
        assert least is not None
        assert found is not None
        assert one.decision.check().excess <= 0
        assert found[1] >= least[1] - 1e-6 * abs(least[1])
    kept = optimum(one, one.constant.values)
    assert least is not None
    assert kept is not None
    assert one.constant.loss == pytest.approx(kept[1] / least[1] - 1, abs=2e-5)


def test_only_the_measurement_is_charged(told: tuple[Story, Path]) -> None:
    one, place = told
    with po.Ledger(place, read_only=True) as ledger:
        assert ledger.spent == po.Budget(1.0)
        assert [event.key for event in ledger.events if event.kind == "charge"] == [KEY]
    assert abs(one.measurement.values[0] - one.total) < 0.1 * 20  # twenty times its scale
    assert (one.outside.releases, one.inside.releases) == (DRAWS, DRAWS)


def test_noise_outside_is_impossible_as_often_as_is_told(told: tuple[Story, Path]) -> None:
    """200 fresh draws around the answer, in plain CVXPY: a false alarm in one of 10,000 runs."""
    one, rng = told[0], np.random.default_rng(8)
    scale = one.alpha / one.epsilon
    draws = one.answer + rng.laplace(scale=scale, size=(200, len(one.answer)))
    failed = sum(optimum(one, values) is None for values in draws) / len(draws)
    share = one.outside.impossible
    error = np.sqrt(max(share * (1 - share), 0.01) * (1 / len(draws) + 1 / DRAWS))
    assert failed == pytest.approx(share, abs=3.9 * error)
    assert one.eta == ETA
