"""What conversion to floats moves: exact fractions over random decimals and integers."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import privopt as po
from privopt.noise.neighbours import Neighbours, exact_alpha, widened


def clamped(x: Fraction, lower: float, upper: float) -> float:
    """As privopt does it: rounded to a float once, then clamped."""
    return min(max(float(x), lower), upper)


def decimals(rng: np.random.Generator, lower: float, alpha: str) -> tuple[Fraction, Fraction]:
    """Two decimals exactly alpha apart, at or beyond the lower end."""
    digits = int(rng.integers(0, 22))
    x = Fraction(lower) + Fraction(int(rng.integers(-20, 60)), 10) * Fraction(alpha)
    x = Fraction(Decimal(str(float(x))) + Decimal(int(rng.integers(10**9))).scaleb(-digits - 9))
    return x, x + Fraction(alpha)


@pytest.mark.parametrize("count", [800, pytest.param(4000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("alpha", ["0.95", "0.1", "0.3", "1", "7", "1e-5", "123456.789", "3e20"])
def test_neighbours_stay_within_the_widened_alpha(alpha: str, count: int) -> None:
    rng = np.random.default_rng(0)
    worst = Fraction(0)
    for _ in range(count):
        lower = float(alpha) * float(rng.choice([-1, 1]) * 2 ** rng.uniform(-3, 27.9))
        upper = lower + 4 * float(alpha)
        most = Fraction(widened(float(alpha), lower, upper))
        x, y = decimals(rng, lower, alpha)
        apart = abs(Fraction(clamped(x, lower, upper)) - Fraction(clamped(y, lower, upper)))
        assert apart <= most
        worst = max(worst, (apart - Fraction(alpha)) / (most - Fraction(alpha)))
    assert worst > Fraction(1, 4)  # the bound is met up to a factor: it is needed


@pytest.mark.parametrize("end", [1.0, 2.0**20, 2.0**53, 2.0**62, 1e15, 3.0e17])
def test_integers_of_any_size(end: float) -> None:
    rng = np.random.default_rng(1)
    alpha = 2.0 ** (math.frexp(end)[1] - 27)
    step = max(1, int(alpha))
    most = Fraction(widened(alpha, -end, end))
    for _ in range(2000):
        x = int(end) - int(rng.integers(2**40)) % (int(end) + 1) + int(rng.integers(2))
        near, far = (clamped(Fraction(v), -end, end) for v in (x, x - step))
        if step <= alpha:
            assert abs(Fraction(near) - Fraction(far)) <= most


def test_alpha_is_the_decimal_that_was_typed() -> None:
    """0.95 as a float lies below 95/100, 0.1 above 1/10."""
    assert exact_alpha(0.95) == Fraction(95, 100) > Fraction(0.95)
    assert exact_alpha(0.1) == Fraction(0.1) > Fraction(1, 10)
    assert exact_alpha(np.float64(0.95)) == Fraction(95, 100)


def test_the_widening_costs_next_to_nothing() -> None:
    for far in (0.0, 1.0, 1e3, 1e6, 1e8):
        assert 1.0 < widened(1.0, far, far + 1) <= 1 + 2.0**-24


@pytest.mark.parametrize("domain", [(0.0, 1e12), (-1e12, 0.0), (2.0**53, 2.0**53 + 8), (0, 1e308)])
def test_a_domain_too_far_from_zero_is_refused(domain: tuple[float, float]) -> None:
    with pytest.raises(po.errors.InputError, match="2\\^28") as caught:
        widened(1.0, *domain)
    assert "reference" in str(caught.value)


def test_entries_with_bounds_of_their_own_count_as_the_farthest() -> None:
    lower, upper = np.array([0.0, -3.0e6]), np.array([1.0, 2.0])
    assert widened(1.0, lower, upper) == widened(1.0, 0.0, 3.0e6)
    assert widened(0.5, np.zeros(0), np.zeros(0)) >= 0.5


def test_one_form_for_each_relation() -> None:
    of = Neighbours.of
    assert of((0.1, 0.1), ("a", "b"), "total") == of(0.1, None, "each") == Neighbours(0.1)
    assert of(0.1, ("b", "b", "a"), "each") == of(0.1, ("x", "x", "y"), "each")
    assert of(0.1, ("b", "b"), "total") == of(0.1, None, "total")
    assert of(0.1, ("b", "b"), "each") != of(0.1, None, "each")
    assert of((0.1, 0.2), None, "each").groups(2) == [[0], [1]]
    assert of(0.1, None, "total").groups(3) == [[0, 1, 2]]
    assert of(0.1, ("b", "a", "b"), "each").groups(3) == [[0, 2], [1]]
    for odd in (of((0.1, 0.2), None, "each"), of(0.1, ("a", "a"), "each")):
        with pytest.raises(ValueError, match=r"^$"):
            odd.groups(3)


def test_numbers_of_a_relation() -> None:
    some = Neighbours.of((0.3, 0.0, 0.1), ("a", "a", "b"), "each")
    assert (some.largest, some.least, some.grain, some.together) == (0.3, 0.0, 0.1, 2)
    assert Neighbours(0.1).together == 1
    assert Neighbours(0.1, None, "total").together == 0
    wide = some.widened(np.zeros(3), np.ones(3))
    assert wide.alpha == (widened(0.3, 0, 1), 0.0, widened(0.1, 0, 1))
    assert wide.moved == math.ulp(1.0)


def test_whether_data_are_neighbours() -> None:
    each, total = Neighbours(0.1, (0, 0, 1)), Neighbours((0.1, 0.2, 0.3), (0, 0, 1), "total")
    for relation, apart, holds in (
        (each, [0.1, 0.1, 0.0], True), (each, [0.1, 0.0, 0.1], False), (each, [0.2, 0, 0], False),
        (each, [0.0, 0.0, 0.0], False), (total, [0.05, 0.1, 0.0], True), (total, [0, 0, 0.3], True),
        (total, [0.06, 0.1, 0.0], False), (Neighbours((0.0, 1.0)), [0.1, 0.0], False),
    ):  # fmt: skip
        assert relation.holds(np.array(apart)) is holds
