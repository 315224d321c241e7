"""Tail and quantile of sum_j a_j xi_j against exact rationals, closed forms and quadrature."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import laplace as reference

from privopt.noise.laplace_sum import low_factor, quantile, tail

steady = settings(deadline=None, max_examples=40, derandomize=True)
ETAS = [1e-6, 1e-3, 0.025, 0.05, 0.2, 0.45, 0.49]
COUNTS = [1, 2, 3, 6, 13, 30, 60]
ACCURACY = 1e-8


def coefficients(kind: str, count: int) -> Any:
    """Distinct coefficients, as the exact reference needs them."""
    rng = np.random.default_rng(count)
    if kind == "spread":
        return rng.uniform(0.05, 1.0, size=count)
    if kind == "decades":
        return 10.0 ** -rng.uniform(0, 9, size=count)
    if kind == "nearly equal":
        return 1 + np.arange(count) * 2.0**-20
    return np.concatenate([[1.0], rng.uniform(0.01, 0.3, size=count - 1)])  # one large


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("kind", ["spread", "decades", "nearly equal", "one large"])
def test_quantile_inverts_the_exact_tail(kind: str, count: int) -> None:
    a = coefficients(kind, count)
    q = quantile(np.tile(a, (len(ETAS), 1)), np.array(ETAS))[0]
    found = [reference.tail_exact(a.tolist(), float(x)) for x in q]
    assert found == pytest.approx(ETAS, rel=ACCURACY, abs=0)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("kind", ["spread", "decades", "nearly equal", "one large"])
def test_tail_is_the_exact_tail(kind: str, count: int) -> None:
    a = coefficients(kind, count)
    x = float(np.sqrt(2 * a @ a)) * np.array([0.01, 0.3, 1.0, 3.0, 8.0])
    wanted = [reference.tail_exact(a.tolist(), float(at)) for at in x]
    assert tail(np.tile(a, (len(x), 1)), x) == pytest.approx(wanted, rel=ACCURACY, abs=0)


@pytest.mark.parametrize("count", COUNTS)
def test_equal_coefficients_have_the_closed_form(count: int) -> None:
    q = quantile(np.ones((len(ETAS), count)), np.array(ETAS))[0]
    assert [reference.tail_equal(count, float(x)) for x in q] == pytest.approx(
        ETAS, rel=ACCURACY, abs=0
    )
    x = np.array([0.01, 1.0, 10.0, 60.0])
    wanted = [reference.tail_equal(count, float(at)) for at in x]
    assert tail(np.ones((4, count)), x) == pytest.approx(wanted, rel=ACCURACY, abs=0)


def test_one_term_is_a_logarithm() -> None:
    q, slope = quantile(np.full((len(ETAS), 1), -3.0), np.array(ETAS))
    wanted = [math.log(0.5 / eta) for eta in ETAS]
    assert q == pytest.approx(3 * np.array(wanted), rel=1e-10)
    assert slope[:, 0] == pytest.approx(-np.array(wanted), rel=1e-8)


@pytest.mark.parametrize(("large", "count", "small"), [(1, 20, 0.1), (1, 118, 0.1), (2, 40, 0.2)])
@pytest.mark.parametrize("eta", [0.01, 0.025, 0.05, 0.1, 0.3])
def test_a_few_large_and_many_small_coefficients(
    large: int, count: int, small: float, eta: float
) -> None:
    """The usual row of a network: its own node and a little of every other."""
    a = np.concatenate([np.ones(large), np.full(count, small)])
    q, slope = quantile(a[None], np.array([eta]))
    assert reference.tail_quadrature(a, float(q[0])) == pytest.approx(eta, rel=ACCURACY, abs=0)
    assert slope[0] @ a == pytest.approx(q[0], rel=1e-6)


def test_hundreds_of_terms_are_nearly_normal() -> None:
    """Excess kurtosis 3/p: Cornish-Fisher, z + (z^3 - 3z) kurtosis / 24, is good to 1/p^2."""
    p, eta = 374, 0.025
    q = quantile(np.ones((1, p)), np.array([eta]))[0][0] / math.sqrt(2 * p)
    z = 1.959963984540054
    assert q == pytest.approx(z + (z**3 - 3 * z) * 3 / (24 * p), abs=10 / p**2)


@steady
@given(
    seed=st.integers(0, 1000),
    count=st.integers(1, 12),
    eta=st.sampled_from(ETAS),
    unit=st.sampled_from([1e-6, 1e-3, 1e3, 1e6]),
)
def test_the_quantile_is_homogeneous(seed: int, count: int, eta: float, unit: float) -> None:
    """q(s a) = s q(a), the same gradient, and a'gradient = q (Euler)."""
    a = np.random.default_rng(seed).normal(size=(1, count))
    level = np.array([eta])
    q, slope = quantile(a, level)
    scaled, same = quantile(unit * a, level)
    assert scaled == pytest.approx(unit * q, rel=1e-10)
    assert same == pytest.approx(slope, rel=1e-8, abs=1e-10)
    assert (slope * a).sum() == pytest.approx(q[0], rel=1e-7)


