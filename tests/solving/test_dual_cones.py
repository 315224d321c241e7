"""Multipliers in dual cones: y's >= 0 for every s of the cone, with y and s exact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.solving.test_polygons import CONES

from privopt.arrays import Dense, Vector
from privopt.solving.dual_cones import in_dual, into_dual
from privopt.solving.problem import Cone, Kind

EXPONENTIAL, SECOND_ORDER = Cone.exponential(), Cone.second_order(3)


def members(cone: Cone, rng: np.random.Generator, count: int) -> Dense:
    """Points on the boundary of a cone, near enough, at sizes from 1e-6 to 1e6."""
    x = rng.normal(size=count) * 10.0 ** rng.uniform(-2, 1, count)
    if cone.kind is Kind.SECOND_ORDER:
        s = np.column_stack([np.ones(count), np.cos(x), np.sin(x)])
    elif cone.kind is Kind.EXPONENTIAL:
        s = np.column_stack([x, np.ones(count), np.exp(x)])
    else:
        y = np.exp(x)
        s = np.column_stack([y, np.ones(count), rng.choice([-1, 1], count) * y**cone.power])
    return s * 10.0 ** rng.uniform(-6, 6, (count, 1))


@pytest.mark.parametrize("cone", CONES, ids=str)
def test_products_with_members_are_not_negative(cone: Cone) -> None:
    rng = np.random.default_rng(0)
    s = members(cone, rng, 400)
    inside = 0
    for _ in range(300):
        y = rng.normal(size=3)
        if in_dual(cone, y):
            inside += 1
            sizes = np.abs(s * y).sum(axis=1)
            assert (s @ y >= -1e-12 * sizes).all()
        else:  # then some member shows it, unless y is next to the boundary
            assert (s @ y).min() < 0 or into_dual(cone, y) is not None
    assert 10 < inside < 290


@pytest.mark.parametrize("cone", CONES, ids=str)
def test_multipliers_are_moved_into_the_cone_by_little(cone: Cone) -> None:
    """On its boundary, where a solver leaves them: outside by rounding, or by 1e-9."""
    rng = np.random.default_rng(1)
    for off in (0.0, 1e-12, 1e-9):
        for s in members(cone, rng, 40):
            y = _normal(cone, s)
            y = y + off * np.abs(y).max() * rng.normal(size=3)
            moved = into_dual(cone, y)
            assert moved is not None
            assert in_dual(cone, moved)
            if cone.kind is Kind.SECOND_ORDER:
                assert np.abs(moved - y).max() <= (1e-9 + 4 * off) * np.abs(y).max()


def _normal(cone: Cone, s: Vector) -> Vector:
    """The multipliers with y's = 0 at a point of the boundary: its inner normal."""
    x, y, z = s
    if cone.kind is Kind.SECOND_ORDER:
        return np.array([x, -y, -z])
    if cone.kind is Kind.EXPONENTIAL:
        e = math.exp(x / y)
        return np.array([-e, e * (x / y - 1), 1.0])
    a = cone.power
    return np.array([a * abs(z) / x, (1 - a) * abs(z) / y, -np.sign(z)])


@pytest.mark.parametrize(
    ("cone", "y", "inside"),
    [
        (SECOND_ORDER, [5.0, 3.0, 4.0], True),
        (SECOND_ORDER, [np.nextafter(5.0, 0), 3.0, 4.0], False),
        (SECOND_ORDER, [-5.0, 3.0, 4.0], False),
        (EXPONENTIAL, [0.0, 0.0, 0.0], True),
        (EXPONENTIAL, [0.0, 1.0, 1.0], True),
        (EXPONENTIAL, [0.0, -1.0, 1.0], False),
        (EXPONENTIAL, [1.0, 1.0, 1.0], False),
        (EXPONENTIAL, [-1.0, -1.0, np.nextafter(1.0, 2)], True),  # e^0 <= w
        (EXPONENTIAL, [-1.0, -1.0, np.nextafter(1.0, 0)], False),
        (Cone.of_power(0.5), [1.0, 1.0, np.nextafter(2.0, 0)], True),  # 2 sqrt(u v) >= |w|
        (Cone.of_power(0.5), [1.0, 1.0, np.nextafter(2.0, 3)], False),
        (Cone.of_power(0.5), [0.0, 1.0, 0.0], True),
        (Cone.of_power(0.5), [0.0, 1.0, 1e-300], False),
    ],
)  # fmt: skip
def test_the_boundary_itself(cone: Cone, y: list[float], inside: bool) -> None:
    assert in_dual(cone, np.array(y)) is inside


def test_nothing_is_left_of_what_cannot_be_moved() -> None:
    zero = np.zeros(3)
    assert np.array_equal(into_dual(EXPONENTIAL, zero), zero)  # pyright: ignore[reportArgumentType]
    moved = into_dual(SECOND_ORDER, np.array([-1.0, 0.0, 0.0]))
    assert moved is None or in_dual(SECOND_ORDER, moved)
