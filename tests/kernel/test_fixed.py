"""The exact map: its sensitivity bounds every pair of neighbours, in exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import privopt as po
from privopt.kernel.fixed import FixedMap


def random_map(rng: np.random.Generator, *, far: float = 0.0) -> tuple[FixedMap, float]:
    p, q = int(rng.integers(1, 6)), int(rng.integers(1, 8))
    alpha = float(10 ** rng.uniform(-3, 2))
    lower = far + alpha * rng.uniform(-3, 3, q)
    upper = lower + alpha * rng.uniform(0, 4, q) * (rng.random(q) < 0.9)
    gain = rng.normal(size=(p, q)) * 10 ** rng.uniform(-6, 3)
    start = rng.normal(size=p) * 10 ** rng.uniform(-3, 3)
    return FixedMap.of(gain, start, lower, upper, alpha), alpha


def neighbours(
    rng: np.random.Generator, exact: FixedMap, alpha: float
) -> tuple[np.ndarray, np.ndarray]:
    """Two vectors that differ in one entry by at most alpha: random, at corners, outside."""
    low, high = exact.box
    kind = rng.integers(4)
    d = (
        rng.uniform(low - alpha, high + alpha)
        if kind < 2
        else np.where(rng.random(len(low)) < 0.5, low, high)
    )
    j = int(rng.integers(len(d)))
    other = d.copy()
    step = alpha if kind != 1 else float(rng.uniform(0, alpha))
    other[j] = d[j] + step * (1 if rng.random() < 0.5 else -1)
    while abs(Fraction(float(other[j])) - Fraction(float(d[j]))) > Fraction(alpha):
        other[j] = np.nextafter(other[j], d[j])
    return d, other


@pytest.mark.parametrize("order", [1, 2])
def test_neighbours_move_the_map_by_no_more_than_its_sensitivity(order: int) -> None:
    rng = np.random.default_rng(order)
    for _ in range(400):
        exact, alpha = random_map(rng, far=float(rng.choice([0.0, 50.0])))
        k = int(rng.integers(-60, -10))
        charged = Fraction(exact.sensitivity(alpha, order, k))
        for _ in range(5):
            d, other = neighbours(rng, exact, alpha)
            y, z = exact.on_grid(d, k), exact.on_grid(other, k)
            moved = [
                abs(Fraction(float(a)) - Fraction(float(b))) for a, b in zip(y, z, strict=True)
            ]
            if order == 1:
                assert sum(moved) <= charged
            else:
                assert sum(v * v for v in moved) <= charged**2


def test_values_are_exact_and_on_the_grid() -> None:
    rng = np.random.default_rng(7)
    for _ in range(200):
        exact, _ = random_map(rng)
        low, high = exact.box
        d = rng.uniform(low, high)
        k = math.floor(math.log2(exact.bound() or 1.0)) - 40
        u = [Fraction(int(v)) / Fraction(2) ** exact.coarse for v in exact.clamped(d)]
        gain = [[Fraction(float(v)) for v in row] for row in exact.gain]
        offset = [
            Fraction(int(v)) / Fraction(2) ** (exact.fine + exact.coarse) for v in exact.offset
        ]
        known = [
            y + sum(a * b for a, b in zip(row, u, strict=True))
            for y, row in zip(offset, gain, strict=True)
        ]
        cell = Fraction(2) ** max(k, exact.coarsest)
        for y, exactly in zip(exact.on_grid(d, k), known, strict=True):
            assert Fraction(float(y)) % cell == 0
            assert abs(Fraction(float(y)) - exactly) <= cell / 2
            assert abs(exactly) <= Fraction(exact.bound())


def test_data_outside_the_domain_count_as_its_ends() -> None:
    exact = FixedMap.of(np.array([[1.0, 2.0]]), np.zeros(1), np.zeros(2), np.ones(2), 0.1)
    assert exact.on_grid(np.array([5.0, -3.0]), -30) == exact.on_grid(np.array([1.0, 0.0]), -30)


def test_it_is_near_the_map_it_was_made_from() -> None:
    gain, start = np.array([[0.3, -1.7], [2.2, 0.0]]), np.array([0.1, 5.0])
    exact = FixedMap.of(gain, start, np.array([0.5, 1.0]), np.array([1.0, 3.0]), 0.1)
    assert np.allclose(exact.gain, gain, rtol=0, atol=1e-9)
    assert np.allclose(exact.middle, start, rtol=0, atol=1e-9)
    assert np.allclose(exact.on_grid(np.array([0.75, 2.5]), -40), start + gain @ [0.0, 0.5])


def test_plain_data_and_back() -> None:
    exact, _ = random_map(np.random.default_rng(3))
    again = FixedMap.from_dict(exact.to_dict())
    assert again.to_dict() == exact.to_dict()
    d = sum(exact.box) / 2
    assert (again.on_grid(d, -40) == exact.on_grid(d, -40)).all()


def test_large_sums_stay_exact() -> None:
    gain = np.full((1, 3), 1e6)
    exact = FixedMap.of(gain, np.zeros(1), np.full(3, -1e6), np.full(3, 1e6), 0.1)
    assert len(exact.limbs) > 1
    assert exact.on_grid(np.full(3, 1e6), 0)[0] == pytest.approx(3e12, rel=1e-9)


def test_a_domain_beyond_all_measure_is_refused() -> None:
    with pytest.raises(po.errors.InputError, match="2\\^28"):
        FixedMap.of(np.ones((1, 1)), np.zeros(1), np.zeros(1), np.full(1, 1e12), 0.1)


def test_many_entries_on_a_fine_grid_stay_exact() -> None:
    """No bits are left for slices of the matrix: sums in integers of any size."""
    q = 2000
    exact = FixedMap.of(np.full((1, q), 0.5), np.zeros(1), np.full(q, -1e3), np.full(q, 1e3), 1e-3)
    assert exact.on_grid(np.full(q, 7.0), -20)[0] == pytest.approx(3.5 * q, rel=1e-9)
