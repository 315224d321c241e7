"""Secure noise: on the grid, exact, of the law it names, and never on anything but numbers.

The noise has no seed. Every statistical test states a bound on its false alarms that holds for
every sample size (Dvoretzky-Kiefer-Wolfowitz, or exact binomial tails); together they raise one in
fewer than 10^-6 runs.
"""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.stats import binom, laplace, norm

from privopt.arrays import Vector
from privopt.errors import InputError
from privopt.noise import secure

FALSE_ALARM = 1e-7  # of each statistical test; there are seven
DRAWS = 20_000
steady = settings(deadline=None, max_examples=100, derandomize=True)
RELEASES: dict[str, Callable[[Vector, float, int], Vector]] = {
    "laplace": secure.laplace,
    "gaussian": secure.gaussian,
    "truncated": lambda q, scale, k: secure.truncated_laplace(
        q, scale, k, math.ldexp(math.ceil(3 * math.ldexp(scale, -k)), k)
    ),
}


def rounded(value: float, k: int) -> Fraction:
    """floor(q / 2^k + 1/2) 2^k, exactly."""
    step = Fraction(2) ** k
    return math.floor(Fraction(value) / step + Fraction(1, 2)) * step


def check_law(draws: Vector, cdf: Callable[[Any], ArrayLike]) -> None:
    """DKW for continuous F: P(sup |F_n - F| > t) <= 2 exp(-2 n t^2)."""
    x = np.sort(draws)
    n = len(x)
    limit = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * n))
    F = np.asarray(cdf(x))
    assert max((np.arange(1, n + 1) / n - F).max(), (F - np.arange(n) / n).max()) <= limit


def check_cells(draws: Vector, law: dict[int, float]) -> None:
    """Every cell's count lies between exact binomial tails, the rate split over cells and sides."""
    assert sum(law.values()) == pytest.approx(1.0, abs=1e-12)
    counts = {cell: int((draws == cell).sum()) for cell in law}
    assert sum(counts.values()) == len(draws), "a draw outside the support"
    share = FALSE_ALARM / (2 * len(law))
    for cell, probability in law.items():
        cells = binom(len(draws), min(1.0, probability))
        assert cells.ppf(share) <= counts[cell] <= cells.isf(share)


@pytest.mark.parametrize("kind", RELEASES)
@pytest.mark.parametrize(("scale", "k"), [(1.0, -40), (0.3, -3), (1e-9, -70), (1e9, 4)])
def test_outputs_lie_on_the_grid_and_the_noise_is_exact(kind: str, scale: float, k: int) -> None:
    q = np.random.default_rng(0).uniform(-100 * scale, 100 * scale, size=200)
    y = RELEASES[kind](q, scale, k)
    centre = secure.on_grid(q, k)
    step = Fraction(2) ** k
    for released, start, xi in zip(y, centre, y - centre, strict=True):
        assert (Fraction(float(released)) / step).denominator == 1
        assert Fraction(float(xi)) == Fraction(float(released)) - Fraction(float(start))
        assert (Fraction(float(xi)) / step).denominator == 1


@steady
@given(
    q=st.floats(-(2.0**50), 2.0**50),
    k=st.sampled_from([-3, -2, -1, 0, 1, 30]),
)
@example(q=0.49999999999999994, k=0)
@example(q=-0.5, k=0)
@example(q=2.0**50 + 0.25, k=-1)
def test_the_grid_point_is_the_exact_one(q: float, k: int) -> None:
    assert Fraction(float(secure.on_grid(np.array([q]), k)[0])) == rounded(q, k)


@steady
@given(q=st.floats(-(2.0**50), 2.0**50), k=st.sampled_from([-1, 0, 3]))
@example(q=0.49999999999999994, k=0)
@example(q=0.5, k=0)
@example(q=-1.5, k=0)
def test_opendp_rounds_to_the_same_grid_point(q: float, k: int) -> None:
    """At a scale of 2^k / 1000 the noise is zero but for one time in e^1000."""
    scale = math.ldexp(1e-3, k)
    for draw in (secure.laplace, secure.gaussian):
        assert Fraction(float(draw(np.array([q]), scale, k)[0])) == rounded(q, k)


@steady
@given(scale=st.floats(1e-100, 1e100), bound=st.none() | st.just(0.0) | st.floats(1e-100, 1e100))
def test_the_grid_is_fine_against_the_scale_unless_large_values_need_it_coarser(
    scale: float, bound: float | None
) -> None:
    k = secure.grid_exponent(scale, bound)
    size = math.floor(math.log2(scale))
    assert size - 40 <= k <= size - 24, "the grid is 2^-40 to 2^-24 of the scale"
    if bound and k < size - 24:
        assert Fraction(bound) <= Fraction(2) ** (k + 51), "values within the bound are exact"
    if k > size - 40:
        assert bound
        assert Fraction(bound) > Fraction(2) ** (k + 50), "no coarser than the bound needs"


