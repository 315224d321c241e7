"""Quadratic costs as squares: what is left of them in exact fractions, and lines beside squares."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from privopt.arrays import Dense
from privopt.solving.robust.squares import Squares, chord


def psd(seed: int) -> Dense:
    """Positive semidefinite matrices: blocks, low rank, bad units, none at all."""
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(6, 6))
    units = 10.0 ** rng.uniform(-6, 6, 6)
    one: Any = [
        np.diag(rng.uniform(0, 1, 6) * (rng.random(6) < 0.7)),
        M @ M.T,
        M[:, :2] @ M[:, :2].T,
        np.outer(units, units) * (M @ M.T),
        np.kron(np.diag([1.0, 0.0, 1e-9]), np.array([[2.0, -1.0], [-1.0, 2.0]])),
        np.zeros((6, 6)),
    ][seed % 6]
    return 0.5 * (one + one.T)


def exactly(C2: Dense, squares: Squares, z: Any) -> Fraction:
    """z'C2 z - sum_k w_k (g_k'z)^2 without rounding."""
    x = [Fraction(float(v)) for v in z]
    total = Fraction(0)
    for i, j in zip(*np.nonzero(C2), strict=True):
        total += Fraction(float(C2[i, j])) * x[i] * x[j]
    for w, g in zip(squares.weights, squares.vectors.toarray(), strict=True):
        value = sum((Fraction(float(a)) * b for a, b in zip(g, x, strict=True)), Fraction(0))
        total -= Fraction(float(w)) * value**2
    return total


@pytest.mark.parametrize("seed", range(18))
def test_the_remainder_bounds_what_floats_leave(seed: int) -> None:
    C2, rng = psd(seed), np.random.default_rng(seed)
    one = Squares.of(sp.csr_array(C2))
    assert (one.weights > 0).all()
    units = 1 / np.sqrt(np.where(np.diag(C2) > 0, np.diag(C2), 1.0))
    most = units * rng.uniform(0.1, 10, 6)
    bound = one.remainder(sp.csr_array(C2), most)
    for _ in range(30):
        z = most * rng.uniform(-1, 1, 6)
        assert abs(exactly(C2, one, z)) <= Fraction(bound)
    assert bound <= 1e-11  # beside a cost of up to a few hundred: nothing, in any units


def test_a_diagonal_leaves_nothing() -> None:
    C2 = sp.csr_array(np.diag([0.1, 0.0, 1e-9, 3e7]))
    one = Squares.of(C2)
    assert one.single
    assert one.remainder(C2, np.full(4, np.inf)) == 0.0
    assert one.weights.tolist() == [0.1, 1e-9, 3e7]


def test_what_is_not_known_is_infinite() -> None:
    C2 = sp.csr_array(psd(1))
    one = Squares.of(C2)
    assert not one.single
    assert one.remainder(C2, np.array([1.0, 1, 1, 1, 1, np.inf])) == np.inf


def test_squares_of_something_else_leave_the_difference() -> None:
    """As a file could hold them: two squares of one variable, or another matrix's."""
    C2 = sp.csr_array(np.diag([0.3, 1.0]))
    g: Any = sp.csr_array(np.array([[1.0, 0.0], [1.0, 0.0]]))
    twice = Squares(np.array([0.1, 0.2]), g)
    assert not twice.single
    assert twice.remainder(C2, np.array([2.0, 3.0])) >= 9.0
    other = Squares.of(sp.csr_array(np.diag([0.3, 2.0])))
    assert other.remainder(C2, np.array([2.0, 3.0])) >= 9.0


number = st.floats(-1e100, 1e100)


@given(number, number, number)
def test_chords_are_above_between_their_ends_and_tangents_below(
    a: float, b: float, x: float
) -> None:
    low, high = min(a, b), max(a, b)
    slope, product = chord(low, high)
    value = Fraction(x)
    above = slope * value - product - value**2
    assert (above >= 0) is (low <= x <= high)
    assert value**2 >= 2 * Fraction(a) * value - Fraction(a) ** 2


def test_products_that_are_too_small_for_a_float_are_left_over_too() -> None:
    """As a file could hold them: (1e-170 z)^2 with z = 1e200 is 1e60, though 1e-340 is zero."""
    C2: Any = sp.csr_array((2, 2), dtype=float)
    tiny = Squares(np.array([1.0]), sp.csr_array(np.array([[1e-170, 0.0]])))
    assert tiny.remainder(C2, np.array([1e200, 1.0])) >= 1e60
    assert tiny.remainder(C2, np.array([np.inf, 1.0])) == np.inf
    assert tiny.remainder(C2, np.array([1.0, np.inf])) <= 1e-280
