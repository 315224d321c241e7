"""What stands for a privacy loss: means, deviations and largest values, against numerical ones."""

from __future__ import annotations

import math

import pytest
from scipy.integrate import quad
from scipy.stats import laplace, norm

from privopt.noise.loss import GaussianLoss, LaplaceLoss, PairLoss

SHIFTS = (0.01, 0.1, 0.5, 1.0, 3.0)


@pytest.mark.parametrize("a", SHIFTS)
def test_laplace(a: float) -> None:
    """L = |y - a| - |y| for y from Laplace(0): at most a, and both moments by integration."""

    def moment(power: int) -> float:
        def inside(y: float) -> float:
            return (abs(y - a) - abs(y)) ** power * laplace.pdf(y)

        parts = ((-60.0, 0.0), (0.0, a), (a, 60.0))
        return sum(quad(inside, *ends)[0] for ends in parts)

    mean, deviation, largest = LaplaceLoss(a).spread
    true = moment(1)
    assert true <= mean <= 1.7 * true + 1e-12
    assert math.sqrt(moment(2) - true**2) <= deviation
    assert largest == a


@pytest.mark.parametrize("mu", SHIFTS)
def test_gaussian(mu: float) -> None:
    """L = ((y - mu)^2 - y^2) / 2 for y from N(0, 1) is N(mu^2 / 2, mu^2), without a bound."""
    mean, deviation, largest = GaussianLoss(mu).spread

    def inside(y: float) -> float:
        return ((y - mu) ** 2 - y**2) / 2 * norm.pdf(y)

    assert mean == pytest.approx(quad(inside, -12, 12)[0], rel=1e-8)
    assert deviation == mu
    assert largest == math.inf


@pytest.mark.parametrize("e", SHIFTS)
def test_all_that_differential_privacy_allows(e: float) -> None:
    """E or -e with odds exp(e) to 1: mean e tanh(e/2), which is at most both bounds on it."""
    mean, deviation, largest = PairLoss(e, 1e-6).spread
    true = e * math.tanh(e / 2)
    assert true <= mean <= 1.1 * true + (e - true if e >= 1 else 0)
    assert math.sqrt(e * e - true * true) <= deviation
    assert largest == e
