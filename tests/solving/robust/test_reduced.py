"""Regions without what does not count: the same worst cases, in fewer entries and slabs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from privopt.arrays import Vector
from privopt.solving.robust.reduced import reduced
from privopt.solving.robust.region import Region


def region(rng: np.random.Generator, kind: str) -> Region:
    """Of five entries around a known point."""
    q = 5
    u, half, R = rng.normal(size=q), rng.uniform(0.1, 1.0, q), rng.normal(size=(3, q))
    width = {"wide": 0.3, "thin": 1e-13, "pinned": 0.0}.get(kind, 0.2)
    if kind == "still":
        half[[1, 3]] = 0.0
        R[2, [0, 2, 4]] = 0.0  # a slab of entries that do not move
    if kind in ("thin", "pinned"):
        R = np.vstack([R[:2], R[0] - 2 * R[1], 3 * R[:1]])
    if kind == "twice":
        R = np.vstack([R[:1], -2.5 * R[:1], R[1:]])
    low, high = R @ u - width, R @ u + width
    if kind == "twice":  # they overlap in less than either
        low[1] += 0.9 * width
    return Region.of(u - half, u + half, R, low, high)


def worst(one: Region, a: Vector, entries: Any) -> float:
    """The largest a'(u - middle) by a solver of its own."""
    rows: Any = np.vstack([one.W, -one.W])
    ends, bounds = np.concatenate([one.high, -one.low]), np.column_stack([-one.half, one.half])
    solve: Any = linprog
    found = solve(-a[entries], rows, ends, bounds=bounds)
    assert found.status == 0
    return -float(found.fun)


@pytest.mark.parametrize("kind", ["wide", "still", "thin", "pinned", "twice"])
@pytest.mark.parametrize("seed", range(5))
def test_worst_cases_are_the_same(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = region(rng, kind)
    less, entries = reduced(one)
    for a in rng.normal(size=(10, 5)):
        assert worst(less, a, entries) == pytest.approx(worst(one, a, np.arange(5)), abs=1e-7)


@pytest.mark.parametrize(
    ("kind", "entries", "slabs"),
    [("wide", 5, 3), ("still", 3, 2), ("thin", 5, 2), ("pinned", 5, 2), ("twice", 5, 3)],
)
def test_what_does_not_count_is_gone(kind: str, entries: int, slabs: int) -> None:
    less, left = reduced(region(np.random.default_rng(1), kind))
    assert len(left) == len(less.half) == entries
    assert less.W.shape == (slabs, entries)


def test_a_point_and_a_plain_box_are_left_alone() -> None:
    none = np.zeros((0, 2)), np.zeros(0), np.zeros(0)
    less, left = reduced(Region.of(np.ones(2), np.ones(2), *none))
    assert (len(left), less.W.shape) == (0, (0, 0))
    less, left = reduced(Region.of(np.zeros(2), np.ones(2), *none))
    assert left.tolist() == [0, 1]
    np.testing.assert_array_equal(less.half, [0.5, 0.5])