def test_the_laplace_law_on_a_fine_grid() -> None:
    check_law(secure.laplace(np.zeros(DRAWS), 2.0, -40), laplace(scale=2.0).cdf)


def test_the_gaussian_law_on_a_fine_grid() -> None:
    check_law(secure.gaussian(np.zeros(DRAWS), 2.0, -40), norm(scale=2.0).cdf)


def test_the_truncated_law_on_a_fine_grid() -> None:
    B = 1.5

    def cdf(x: Vector) -> Vector:
        below = np.sign(x) * -np.expm1(-np.abs(x)) / -np.expm1(-B)
        return 0.5 * (1 + below)

    check_law(secure.truncated_laplace(np.zeros(DRAWS), 1.0, -40, B), cdf)


def test_the_laplace_law_on_a_coarse_grid() -> None:
    """P(m) = (1 - r)/(1 + r) r^|m|, r = exp(-step / scale)."""
    y = secure.laplace(np.full(DRAWS, 8.0), 4.0, 2)
    r = math.exp(-1.0)
    law = {m: (1 - r) / (1 + r) * r ** abs(m) for m in range(-6, 7)}
    inside = np.abs((y - 8.0) / 4.0) <= 6
    rest = 1 - sum(law.values())
    check_cells(np.where(inside, (y - 8.0) / 4.0, 99), law | {99: rest})


def test_the_gaussian_law_on_a_coarse_grid() -> None:
    """P(m) proportional to exp(-m^2 step^2 / (2 scale^2))."""
    y = secure.gaussian(np.zeros(DRAWS), 3.0, 1)
    weight = {m: math.exp(-((2 * m) ** 2) / 18.0) for m in range(-40, 41)}
    total = math.fsum(weight.values())
    near = {m: weight[m] / total for m in range(-5, 6)}
    m = y / 2
    check_cells(np.where(np.abs(m) <= 5, m, 99), near | {99: 1 - math.fsum(near.values())})


def test_the_truncated_law_on_a_coarse_grid() -> None:
    """P(m) proportional to r^|m| on |m| <= K: the bound itself is drawn, nothing beyond it is."""
    K, r = 4, math.exp(-0.5)
    y = secure.truncated_laplace(np.full(DRAWS, 0.3), 2.0, 0, float(K))
    total = math.fsum(r ** abs(m) for m in range(-K, K + 1))
    check_cells(y, {m: r ** abs(m) / total for m in range(-K, K + 1)})


def test_coordinates_are_independent_of_each_other() -> None:
    y = secure.laplace(np.zeros(DRAWS), 1.0, -40).reshape(-1, 2)
    check_cells(2.0 * (y[:, 0] > 0) + (y[:, 1] > 0), dict.fromkeys(range(4), 0.25))


@steady
@given(
    q=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5),
    scale=st.floats(0.1, 10.0),
    width=st.integers(1, 2000),
)
def test_truncated_noise_never_leaves_its_bound(q: list[float], scale: float, width: int) -> None:
    k = -10
    bound = math.ldexp(width, k)
    values = np.array(q)
    y = secure.truncated_laplace(values, scale, k, bound)
    for released, value in zip(y, values, strict=True):
        assert abs(Fraction(float(released)) - rounded(float(value), k)) <= Fraction(bound)


@pytest.mark.parametrize("kind", RELEASES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_without_a_word_on_the_values(kind: str, bad: float) -> None:
    with pytest.raises(InputError) as caught:
        RELEASES[kind](np.array([123.456, bad]), 1.0, -40)
    assert "123" not in str(caught.value)
    assert "nan" not in str(caught.value).lower()


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_a_matrix_is_refused(kind: str) -> None:
    with pytest.raises(InputError):
        RELEASES[kind](np.zeros((2, 2)), 1.0, -40)


@pytest.mark.parametrize("kind", RELEASES)
def test_no_seed_reaches_the_noise(kind: str) -> None:
    """Two equal draws of 20 values on a grid this fine: less than once in 2^500."""
    drawn: list[Vector] = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002
        random.seed(0)
        drawn.append(RELEASES[kind](np.zeros(20), 1.0, -40))
    assert not np.array_equal(*drawn)


def test_no_function_takes_a_seed() -> None:
    for _, function in inspect.getmembers(secure, inspect.isfunction):
        assert not {"rng", "seed", "random_state"} & set(inspect.signature(function).parameters)


@steady
@given(
    size=st.integers(1, 50),
    scale=st.floats(1e-3, 1e3),
    coarse=st.integers(0, 45),
    Delta=st.floats(1e-3, 1e3),
)
def test_the_laplace_charge_covers_the_grid(
    size: int, scale: float, coarse: int, Delta: float
) -> None:
    """Rounding moves two neighbours apart by up to one step a coordinate."""
    k = secure.grid_exponent(scale, None) + coarse
    charge = Fraction(secure.laplace_charge(size, scale, k, Delta))
    least = (Fraction(Delta) + size * Fraction(2) ** k) / Fraction(scale)
    assert least <= charge <= least * (1 + Fraction(1, 10**12))
