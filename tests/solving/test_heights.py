"""Closed forms of heights against bisection on membership, and slopes against differences."""

from __future__ import annotations

import numpy as np
import pytest

from privopt.solving.cone_rows import outside
from privopt.solving.heights import height, rises
from privopt.solving.problem import Cone

WAYS = [
    (Cone.second_order(3), [1.0, 0.0, 0.0]),
    (Cone.second_order(3), [1.0, 0.3, -0.2]),
    (Cone.second_order(3), [1.0, -1.0, 0.0]),
    (Cone.exponential(), [0.0, 0.0, 2.0]),
    (Cone.exponential(), [-1.5, 0.0, 0.0]),
    (Cone.of_power(0.3), [2.0, 0.0, 0.0]),
    (Cone.of_power(0.3), [0.0, 1.0, 0.0]),
    (Cone.of_power(0.8), [1.0, 0.0, 0.0]),
]


def _points(count: int) -> np.ndarray:
    v = np.random.default_rng(4).normal(size=(count, 3))
    v[:, 1] = np.abs(v[:, 1]) + 0.2
    v[:, 2] = np.abs(v[:, 2]) + 0.2
    return v


def _bisected(cone: Cone, v: np.ndarray, r: np.ndarray) -> np.ndarray:
    low, high = np.full(len(v), -1e3), np.full(len(v), 1e3)
    never = outside(cone, v + high[:, None] * r) > 1e-9
    for _ in range(60):
        middle = 0.5 * (low + high)
        inside = outside(cone, v + middle[:, None] * r) <= 0
        low, high = np.where(inside, low, middle), np.where(inside, middle, high)
    return np.where(never, np.inf, high)


@pytest.mark.parametrize(("cone", "way"), WAYS)
def test_the_height_is_where_the_point_enters_the_cone(cone: Cone, way: list[float]) -> None:
    r = np.array(way)
    assert rises(cone, r)
    v = _points(20)
    if cone == Cone.of_power(0.3) and way[1]:
        v[:, 0] = np.abs(v[:, 0]) + 0.2
    t, _ = height(cone, v, r)
    expected = _bisected(cone, v, r)
    known = np.isfinite(expected) & (np.abs(expected) < 500)
    assert known.sum() > 5
    assert np.allclose(t[known], expected[known], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("cone", "way"), WAYS)
def test_the_slope_is_that_of_differences(cone: Cone, way: list[float]) -> None:
    r, v, h = np.array(way), np.abs(_points(20)) + 0.1, 1e-6
    t, slope = height(cone, v, r)
    known = np.isfinite(t)
    assert known.sum() > 5
    for j in range(3):
        step = h * np.eye(3)[j]
        difference = (height(cone, v + step, r)[0] - height(cone, v - step, r)[0]) / (2 * h)
        good = known & np.isfinite(difference)
        size = 1 + np.abs(difference[good])
        assert (np.abs(slope[good, j] - difference[good]) <= 1e-4 * size).all()


def test_where_no_height_will_do_it_is_infinite() -> None:
    t, slope = height(Cone.exponential(), np.array([[0.0, 1.0, -1.0]]), np.array([-1.0, 0.0, 0.0]))
    assert t[0] == np.inf  # minus the logarithm of a negative number
    assert not slope.any()
    t, _ = height(Cone.second_order(3), np.array([[-1.0, -1.0, 2.0]]), np.array([1.0, -1.0, 0.0]))
    assert t[0] == np.inf  # x^2 / y for a negative y


def test_directions_without_a_closed_form_are_told() -> None:
    assert not rises(Cone.exponential(), np.array([-1.0, 0.0, 1.0]))
    assert not rises(Cone.of_power(0.5), np.array([1.0, 1.0, 0.0]))
    assert not rises(Cone.second_order(3), np.array([1.0, 2.0, 0.0]))
