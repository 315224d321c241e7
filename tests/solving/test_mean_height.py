"""Means of the highest of some lines: against quadrature of max times density, and properties."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import laplace, norm

from privopt.noise.gaussian import GaussianLaw
from privopt.noise.laplace import LaplaceLaw
from privopt.noise.law import Law
from privopt.noise.truncated import TruncatedLaw
from privopt.solving.mean_height import mean_height, single_term

LAWS: list[Law] = [LaplaceLaw(), GaussianLaw(), TruncatedLaw(0.8), TruncatedLaw(12.0)]
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)
Lines = list[tuple[float, float]]

moderate = st.floats(-20, 20).map(lambda x: round(x, 6))
lines = st.lists(st.tuples(moderate, moderate), min_size=1, max_size=7)
laws = st.sampled_from(LAWS)


def quadrature(pieces: Lines, law: Law) -> float:
    """The integral of max_i (a_i x + b_i) times the density, between all crossings, by panels."""
    far = min(law.bound, 60.0)
    kinks = [
        (b - other) / (slope - a)
        for (a, b), (slope, other) in combinations(pieces, 2)
        if slope != a
    ]
    inside = [x for x in kinks if abs(x) < far]
    ends = np.unique([0.0, *inside, *np.linspace(-far, far, 121)])
    half, middle = 0.5 * np.diff(ends), 0.5 * (ends[1:] + ends[:-1])
    x = middle[:, None] + half[:, None] * NODES
    density = norm.pdf(x) if isinstance(law, GaussianLaw) else laplace.pdf(x)
    if math.isfinite(law.bound):
        density = density / -math.expm1(-law.bound)
    highest = np.max([a * x + b for a, b in pieces], axis=0)
    return float(((highest * density) @ WEIGHTS) @ half)


def mean(pieces: Lines, law: Law, shift: float = 0.0) -> float:
    slopes, offsets = np.array(pieces).T
    return float(mean_height(slopes, offsets[None] + shift * slopes, law)[0])


@settings(max_examples=150, deadline=None)
@given(lines, laws)
def test_the_mean_is_the_integral(pieces: Lines, law: Law) -> None:
    size = sum(abs(a) + abs(b) for a, b in pieces)
    assert mean(pieces, law) == pytest.approx(quadrature(pieces, law), abs=1e-12 * (1 + size))


@settings(max_examples=100, deadline=None)
@given(lines, laws, st.floats(-5, 5), st.floats(-5, 5), st.floats(0, 1))
def test_convex_in_the_offset(
    pieces: Lines, law: Law, one: float, other: float, part: float
) -> None:
    between = mean(pieces, law, part * one + (1 - part) * other)
    chord = part * mean(pieces, law, one) + (1 - part) * mean(pieces, law, other)
    assert between <= chord + 1e-11


@settings(max_examples=100, deadline=None)
@given(lines, laws)
def test_no_less_than_at_the_mean_and_than_any_line(pieces: Lines, law: Law) -> None:
    """Jensen; and it is no more than what an upper bound on every kink allows."""
    highest, steepest = max(b for _, b in pieces), max(abs(a) for a, _ in pieces)
    assert highest <= mean(pieces, law)
    assert mean(pieces, law) <= highest + steepest * 2 * law.overshoot(np.zeros(1))[0] + 1e-12


@settings(max_examples=100, deadline=None)
@given(lines, laws, st.floats(0.01, 50), moderate, moderate)
def test_scaling_and_a_common_line(
    pieces: Lines, law: Law, factor: float, slope: float, height: float
) -> None:
    """E f is homogeneous, and a line that all pieces share adds its height and nothing else."""
    base = mean(pieces, law)
    assert mean([(factor * a, factor * b) for a, b in pieces], law) == pytest.approx(
        factor * base, rel=1e-12, abs=1e-11
    )
    shared = mean([(a + slope, b + height) for a, b in pieces], law)
    assert shared == pytest.approx(base + height, abs=1e-10)
    assert mean([(-a, b) for a, b in pieces], law) == pytest.approx(base, abs=1e-12)
    assert mean(pieces * 2, law) == base


@pytest.mark.parametrize("law", LAWS)
def test_the_gap_does_not_cancel_beside_a_large_offset(law: Law) -> None:
    """The kink lies far out: what it adds is right to the last digits, not a difference of two."""
    x = 0.9 * min(law.bound, 30.0)
    gap = float(mean_height(np.array([0.0, 1.0]), np.array([[0.0, -x]]), law)[0])
    assert gap == pytest.approx(float(law.overshoot(np.array([x]))[0]), rel=1e-15)
    assert gap > 0


def test_many_rows_at_once_are_each_for_itself() -> None:
    rng = np.random.default_rng(0)
    slopes, offsets = rng.normal(size=9), rng.normal(size=(50, 9))
    offsets[7] = 0.0  # all cross at one point
    every = mean_height(slopes, offsets, LaplaceLaw())
    for row, found in zip(offsets, every, strict=True):
        pieces = list(zip(slopes.tolist(), row.tolist(), strict=True))
        assert found == pytest.approx(quadrature(pieces, LaplaceLaw()), abs=1e-12)


def test_one_term_or_none() -> None:
    common = np.array([3.0, -1.0, 2.0])
    one = np.outer([0.0, 1.0, 4.0], [0.0, 2.0, 0.0]) + common
    assert np.allclose(single_term(one, spherical=False), [0, 2, 8])  # pyright: ignore[reportArgumentType]
    sums = np.outer([0.0, 1.0, 4.0], [3.0, 4.0, 0.0]) + common
    assert single_term(sums, spherical=False) is None
    slopes = single_term(sums, spherical=True)
    assert slopes is not None
    assert np.allclose(np.abs(slopes), [0, 5, 20])
    plane = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert single_term(plane, spherical=True) is None
    assert single_term(plane[:2], spherical=False) is not None
    assert single_term(np.tile(common, (4, 1)), spherical=False) == pytest.approx([0.0] * 4)
    assert single_term(np.zeros((2, 0)), spherical=True) == pytest.approx([0.0] * 2)
