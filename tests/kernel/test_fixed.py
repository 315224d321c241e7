"""The exact map: its sensitivity bounds every pair of neighbours, in exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import privopt as po
from privopt.kernel.fixed import FixedMap
from privopt.noise.neighbours import Neighbours


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


@pytest.mark.long
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


def sums(W: list[list[float]]) -> FixedMap:
    """W d, exactly, of entries from -8 to 8 on a grid of 2^-40."""
    q = len(W[0])
    return FixedMap.of(np.array(W), np.zeros(len(W)), np.full(q, -8.0), np.full(q, 8.0), 1.0)


def near(exact: FixedMap, relation: Neighbours, order: int, Delta: float) -> None:
    """The sensitivity is Delta and next to nothing for rounding; never below."""
    found = exact.sensitivity(relation, order, -60)
    assert Delta <= found <= Delta * (1 + 1e-9)


def test_signs_of_one_owner_never_cancel() -> None:
    for order in (1, 2):
        near(sums([[1, -1]]), Neighbours(1.0, (0, 0)), order, 2.0)
        near(sums([[1, -1]]), Neighbours(1.0), order, 1.0)
        near(sums([[1, -1]]), Neighbours(1.0, None, "total"), order, 1.0)


def test_hourly_totals_of_a_household() -> None:
    """Three households, 24 hours each: a total an hour, of all households."""
    W = np.tile(np.eye(24), 3)
    owners = tuple(int(k) for k in np.repeat(range(3), 24))
    near(sums(W.tolist()), Neighbours(1.0, owners), 1, 24.0)
    near(sums(W.tolist()), Neighbours(1.0, owners), 2, math.sqrt(24))
    near(sums(W.tolist()), Neighbours(1.0), 1, 1.0)
    near(sums(W.tolist()), Neighbours(1.0, owners, "total"), 1, 1.0)
    near(sums(np.ones((1, 72)).tolist()), Neighbours(1.0, owners), 2, 24.0)


def test_alpha_by_entry_scales_the_columns() -> None:
    W = [[1.0, 2.0, 0.0], [0.0, -1.0, 5.0]]
    alpha = (1.0, 2.0, 0.0)
    near(sums(W), Neighbours(alpha), 1, 6.0)
    near(sums(W), Neighbours(alpha), 2, 2 * math.sqrt(5))
    near(sums(W), Neighbours(alpha, (0, 0, 1)), 1, 7.0)
    near(sums(W), Neighbours(alpha, (0, 0, 1)), 2, math.hypot(5, 2))
    near(sums(W), Neighbours(alpha, (0, 0, 1), "total"), 1, 6.0)


def test_a_total_is_never_dearer_than_each() -> None:
    """Entries that hardly move: all of them together are less than one alpha of the largest."""
    exact = FixedMap.of(np.ones((1, 3)), np.zeros(1), np.zeros(3), np.full(3, 0.25), 1.0)
    for change in ("each", "total"):
        near(exact, Neighbours(1.0, (0, 0, 0), change), 1, 0.75)


@pytest.mark.parametrize("order", [1, 2])
def test_the_plain_relation_is_charged_what_it_was(order: int) -> None:
    """Bit by bit: files and ledgers hold it."""
    rng = np.random.default_rng(order)
    for _ in range(100):
        exact, alpha = random_map(rng)
        k, best = int(rng.integers(-60, -10)), 0
        most = math.floor(Fraction(alpha) * Fraction(2) ** exact.coarse) + 1
        for j in range(exact.matrix.shape[1]):
            step = min(most, int(exact.high[j] - exact.low[j]))
            column = [abs(int(v)) * step for v in exact.matrix[:, j]]
            best = max(best, sum(column) if order == 1 else sum(v * v for v in column))
        unit, cell = (
            Fraction(2) ** -(exact.fine + exact.coarse),
            Fraction(2) ** max(k, exact.coarsest),
        )
        p = len(exact.offset)
        size = best if order == 1 else math.isqrt(best) + 1
        known = size * unit + (p if order == 1 else math.isqrt(p) + 1) * cell
        found = exact.sensitivity(Neighbours(alpha), order, k)
        assert found == exact.sensitivity(alpha, order, k)
        assert Fraction(found) >= known > Fraction(math.nextafter(found, 0.0))


def test_a_relation_about_other_entries_is_refused() -> None:
    exact = sums([[1.0, 2.0]])
    for odd in (Neighbours((1.0, 2.0, 3.0)), Neighbours(1.0, (0, 0, 1))):
        with pytest.raises(ValueError, match=r"^$"):
            exact.sensitivity(odd, 1, -60)


@pytest.mark.parametrize("order", [1, 2])
def test_a_total_pays_for_the_rounding_of_every_entry(order: int) -> None:
    """Seven entries cross the middle of a step by next to nothing, and move by a whole one."""
    exact = sums([[1.0] * 8])
    step = math.ldexp(1.0, -exact.coarse)
    d, other = np.full(8, 1.0 + 0.499 * step), np.full(8, 1.0 + 0.501 * step)
    other[0] = d[0] + 1.0 - 8 * 0.002 * step
    spent = sum(abs(Fraction(float(b)) - Fraction(float(a))) for a, b in zip(d, other, strict=True))
    assert spent <= 1
    unit = Fraction(2) ** -(exact.fine + exact.coarse)
    moved = abs(int(exact.at(other)[0]) - int(exact.at(d)[0])) * unit
    charged = Fraction(exact.sensitivity(Neighbours(1.0, None, "total"), order, -200))
    assert 1 + 6 * Fraction(step) <= moved <= charged
