"""Densities against scipy; the loss between two centres against integrals of the densities."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import laplace, norm

import privopt as po
from privopt.noise.calibration import Privacy
from privopt.noise.gaussian import GaussianLaw
from privopt.noise.laplace import LaplaceLaw
from privopt.noise.law import Law
from privopt.noise.truncated import TruncatedLaw

Density = Callable[[float], float]


def hockey_stick(
    epsilon: float, p: Density, q: Density, ends: tuple[float, float], at: list[float]
) -> float:
    """Integral of max(p - e^epsilon q, 0)."""

    def gap(x: float) -> float:
        return max(p(x) - math.exp(epsilon) * q(x), 0.0)

    return float(quad(gap, *ends, points=at, limit=400)[0])


@pytest.mark.parametrize("m", [0.05, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("delta", [1e-5, 1e-2])
def test_gaussian_loss_uses_up_delta(m: float, delta: float) -> None:
    epsilon = GaussianLaw().loss(np.array([m]), delta)
    used = hockey_stick(
        epsilon, norm(m).pdf, norm(0).pdf, (-12.0, 16.0), [m / 2 + epsilon / m if epsilon else 0.0]
    )
    assert used <= delta * (1 + 1e-6)
    if epsilon > 0:
        assert used == pytest.approx(delta, rel=1e-4)


def test_gaussian_loss_of_nothing_is_nothing() -> None:
    assert GaussianLaw().loss(np.zeros(2), 1e-5) == 0.0


def truncated_density(centre: float, bound: float) -> Density:
    mass = -2 * math.expm1(-bound)
    return lambda x: math.exp(-abs(x - centre)) / mass if abs(x - centre) <= bound else 0.0


@pytest.mark.parametrize("v", [0.1, 0.8, 2.0])
@pytest.mark.parametrize("delta", [1e-6, 1e-3, 0.05])
def test_truncated_loss_never_exceeds_the_exact_one(v: float, delta: float) -> None:
    bound = 5.0
    found = TruncatedLaw(bound).loss(np.array([v]), delta)
    p, q = truncated_density(0.0, bound), truncated_density(v, bound)
    corners = [-bound, v - bound, 0.0, v / 2, v, bound]

    def used(epsilon: float) -> float:
        return hockey_stick(epsilon, p, q, (-bound, bound + v), corners)

    if math.isinf(found):
        assert used(50.0) > delta
    else:
        assert used(found * (1 - 1e-6)) >= delta * (1 - 1e-6) or found == 0
        if delta <= 1e-3:
            assert used(found * 1.01 + 1e-6) < delta  # and in one dimension it is the exact one


def test_more_coordinates_only_help() -> None:
    one = TruncatedLaw(12.0).loss(np.array([0.5]), 1e-5)
    two = TruncatedLaw(12.0).loss(np.array([0.5, 0.4]), 1e-5)
    assert 0.49 < one < 0.5
    assert 0.89 < two < 0.9


@pytest.mark.parametrize(
    "noise",
    [
        po.Laplace(epsilon=0.7, alpha=0.1),
        po.Gaussian(epsilon=0.7, delta=1e-5, alpha=0.1),
        po.TruncatedLaplace(epsilon=0.7, delta=1e-5, alpha=0.1),
    ],
)
def test_calibrated_noise_keeps_its_promise_at_the_sensitivity(noise: Privacy) -> None:
    calibration = noise.calibrate(3, 0.1)
    at = calibration.loss(np.array([0.1, 0.0, 0.0]), noise.delta)
    assert 0.5 < at <= 0.7
    assert calibration.loss(np.array([0.2, 0.0, 0.0]), noise.delta) > 0.8


@pytest.mark.parametrize(("law", "reference"), [(LaplaceLaw(), laplace), (GaussianLaw(), norm)])
def test_the_logarithm_of_the_density(law: Law, reference: Any) -> None:
    x = np.array([[0.0, -0.0, 1e-300, 1.0], [-2.5, 40.0, -600.0, np.inf]])
    assert law.log_density(x) == pytest.approx(reference.logpdf(x), rel=1e-14)
    assert law.log_density(x).shape == x.shape
    assert law.log_density(np.zeros((5, 0))).shape == (5, 0)


@pytest.mark.parametrize("bound", [1e-6, 0.3, 5.0, 600.0])
def test_the_density_of_truncated_noise_ends_at_its_bound(bound: float) -> None:
    law = TruncatedLaw(bound)
    inside = bound * np.array([-1.0, -0.7, 0.0, 0.2, 1.0])
    wanted = laplace.logpdf(inside) - math.log(-math.expm1(-bound))
    assert law.log_density(inside) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    beyond = np.array([np.nextafter(bound, np.inf), -2 * bound, np.inf])
    assert law.log_density(beyond).tolist() == [-np.inf] * 3


@pytest.mark.parametrize("law", [LaplaceLaw(), GaussianLaw(), TruncatedLaw(1.7)])
def test_the_density_is_that_of_the_mass(law: Law) -> None:
    def density(x: float) -> float:
        return math.exp(float(law.log_density(np.array([x]))[0]))

    for low, high in [(-1.2, 0.0), (0.0, 0.4), (0.4, 1.65)]:
        whole = law.mass(np.array([low]), np.array([high]))
        assert quad(density, low, high)[0] == pytest.approx(whole, rel=1e-9)


@pytest.mark.parametrize(
    "law", [LaplaceLaw(), GaussianLaw(), TruncatedLaw(0.01), TruncatedLaw(40.0)]
)
@pytest.mark.parametrize("part", [0.0, 1e-9, 0.02, 0.3, 0.7, 0.99])
def test_the_overshoot_is_its_integral(law: Law, part: float) -> None:
    """The integral of (s - x) density(s), relative to itself, however far out x is."""
    x = part * min(law.bound, 25.0)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    ends = np.linspace(x, min(law.bound, x + 45.0), 46)
    half = 0.5 * np.diff(ends)[:, None]
    beyond = ends[:-1, None] - x + half * (1 + nodes)
    whole = float((half * weights * beyond * np.exp(law.log_density(x + beyond))).sum())
    assert law.overshoot(np.array([x]))[0] == pytest.approx(whole, rel=1e-11)


def test_beyond_its_bound_noise_does_not_reach() -> None:
    assert TruncatedLaw(2.0).overshoot(np.array([2.0, 3.0, 1e300])).tolist() == [0.0, 0.0, 0.0]
    for law in (LaplaceLaw(), GaussianLaw()):
        assert law.overshoot(np.array([1e300])).tolist() == [0.0]