@steady
@given(seed=st.integers(0, 1000), count=st.integers(2, 12), eta=st.sampled_from(ETAS))
def test_the_quantile_is_a_norm(seed: int, count: int, eta: float) -> None:
    """Signs and order do not matter; q(a + b) <= q(a) + q(b); tangents lie below."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, count))
    flipped = rng.choice([-1.0, 1.0], size=count) * rng.permutation(a)
    q, slope = quantile(np.array([a, b, a + b, flipped]), np.full(4, eta))
    assert q[3] == pytest.approx(q[0], rel=1e-9)
    assert q[2] <= (q[0] + q[1]) * (1 + 1e-9)
    assert slope[0] @ b <= q[1] * (1 + 1e-7)


@pytest.mark.parametrize("eta", [0.01, 0.1, 0.4])
@pytest.mark.parametrize(
    "a", [[1.0, 0.4, -0.7], [1.0, 1.0], [1.0, 1.0, 1.0, 0.2], [1.0, 0.0], [2.0, -1e-3, 0.5]]
)
def test_the_gradient_is_that_of_the_reference(a: list[float], eta: float) -> None:
    slope = quantile(np.array([a]), np.array([eta]))[1][0]
    assert slope == pytest.approx(reference.quantile_gradient(a, eta), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("eta", ETAS)
def test_the_gradient_is_that_of_finite_differences(eta: float) -> None:
    rng = np.random.default_rng(3)
    a, h = rng.uniform(0.2, 1.0, size=8), 1e-4
    steps = h * np.eye(8)
    up, down = (quantile(a + sign * steps, np.full(8, eta))[0] for sign in (1, -1))
    slope = quantile(a[None], np.array([eta]))[1][0]
    assert slope == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-7)


def test_tiny_coefficients_change_nothing() -> None:
    base = quantile(np.array([[1.0, 0.5]]), np.array([0.05]))[0][0]
    for tiny in (1e-8, 1e-13, 1e-200, 5e-324):
        q, slope = quantile(np.array([[1.0, 0.5, tiny, -tiny]]), np.array([0.05]))
        assert q[0] == pytest.approx(base, rel=1e-12)
        assert np.abs(slope[0, 2:]).max() <= 1e-6


def test_a_zero_row_has_no_margin() -> None:
    q, slope = quantile(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]), np.full(3, 0.1))
    assert q.tolist() == [0.0, pytest.approx(math.log(5.0)), 0.0]
    assert slope[[0, 2]].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert tail(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([1.0, 1.0])).tolist() == [
        0.0,
        pytest.approx(0.5 * math.exp(-1)),
    ]


def test_rows_do_not_disturb_each_other() -> None:
    rng = np.random.default_rng(5)
    a, eta = rng.normal(size=(300, 9)), rng.choice(ETAS, size=300)
    a[::3] *= 1e6
    a[1::7, 1:] = 0.0
    q, slope = quantile(a, eta)
    for row in range(0, 300, 17):
        alone = quantile(a[[row]], eta[[row]])
        assert q[row] == pytest.approx(alone[0][0], rel=1e-9)
        assert slope[row] == pytest.approx(alone[1][0], rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("eta", [1e-4, 0.01, 0.025, 0.05, 0.1, 0.3, 0.45])
@pytest.mark.parametrize("p", [1, 2, 3, 7, 12])
def test_the_low_factor_lies_below_every_direction_and_not_far(eta: float, p: int) -> None:
    rng = np.random.default_rng(p)
    a = np.vstack(
        [
            rng.normal(size=(40, p)),
            10.0 ** -rng.uniform(0, 3, size=(40, p)),
            np.tril(np.ones((p, p))),
        ]
    )
    ratio = quantile(a, np.full(len(a), eta))[0] / np.sqrt(2 * (a * a).sum(axis=1))
    low = low_factor(eta, p)
    assert low <= ratio.min()
    assert low >= 0.95 * ratio.min()
