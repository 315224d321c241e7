"""A point well inside: in the region, near to y."""

from __future__ import annotations

import numpy as np
import pytest

from privopt.solving.robust.inner import inner
from privopt.solving.robust.region import Region

NONE = np.zeros((0, 3)), np.zeros(0), np.zeros(0)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_it_lies_inside_and_near(unit: float) -> None:
    W = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, 0.5]])
    low = unit * np.array([1.0, 0.2])
    region = Region.of(np.zeros(3), unit * np.ones(3), W, low, low + 1e-6 * unit)
    found = inner(region, *NONE)
    assert region.holds(found[None])[0]
    assert (np.abs(found - region.middle) < 0.95 * region.half).all()
    y = unit * np.array([0.4])
    near = inner(region, np.array([[1.0, 0.0, 0.0]]), y, np.array([1e-3 * unit]))
    assert abs(near[0] - y[0]) < 0.01 * unit


def test_a_region_without_a_point_gives_the_middle_of_its_box() -> None:
    W = np.ones((1, 2))
    region = Region.of(np.zeros(2), np.ones(2), W, np.array([3.0]), np.array([4.0]))
    none = np.zeros((0, 2)), np.zeros(0), np.zeros(0)
    np.testing.assert_array_equal(inner(region, *none), region.middle)
