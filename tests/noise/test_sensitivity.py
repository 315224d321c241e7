"""Norms and products are rounded up, and by no more than a unit in the last place."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import privopt as po
from privopt.claims.guarantee import Provenance
from privopt.errors import InputError
from privopt.noise.calibration import query_sensitivity
from privopt.noise.sensitivity import largest_column_norm, round_up

steady = settings(deadline=None, max_examples=80, derandomize=True)
entries = st.floats(-1e6, 1e6).map(lambda x: x if abs(x) > 1e-6 else 0.0) | st.just(0.1)
matrices = hnp.arrays(float, hnp.array_shapes(min_dims=2, max_dims=2, max_side=5), elements=entries)


def below(value: float) -> Fraction:
    return Fraction(float(np.nextafter(value, -np.inf)))


@steady
@given(value=st.fractions() | st.floats(0, 1e300).map(Fraction))
def test_round_up_is_the_smallest_float_not_below(value: Fraction) -> None:
    found = round_up(value)
    assert below(found) < value <= Fraction(found)


@steady
@given(S=matrices)
def test_the_one_norm_is_the_exact_sum_rounded_up(S: Any) -> None:
    exact = max(sum(abs(Fraction(float(x))) for x in column) for column in S.T)
    assert largest_column_norm(sp.csr_array(S), 1) == round_up(Fraction(exact))


@steady
@given(S=matrices)
def test_the_two_norm_is_not_below_the_exact_one(S: Any) -> None:
    exact = Fraction(max(sum(Fraction(float(x)) ** 2 for x in column) for column in S.T))
    found = largest_column_norm(sp.csr_array(S), 2)
    assert Fraction(found) ** 2 >= exact
    assert (Fraction(found) * (1 - Fraction(1, 2**51))) ** 2 <= exact


def test_a_sum_that_floats_get_wrong_is_right() -> None:
    """Ten times 0.1 is less than 1 in floats and a little more than 1 in truth."""
    assert sum([0.1] * 10) < 1.0
    assert largest_column_norm(sp.csr_array(np.full((10, 1), 0.1)), 1) > 1.0


def test_known_norms() -> None:
    S = sp.csr_array([[3.0, 1.0, 0.0], [-4.0, 1.0, 0.0], [0.0, 1.0, 5.5]])
    assert largest_column_norm(S, 1) == 7.0
    assert largest_column_norm(S, 2) == 5.5
    assert largest_column_norm(sp.csr_array((2, 3), dtype=float), 1) == 0.0


@steady
@given(S=matrices, alpha=st.floats(1e-6, 1e6), factor=st.floats(1e-3, 1e3))
def test_delta_is_factor_alpha_norm_rounded_up(S: Any, alpha: float, factor: float) -> None:
    sensitivity = po.Assumed(factor)
    for noise in (
        po.Laplace(epsilon=1.0, alpha=alpha, sensitivity=sensitivity),
        po.TruncatedLaplace(epsilon=1.0, delta=1e-5, alpha=alpha, sensitivity=sensitivity),
        po.Gaussian(epsilon=1.0, delta=1e-5, alpha=alpha, sensitivity=sensitivity),
    ):
        exact = Fraction(factor) * max(Fraction(alpha), Fraction(repr(alpha)))
        exact *= Fraction(largest_column_norm(sp.csr_array(S), noise.order))
        assert query_sensitivity(noise, sp.csr_array(S)) == round_up(exact)


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), float("inf")])
def test_a_factor_that_is_not_positive_is_refused(factor: float) -> None:
    with pytest.raises(InputError, match="sensitivity factor"):
        po.Assumed(factor)


def test_an_assumption_says_that_it_is_one() -> None:
    assert po.Assumed(8.0).provenance is Provenance.ASSUMED
    assert "assumed, not shown" in po.Assumed(8.0).because
    assert "8 alpha" in po.Assumed(8.0).because
    assert "fails on the paper's own networks" in po.Assumed(1.0).because
    assert "fails" not in po.Assumed(8.0).because


def test_a_search_says_that_it_is_no_proof() -> None:
    assert po.Sampled(2.5).provenance is Provenance.SAMPLED
    assert "2.5 alpha" in po.Sampled(2.5).because
    assert "may lie further apart" in po.Sampled(2.5).because
    with pytest.raises(InputError, match="sensitivity factor"):
        po.Sampled(0.0)


@pytest.mark.parametrize("wrong", [1.0, None, "Assumed", po.Assumed, po.Sampled])
def test_only_sensitivities_with_a_provenance_are_taken(wrong: Any) -> None:
    for noise in (
        lambda: po.Laplace(epsilon=1.0, alpha=0.1, sensitivity=wrong),
        lambda: po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1, sensitivity=wrong),
        lambda: po.TruncatedLaplace(epsilon=1.0, delta=1e-5, alpha=0.1, sensitivity=wrong),
    ):
        with pytest.raises(InputError, match="provenance"):
            noise()


@pytest.mark.parametrize("sensitivity", [po.Assumed(3.0), po.Sampled(3.0)])
def test_every_kind_sets_the_noise_alike(sensitivity: Any) -> None:
    noise = po.Laplace(epsilon=1.0, alpha=0.1, sensitivity=sensitivity)
    assert query_sensitivity(noise, sp.csr_array(np.eye(2))) == pytest.approx(0.3)
