"""The Gaussian law against scipy; sigma against the exact privacy curve of the Gaussian."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import log_ndtr
from scipy.stats import kstest, norm

import privopt as po
from privopt.errors import InputError
from privopt.noise import secure
from privopt.noise.gaussian import GaussianLaw

steady = settings(deadline=None, max_examples=15, derandomize=True)
LAW = GaussianLaw()


def exact_delta(sigma: float, Delta: float, epsilon: float) -> float:
    """Phi(D/2s - e s/D) - e^e Phi(-D/2s - e s/D) (Balle and Wang 2018, Theorem 8)."""
    shift, slope = Delta / (2 * sigma), epsilon * sigma / Delta
    return float(norm.cdf(shift - slope) - math.exp(epsilon + log_ndtr(-shift - slope)))


def exact_sigma(Delta: float, epsilon: float, delta: float) -> float:
    """The least sigma that is (epsilon, delta)-private."""
    root = brentq(
        lambda x: exact_delta(math.exp(x), Delta, epsilon) - delta,
        math.log(Delta) - 8,
        math.log(Delta) + 12,
    )
    return math.exp(float(root))


def test_the_law_is_the_standard_normal() -> None:
    assert LAW.variance == 1.0
    assert LAW.bound == math.inf
    assert LAW.spherical
    draws = LAW.sample(np.random.default_rng(1), (100, 100))
    assert kstest(draws.ravel(), norm.cdf).pvalue > 1e-3


@pytest.mark.parametrize("mass", [1e-9, 0.1, 0.95, 1 - 1e-12])
def test_half_width_holds_its_mass(mass: float) -> None:
    w = LAW.half_width(1 - mass)
    assert math.erf(w / math.sqrt(2)) == pytest.approx(mass, rel=1e-7)
    assert LAW.mass(np.full(3, -w), np.full(3, w)) == pytest.approx(mass**3, rel=1e-6)


@pytest.mark.parametrize("eta", [1e-6, 0.025, 0.45])
def test_cone_and_quantile_are_the_same_multiple_of_the_norm(eta: float) -> None:
    a = np.random.default_rng(0).normal(size=(5, 3))
    a[2] = 0.0
    q, slope = LAW.quantile(a, np.full(5, eta))
    size = np.linalg.norm(a, axis=1)
    assert q == pytest.approx(norm.isf(eta) * size)
    assert LAW.cone(np.array([eta]), 3)[0] * size == pytest.approx(q)
    assert (slope * a).sum(axis=1) == pytest.approx(q)
    assert np.linalg.norm(slope, axis=1)[size > 0] == pytest.approx(norm.isf(eta))
    assert slope[2].tolist() == [0.0, 0.0, 0.0]


@steady
@given(
    epsilon=st.floats(0.02, 8.0),
    delta=st.sampled_from([1e-9, 1e-5, 1e-2, 0.3]),
    Delta=st.floats(1e-3, 1e3),
    size=st.integers(1, 20),
)
def test_sigma_is_private_by_the_exact_curve_and_near_the_least(
    epsilon: float, delta: float, Delta: float, size: int
) -> None:
    sigma = po.Gaussian(epsilon=epsilon, delta=delta, alpha=1.0).calibrate(size, Delta).scale
    assert exact_delta(sigma, Delta, epsilon) <= delta
    assert sigma <= 1.6 * exact_sigma(Delta, epsilon, delta)


def test_the_common_request_costs_a_tenth_more_than_the_least_sigma() -> None:
    sigma = po.Gaussian(epsilon=1.0, delta=1e-5, alpha=1.0).calibrate(1, 1.0).scale
    assert 1.0 < sigma / exact_sigma(1.0, 1.0, 1e-5) < 1.1


@pytest.mark.parametrize(("epsilon", "delta"), [(0.3, 1e-5), (1.0, 1e-6), (5.0, 1e-3)])
def test_no_smaller_sigma_has_a_charge_within_epsilon(epsilon: float, delta: float) -> None:
    found = po.Gaussian(epsilon=epsilon, delta=delta, alpha=1.0).calibrate(2, 1.0)
    less = secure.gaussian_charge(2, found.scale * (1 - 1e-6), found.exponent, 1.0, delta)
    assert found.epsilon <= epsilon < less


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 0.99])
@pytest.mark.parametrize("delta", [1e-9, 1e-5, 1e-2])
def test_the_classical_sigma_is_the_papers(epsilon: float, delta: float) -> None:
    found = po.Gaussian(epsilon=epsilon, delta=delta, alpha=1.0, calibration="classical")
    charge = po.Gaussian(epsilon=epsilon, delta=delta, alpha=1.0)
    sigma = found.calibrate(2, 0.7).scale
    assert sigma == pytest.approx(0.7 * math.sqrt(2 * math.log(1.25 / delta)) / epsilon, rel=1e-9)
    assert charge.calibrate(2, 0.7).scale < sigma


@pytest.mark.parametrize("epsilon", [1.0, 2.0])
def test_the_classical_sigma_is_refused_where_it_is_not_proven(epsilon: float) -> None:
    with pytest.raises(InputError, match="classical"):
        po.Gaussian(epsilon=epsilon, delta=1e-5, alpha=1.0, calibration="classical")


def test_an_unknown_calibration_is_refused() -> None:
    with pytest.raises(InputError, match="calibration is 'best'"):
        po.Gaussian(epsilon=0.5, delta=1e-5, alpha=1.0, calibration="best")  # pyright: ignore[reportArgumentType]


def test_tries_share_epsilon_and_delta() -> None:
    found = po.Gaussian(epsilon=1.0, delta=1e-5, alpha=1.0).calibrate(2, 1.0, tries=4)
    assert exact_delta(found.scale, 1.0, 1.0 / 4) <= 1e-5 / 4
    assert found.epsilon <= 1.0
    assert found.delta == 1e-5


def test_sensitivity_is_in_the_two_norm() -> None:
    noise = po.Gaussian(epsilon=0.5, delta=1e-5, alpha=1.0)
    assert noise.order == 2
    assert noise.describe() == "(0.5, 1e-05)-differential privacy (Gaussian)"


def test_replace_keeps_the_calibration() -> None:
    noise = po.Gaussian(epsilon=0.5, delta=1e-5, alpha=1.0, calibration="classical")
    assert dataclasses.replace(noise, alpha=2.0).calibration == "classical"
    assert dataclasses.replace(noise, epsilon=0.25).epsilon == 0.25
    with pytest.raises(InputError, match="classical"):
        dataclasses.replace(noise, epsilon=2.0)
