"""Cone rows: how far points are outside, by another way, and rows taken, joined and widened."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from privopt.solving.cone_rows import ConeRows, outside
from privopt.solving.problem import Cone, Kind

CONES = (Cone.second_order(3), Cone.exponential(), Cone.of_power(0.5), Cone.of_power(0.15))


def lacks(cone: Cone, s: Any) -> float:
    """Below zero inside the cone, above outside: its defining inequality in logarithms."""
    x, y, z = (float(v) for v in s)
    if cone.kind is Kind.SECOND_ORDER:
        return math.hypot(y, z) - x
    if cone.kind is Kind.EXPONENTIAL:
        return 1.0 if y <= 0 or z <= 0 else x / y - math.log(z) + math.log(y)
    if x <= 0 or y <= 0:
        return 1.0
    a = cone.power
    return -1.0 if z == 0 else math.log(abs(z)) - a * math.log(x) - (1 - a) * math.log(y)


@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e8])
def test_the_distance_is_where_the_inequality_turns(cone: Cone, size: float) -> None:
    rng = np.random.default_rng(0)
    points = size * rng.normal(size=(60, 3))
    found = outside(cone, points)
    for s, t in zip(points, found, strict=True):
        far = 1e-9 * size
        assert lacks(cone, s + (t + far) * cone.inside) <= 0
        assert lacks(cone, s + (t - far) * cone.inside) > 0
    assert ((found <= 0) == [lacks(cone, s) <= 0 for s in points]).all()


@pytest.mark.parametrize("cone", CONES)
def test_points_of_the_boundary_and_none(cone: Cone) -> None:
    edge = {
        Kind.SECOND_ORDER: [[5.0, 3.0, 4.0], [1.0, -1.0, 0.0], [0.0, 0.0, 0.0]],
        Kind.EXPONENTIAL: [[1.0, 1.0, math.e], [-2.0, 0.0, 0.0], [0.0, 0.0, 3.0]],
        Kind.POWER: [[2.0, 2.0, -2.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    }[cone.kind]
    found = outside(cone, np.array(edge))
    assert np.abs(found).max() <= 1e-8
    assert outside(cone, np.zeros((0, 3))).shape == (0,)
    assert outside(cone, np.zeros((2, 0, 3))).shape == (2, 0)


def rows(rng: np.random.Generator, n: int = 4) -> ConeRows:
    C: Any = sp.random_array((12, n), density=0.5, rng=rng, format="csr")
    return ConeRows(CONES, C, rng.normal(size=12), ("a", "b", "c", "d"))
