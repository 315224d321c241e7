"""The worst case over a box and slabs: against linear programs, and in exact fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.optimize as so

from privopt.arrays import Dense, Vector
from privopt.scalars import round_up
from privopt.solving.robust.region import Region

KINDS = ("none", "total", "zones", "zones and entries", "overlapping", "one-sided")


def slabs(kind: str, rng: np.random.Generator, q: int) -> tuple[Dense, Vector, Vector]:
    """W and its slabs around the sums of a random point of the unit box."""
    zones = np.zeros((3, q))
    zones[np.arange(q) % 3, np.arange(q)] = rng.choice([1.0, -2.0, 0.5], q)
    W = {
        "none": np.zeros((0, q)),
        "total": np.ones((1, q)),
        "zones": zones,
        "zones and entries": np.vstack([zones, 2 * np.eye(q)[:2]]),
        "overlapping": np.vstack([np.ones(q), zones, rng.normal(size=(2, q))]),
        "one-sided": np.vstack([np.ones(q), rng.normal(size=(2, q))]),
    }[kind]
    at = W @ rng.uniform(-0.8, 0.8, q)
    low, high = at - rng.uniform(0, 0.5, len(W)), at + rng.uniform(0, 0.5, len(W))
    if kind == "one-sided":
        low[1:] = -np.inf
    return W, low, high


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_the_worst_case_is_that_of_a_linear_program(kind: str, seed: int) -> None:
    rng, q = np.random.default_rng(seed), 9
    lower = rng.uniform(-2, 0, q)
    upper = lower + rng.choice([0.0, 1.0, 2.5], q)
    W, low, high = slabs(kind, rng, q)
    region = Region.of(lower, upper, W, low, high)
    a = rng.normal(size=(5, q))
    found, m = region.support(a)
    proven = region.bound(a, m)
    np.testing.assert_allclose(found, proven)
    finite = np.isfinite(low)
    rows = np.vstack([W, -W[finite]])
    limits = np.concatenate([high, -low[finite]])
    for i in range(len(a)):
        answer: Any = so.linprog(
            -a[i], A_ub=rows if len(rows) else None, b_ub=limits if len(rows) else None,
            bounds=list(zip(lower, upper, strict=True)),
        )  # fmt: skip
        assert region.empty == (answer.status == 2)
        if region.empty:
            continue
        largest = -answer.fun - a[i] @ region.middle
        assert found[i] == pytest.approx(largest, abs=1e-9 if region.disjoint else 1e-7)


def test_any_multipliers_prove_a_bound_in_exact_fractions() -> None:
    """Weak duality, at vertices and points of the region, for multipliers drawn at random."""
    rng, q = np.random.default_rng(3), 6
    W, low, high = slabs("overlapping", rng, q)
    region = Region.of(-np.ones(q), np.ones(q), W, low, high)
    a = rng.normal(size=(20, q))
    for m in (region.support(a)[1], rng.normal(size=(20, len(W)))):
        bounds = region.bound(a, m)
        for u in rng.uniform(-1, 1, (4000, q)):
            if not region.holds(u[None])[0]:
                continue
            for i in range(len(a)):
                exact = sum(Fraction(x) * Fraction(y) for x, y in zip(a[i], u, strict=True))
                assert exact <= Fraction(bounds[i]) + Fraction(1, 10**12)


def test_a_row_with_one_entry_is_a_bound_of_the_box() -> None:
    W = np.array([[0.0, -2.0], [1.0, 1.0]])
    region = Region.of(np.zeros(2), np.ones(2), W, np.array([-1.0, 0.5]), np.array([9.0, 0.75]))
    np.testing.assert_allclose(region.middle, [0.5, 0.25])
    np.testing.assert_allclose(region.half, [0.5, 0.25])
    np.testing.assert_allclose(region.low, [-0.25])


def test_a_region_without_a_point_says_so() -> None:
    apart = Region.of(np.zeros(2), np.ones(2), np.ones((1, 2)), np.array([3.0]), np.array([4.0]))
    bound = Region.of(np.zeros(1), np.ones(1), np.eye(1), np.array([2.0]), np.array([3.0]))
    W = np.array([[1.0, 1.0], [1.0, 0.9]])
    together = Region.of(np.zeros(2), np.ones(2), W, np.array([1.5, 0.0]), np.array([2.0, 0.5]))
    assert apart.empty
    assert bound.empty
    assert together.empty


def test_a_corner_of_what_is_asked_for_lies_in_the_region_exactly() -> None:
    """Rounding is outwards: at corners of the box whose sums are the ends of the slabs."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        q, size = int(rng.integers(1, 6)), 10.0 ** rng.integers(-8, 8)
        lower = size * rng.normal(size=q)
        upper = lower + size * rng.uniform(0, 1, q) * (rng.random(q) < 0.8)
        W = rng.normal(size=(3, q)) * (rng.random((3, q)) < 0.6)
        u = np.where(rng.random(q) < 0.5, lower, upper)
        sums = [exact(row, u) for row in W]
        low = np.array([-round_up(-value) for value in sums])
        high = np.array([round_up(value) for value in sums])
        region = Region.of(lower, upper, W, low, high)
        off = [Fraction(x) - Fraction(m) for x, m in zip(u, region.middle, strict=True)]
        assert all(abs(x) <= Fraction(h) for x, h in zip(off, region.half, strict=True))
        for row, least, most in zip(region.W, region.low, region.high, strict=True):
            assert Fraction(least) <= exact(row, off) <= Fraction(most)


def exact(row: Vector, u: Any) -> Fraction:
    return sum((Fraction(w) * Fraction(x) for w, x in zip(row, u, strict=True)), Fraction(0))
