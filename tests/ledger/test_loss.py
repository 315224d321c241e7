"""Composed losses against closed forms and against sums rounded the other way."""

from __future__ import annotations

import math
import sys
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.signal import fftconvolve
from scipy.stats import binom, norm

from privopt.errors import InputError
from privopt.ledger.loss import epsilon
from privopt.noise.loss import GaussianLoss, LaplaceLoss, PairLoss


def gaussian_delta(mu: float, e: float) -> float:
    """Balle and Wang 2018."""
    return norm.cdf(mu / 2 - e / mu) - math.exp(e + norm.logcdf(-mu / 2 - e / mu))


def pairs_delta(e: float, times: int, at: float) -> float:
    """Exactly, by the binomial law: the loss is e (2j - n) with j of n heads (Kairouz 2015)."""
    j = np.arange(times + 1)
    mass = binom.pmf(j, times, 1 / (1 + math.exp(-e)))
    return float(mass @ np.maximum(0.0, -np.expm1(at - e * (2 * j - times))))


def laplace_below(a: float, times: int, delta: float, h: float) -> float:
    """An epsilon below the true one: every loss rounded down to a grid, with other means."""
    n = round(2 * a / h)
    mass = np.zeros(n + 1)
    cuts = -a + h * np.arange(n + 1)
    mass[:-1] = [0.5 * (math.exp(-(a - y) / 2) - math.exp(-(a - x) / 2)) for x, y in pairwise(cuts)]
    mass[-1] += 0.5  # noise below zero: the whole loss a
    mass[0] += 0.5 * math.exp(-a)  # beyond the shift: -a
    assert mass.sum() == pytest.approx(1, abs=1e-12)
    total = mass
    for _ in range(times - 1):
        total = fftconvolve(total, mass)
    at = -times * a + h * np.arange(len(total))
    return float(
        brentq(lambda e: total @ np.maximum(0.0, -np.expm1(e - at)) - delta, 0, times * a + 1)
    )


@pytest.mark.parametrize("a", [1e-4, 0.1, 1.0, 5.0, 60.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-3])
def test_one_laplace_release(a: float, delta: float) -> None:
    exact = max(0.0, a + 2 * math.log1p(-delta))  # from 1 - exp((e - a) / 2) = delta
    found = epsilon({LaplaceLoss(a): 1}, delta)
    assert exact <= found
    assert found <= exact + 1e-4 * a


@pytest.mark.long
@pytest.mark.parametrize("mu", [0.01, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("delta", [1e-10, 1e-6, 1e-3])
def test_gaussian_releases_are_one_of_less_noise(mu: float, delta: float) -> None:
    for times in (1, 7, 400):
        found = epsilon({GaussianLoss(mu / math.sqrt(times)): times}, delta)
        assert gaussian_delta(mu, found) <= delta
        assert gaussian_delta(mu, found * 0.998 - 1e-6) > delta


@pytest.mark.long
@pytest.mark.parametrize(
    ("e", "times"),
    [(1.0, 1), (0.1, 10), (0.03, 300), (0.01, 10_000), (1e-3, 100_000), (3.0, 4)],
)
def test_what_epsilon_privacy_allows(e: float, times: int) -> None:
    for delta in (1e-8, 1e-6, 1e-2):
        found = epsilon({PairLoss(e, 0.0): times}, delta)
        assert pairs_delta(e, times, found) <= delta
        assert pairs_delta(e, times, found * 0.99 - 1e-5) > delta


@pytest.mark.parametrize(("a", "times"), [(0.1, 10), (0.5, 20), (1.0, 3), (0.05, 60)])
def test_laplace_releases_lie_between_rounding_down_and_the_worst_case(
    a: float, times: int
) -> None:
    for delta in (1e-6, 1e-3):
        below = laplace_below(a, times, delta, a / 1000)
        found = epsilon({LaplaceLoss(a): times}, delta)
        assert below <= found <= below + times * a / 1000 + 1e-3
        assert found <= epsilon({PairLoss(a, 0.0): times}, delta) + 1e-9


def test_deltas_compose() -> None:
    losses = {PairLoss(0.1, 1e-7): 5, PairLoss(0.2, 0.0): 1}
    reached = 1 - (1 - 1e-7) ** 5
    assert epsilon(losses, reached * 0.999) == math.inf
    assert epsilon(losses, reached + 1e-11) == pytest.approx(0.7, rel=1e-3)


def test_kinds_compose_with_each_other() -> None:
    """Gaussian kinds of any mixture are one Gaussian; a hair of another kind changes little."""
    mixed = {
        GaussianLoss(0.3): 4,
        GaussianLoss(0.4): 4,
        LaplaceLoss(1e-6): 3,
        PairLoss(1e-6, 1e-13): 3,
    }
    found = epsilon(mixed, 1e-6)
    assert gaussian_delta(1.0, found) <= 1e-6 < gaussian_delta(1.0, found * 0.998)


def test_what_is_too_large_or_impossible_has_no_epsilon() -> None:
    assert epsilon({}, 1e-6) == 0
    assert epsilon({PairLoss(1e6, 0.0): 1}, 1e-6) == math.inf
    assert epsilon({GaussianLoss(1e3): 2}, 1e-6) == math.inf
    assert epsilon({LaplaceLoss(1.0): 1}, 0.0) == math.inf
    assert epsilon({PairLoss(0.0, 1e-9): 1}, 1e-6) == math.inf


def test_without_the_package_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dp_accounting.pld.privacy_loss_distribution", None)
    with pytest.raises(InputError, match=r"pip install '[./].*\[accounting\]'"):
        epsilon({LaplaceLoss(1.0): 1}, 1e-6)
