"""The reported charge is never below the exact one: random scales, grids and dimensions.

Laplace and truncated Laplace in exact fractions. Rounded to a grid of step 2^k, values that move by
Delta in the l1 norm move by at most (p - 1 + ceil(Delta / 2^k)) steps: one for each coordinate that
hardly moves, the rest in the last one. Gaussian noise by the exact curve of the normal law (Balle
and Wang), which no conversion can beat.
"""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import log_ndtr

import privopt as po
from privopt.noise import secure
from privopt.noise.calibration import Calibration


def worst(size: int, Delta: float, k: int) -> Fraction:
    """The largest l1 distance of two neighbours on the grid."""
    step = Fraction(2) ** k
    return (size - 1 + math.ceil(Fraction(Delta) / step)) * step


def drawn(rng: np.random.Generator) -> tuple[int, float, float, float | None, int]:
    """Values, Delta, epsilon, a public bound on the values, tries."""
    size = int(2 ** rng.uniform(0, 9))
    Delta, epsilon = 10 ** rng.uniform(-9, 9), 10 ** rng.uniform(-3, 1.5)
    bound = None if rng.random() < 0.5 else Delta * 10 ** rng.uniform(-3, 12)
    return size, Delta, epsilon, bound, int(rng.choice([1, 1, 1, 2, 3, 7]))


def check_laplace(found: Calibration, asked: float, Delta: float) -> None:
    exact = found.tries * worst(found.size, Delta, found.exponent) / Fraction(found.scale)
    assert exact <= Fraction(found.epsilon) <= Fraction(asked)


def charges(cases: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for number in range(cases):
        size, Delta, epsilon, bound, tries = drawn(rng)
        if number % 2:
            noise = po.Laplace(epsilon=epsilon, alpha=1)
        else:
            noise = po.TruncatedLaplace(epsilon=epsilon, delta=10 ** rng.uniform(-9, -1), alpha=1)
        found = noise.calibrate(size, Delta, bound=bound, tries=tries)
        check_laplace(found, epsilon, Delta)
        # And on a grid and a scale that nobody chose well.
        scale, k = Delta * 10 ** rng.uniform(-3, 3), int(rng.integers(-60, 20))
        k += math.floor(math.log2(scale))
        reported = Fraction(secure.laplace_charge(size, scale, k, Delta))
        assert reported >= worst(size, Delta, k) / Fraction(scale)


@pytest.mark.long
def test_charges_are_never_below_the_exact_ones() -> None:
    charges(1_500, seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(1, 11))
def test_charges_are_never_below_the_exact_ones_a_hundred_thousand_times(block: int) -> None:
    charges(10_000, seed=block)


def test_a_charge_that_forgets_the_grid_is_caught() -> None:
    """The same check, on a calibration that reports Delta / scale alone."""
    found = po.Laplace(epsilon=1.0, alpha=1).calibrate(300, 1.0, bound=1e12)
    check_laplace(found, 1.0, 1.0)
    with pytest.raises(AssertionError):
        check_laplace(dataclasses.replace(found, epsilon=1.0 / found.scale), 1.0, 1.0)


def gaussian_delta(epsilon: float, ratio: float) -> float:
    """Phi(r/2 - e/r) - exp(e) Phi(-r/2 - e/r), for r = Delta / sigma."""
    high = float(log_ndtr(ratio / 2 - epsilon / ratio))
    low = epsilon + float(log_ndtr(-ratio / 2 - epsilon / ratio))
    return math.exp(high) * -math.expm1(low - high)


def gaussian_charges(cases: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        size, Delta, epsilon, bound, tries = drawn(rng)
        delta = 10 ** rng.uniform(-10, -2)
        found = po.Gaussian(epsilon=epsilon, delta=delta, alpha=1).calibrate(
            size, Delta, bound=bound, tries=tries
        )
        assert Fraction(found.epsilon) <= Fraction(epsilon)
        # One step a coordinate, in the l2 norm.
        moved = Delta + math.sqrt(size) * math.ldexp(1.0, found.exponent)
        each = gaussian_delta(found.epsilon / tries, moved / found.scale)
        assert each <= delta / tries * (1 + 1e-9)


@pytest.mark.long
def test_gaussian_charges_are_never_below_the_exact_curve() -> None:
    gaussian_charges(40, seed=0)


@pytest.mark.slow
def test_gaussian_charges_are_never_below_the_exact_curve_many_times() -> None:
    gaussian_charges(2_000, seed=1)
