"""Cone rows: how far points are outside, by another way, and rows taken, joined and widened."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import brentq

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


def test_it_is_a_root() -> None:
    s = np.array([1.0, 0.5, 0.9])
    for cone in (CONES[1], *CONES[2:]):
        root = brentq(lambda t, c=cone: lacks(c, s + t * c.inside), -0.4, 20.0, xtol=1e-13)
        assert outside(cone, s) == pytest.approx(root, abs=1e-9)


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


def test_values_sizes_and_blocks() -> None:
    rng = np.random.default_rng(1)
    one = rows(rng)
    z = rng.normal(size=(5, 4))
    C = one.matrix.toarray()
    s = np.array([(C @ row + one.offset).reshape(4, 3) for row in z])
    np.testing.assert_allclose(one.values(z), s)
    sizes = [(np.abs(C) @ np.abs(row) + np.abs(one.offset)).reshape(4, 3).max(axis=1) for row in z]
    np.testing.assert_allclose(one.sizes(z), sizes)
    for k, cone in enumerate(CONES):
        np.testing.assert_allclose(one.outside(z)[:, k], outside(cone, s[:, k]))
    used = (np.abs(C).reshape(4, 3, 4).sum(axis=1) > 0).astype(int)
    assert ((one.blocks.toarray() > 0) == used).all()


def test_rows_taken_joined_and_widened() -> None:
    rng = np.random.default_rng(2)
    one, other = rows(rng), rows(rng, 3)
    assert len(ConeRows.none(4)) == 0
    assert ConeRows.none(4).outside(np.zeros((2, 4))).shape == (2, 0)
    both = ConeRows.joined(6, one, other)
    assert both.names == one.names + other.names
    assert both.matrix.shape == (24, 6)
    z = rng.normal(size=(3, 6))
    np.testing.assert_allclose(both.values(z)[:, :4], one.values(z[:, :4]))
    np.testing.assert_allclose(both.values(z)[:, 4:], other.values(z[:, :3]))
    some = both.taken(np.array([6, 1]))
    assert some.names == ("c", "b")
    assert some.cones == (CONES[2], CONES[1])
    np.testing.assert_allclose(some.values(z), both.values(z)[:, [6, 1]])
