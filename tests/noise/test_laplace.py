"""The Laplace law against scipy, its cone below its quantile, and its calibration."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest, laplace

import privopt as po
from privopt.noise.laplace import LaplaceLaw

steady = settings(deadline=None, max_examples=50, derandomize=True)
LAW = LaplaceLaw()


def test_variance_and_bound_are_those_of_the_law() -> None:
    assert LAW.variance == laplace.var()
    assert LAW.bound == math.inf
    assert not LAW.spherical


@pytest.mark.parametrize("outside", [0.99, 0.5, 0.1, 1e-12, 1e-200])
def test_half_width_leaves_its_mass_outside(outside: float) -> None:
    w, mass = LAW.half_width(outside), 1 - outside
    assert math.exp(-w) == pytest.approx(outside, rel=1e-12)
    assert LAW.mass(np.array([-w]), np.array([w])) == pytest.approx(mass, rel=1e-3, abs=1e-15)


@steady
@given(
    ends=st.lists(
        st.tuples(st.floats(-40, 40), st.floats(0, 40)),
        min_size=1,
        max_size=4,
    )
)
def test_the_mass_of_a_box_is_the_product_of_its_sides(ends: list[tuple[float, float]]) -> None:
    low = np.array([start for start, _ in ends])
    high = low + np.array([width for _, width in ends])
    wanted = float(np.prod(laplace.cdf(high) - laplace.cdf(low)))
    assert LAW.mass(low, high) == pytest.approx(wanted, rel=1e-9, abs=1e-15)


def test_an_unbounded_side_is_allowed() -> None:
    low, high = np.array([-np.inf, 0.0]), np.array([np.inf, np.inf])
    assert LAW.mass(low, high) == pytest.approx(0.5)


def test_draws_follow_the_law_and_the_generator() -> None:
    draws = LAW.sample(np.random.default_rng(1), (200, 50))
    assert draws.shape == (200, 50)
    assert kstest(draws.ravel(), laplace.cdf).pvalue > 1e-3
    assert np.array_equal(draws, LAW.sample(np.random.default_rng(1), (200, 50)))


@pytest.mark.parametrize("eta", [1e-6, 0.001, 0.0249, 0.05, 0.17, 0.3, 0.49, 0.4985, 0.4999])
def test_the_cone_lies_below_the_quantile_everywhere(eta: float) -> None:
    """Otherwise the program would ask for more than the exact margin."""
    rng = np.random.default_rng(0)
    p = 6
    a = np.vstack([np.tril(np.ones((p, p))), rng.normal(size=(50, p))])
    q = LAW.quantile(a, np.full(len(a), eta))[0]
    factor = LAW.cone(np.array([eta]), p)[0]
    assert (factor * math.sqrt(2.0) * np.linalg.norm(a, axis=1) <= q).all()
    assert factor > 0


def test_a_vector_of_etas_gives_a_factor_each() -> None:
    etas = np.array([0.3, 0.01, 0.3])
    factors = LAW.cone(etas, 4)
    assert factors.tolist() == [LAW.cone(np.array([eta]), 4)[0] for eta in etas]


def test_the_quantile_of_one_entry_is_its_own() -> None:
    etas = np.array([0.01, 0.2])
    q = LAW.quantile(np.array([[2.0, 0.0], [0.0, -3.0]]), etas)[0]
    assert q == pytest.approx([2 * laplace.isf(0.01), 3 * laplace.isf(0.2)])


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 7.0])
def test_the_scale_is_sensitivity_over_epsilon(epsilon: float) -> None:
    noise = po.Laplace(epsilon=epsilon, alpha=0.1)
    found = noise.calibrate(3, 0.4)
    assert found.scale == pytest.approx(0.4 / epsilon, rel=1e-9)
    assert Fraction(found.scale) >= Fraction(0.4) / Fraction(epsilon)
    assert found.deviation == pytest.approx(math.sqrt(2) * found.scale)
    assert (found.size, found.sensitivity, found.delta, found.tries) == (3, 0.4, 0.0, 1)


def test_tries_share_the_budget() -> None:
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    one, five = noise.calibrate(2, 0.1), noise.calibrate(2, 0.1, tries=5)
    assert five.scale == pytest.approx(5 * one.scale, rel=1e-9)
    assert five.epsilon <= 1.0
    assert five.tries == 5


def test_a_draw_lies_on_the_grid_around_the_values() -> None:
    found = po.Laplace(epsilon=1e6, alpha=0.1).calibrate(2, 0.1, bound=100.0)
    values = np.array([3.0, -80.0])
    y = found.draw(values)
    step = Fraction(2) ** found.exponent
    assert all((Fraction(float(value)) / step).denominator == 1 for value in y)
    assert np.abs(y - values).max() <= 100 * found.scale  # wrong once in e^100 runs


def test_a_large_public_bound_makes_the_grid_coarser_and_pays_for_it() -> None:
    noise = po.Laplace(epsilon=1.0, alpha=1.0)
    fine, coarse = noise.calibrate(4, 1.0), noise.calibrate(4, 1.0, bound=2.0**48)
    assert fine.exponent < coarse.exponent
    for found in (fine, coarse):
        wanted = 1 + 4 * Fraction(2) ** found.exponent
        assert wanted <= Fraction(found.scale) <= wanted * (1 + Fraction(1, 10**12))


def test_replace_changes_what_is_given_only() -> None:
    noise = po.Laplace(epsilon=1.0, alpha=0.1, sensitivity=po.Assumed(2.0))
    assert dataclasses.replace(noise, epsilon=3.0) == po.Laplace(
        epsilon=3.0, alpha=0.1, sensitivity=po.Assumed(2.0)
    )
    assert dataclasses.replace(noise, alpha=3.0).alpha == 3.0
    assert dataclasses.replace(noise) == noise


def test_the_promise_is_in_words() -> None:
    assert po.Laplace(epsilon=0.5, alpha=1.0).describe() == "0.5-differential privacy (Laplace)"
