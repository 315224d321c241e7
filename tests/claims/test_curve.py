"""Curves over epsilon: read exactly where they follow the law, and never beyond their points."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from privopt.claims.curve import EpsilonCurve, EpsilonPoint
from privopt.errors import InfeasibleError, InputError

EVEN, FLOOR, CONSTANT = 0.7, 0.01, 0.5


def distance(epsilon: float) -> float:
    """Of normal data and noise: what the sums do not tell, and what the noise leaves of them."""
    left = 1 / (1 + (epsilon / EVEN) ** 2)
    return float(np.sqrt(FLOOR**2 + (CONSTANT**2 - FLOOR**2) * left))


def point(epsilon: float, loss: float | None, far: float | None) -> EpsilonPoint:
    return EpsilonPoint(epsilon, loss, None, far, None, 6, 0)


@pytest.fixture
def curve() -> EpsilonCurve:
    epsilons = (0.0, 0.25, 1.0, 4.0, 16.0)
    return EpsilonCurve(
        tuple(point(e, 0.1 * distance(e) ** 2, distance(e)) for e in epsilons), EVEN
    )


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.25, 0.4, 1.0, 2.7, 9.0, 16.0])
def test_points_of_the_law_itself_are_read_exactly(curve: EpsilonCurve, epsilon: float) -> None:
    far = distance(epsilon) * (1 + 1e-12)
    for asked in ({"distance": far}, {"loss": 0.1 * far**2}):
        assert epsilon <= curve.epsilon_for(**asked) <= 1.01 * epsilon
    assert curve.provenance.value == "SAMPLED"


def test_both_must_hold(curve: EpsilonCurve) -> None:
    near, cheap = distance(2.0), 0.1 * distance(0.5) ** 2
    assert curve.epsilon_for(distance=near, loss=cheap) == pytest.approx(2.0, rel=0.01)
    assert curve.epsilon_for(distance=distance(0.3), loss=cheap) == pytest.approx(0.5, rel=0.01)


def test_nothing_need_be_measured_for_what_the_constant_does(curve: EpsilonCurve) -> None:
    assert curve.epsilon_for(distance=CONSTANT) == 0.0
    assert curve.epsilon_for(loss=1.0) == 0.0


def test_the_first_point_that_does_is_the_least_where_the_curve_rises_again() -> None:
    values = (0.5, 0.2, 0.3, 0.1)
    one = EpsilonCurve(tuple(point(float(e), v, v) for e, v in enumerate(values)), 1.0)
    assert 0 < one.epsilon_for(distance=0.25) < 1
    assert 2 < one.epsilon_for(distance=0.15) < 3


def test_nothing_is_read_beyond_the_last_point(curve: EpsilonCurve) -> None:
    with pytest.raises(InfeasibleError) as seen:
        curve.epsilon_for(distance=0.5 * distance(16.0))
    assert "epsilon = 16" in str(seen.value)
    assert "0.0241" in str(seen.value)  # the distance there, rounded up
    assert "SAMPLED" in str(seen.value)


def test_points_without_a_decision_are_not_read_from() -> None:
    one = EpsilonCurve((point(0.0, None, None), point(0.5, None, None), point(2.0, 0.1, 0.1)), 1.0)
    assert one.epsilon_for(distance=0.2) == 2.0
    with pytest.raises(InfeasibleError, match="epsilon = 2"):
        one.epsilon_for(distance=0.05)
    with pytest.raises(InfeasibleError, match="no simulated measurement"):
        EpsilonCurve((point(0.0, None, None),), 1.0).epsilon_for(loss=0.1)


def test_what_is_refused(curve: EpsilonCurve) -> None:
    bad: list[dict[str, Any]] = [{}, {"distance": -1.0}, {"loss": float("nan")}, {"loss": "x"}]
    for asked in bad:
        with pytest.raises(InputError):
            curve.epsilon_for(**asked)


def test_it_is_read_as_it_was_written(curve: EpsilonCurve) -> None:
    data = json.loads(json.dumps(curve.to_dict()))
    assert EpsilonCurve.from_dict(data) == curve
    for damage in (
        {"even": 0.0},
        {"even": None},
        {"points": []},
        {"points": data["points"][::-1]},
        {"points": [data["points"][0] | {"epsilon": -1.0}]},
        {"points": [data["points"][0] | {"decisions": 1.5}]},
        {"points": [data["points"][0] | {"loss": None}]},
        {"points": [data["points"][0] | {"distance": "far"}]},
    ):
        with pytest.raises((ValueError, TypeError)):
            EpsilonCurve.from_dict({**data, **damage})
