"""Complementary solutions against every set of positions, and nonnegative least squares."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import nnls

from privopt.arrays import Dense, Vector
from privopt.solving.pivoting import complementary


def least(Q: Dense, g: Vector) -> float:
    """The least 1/2 l'Q l + g'l over l >= 0, by every set of positions that may be above zero."""
    best = 0.0
    for size in range(1, len(g) + 1):
        for W in itertools.combinations(range(len(g)), size):
            part = np.linalg.lstsq(Q[np.ix_(W, W)], -g[list(W)])[0]
            if (part >= 0).all():
                best = min(best, float(0.5 * part @ Q[np.ix_(W, W)] @ part + g[list(W)] @ part))
    return best


@pytest.mark.parametrize("seed", range(6))
def test_every_set_by_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(6, 6))
    Q, g = B @ B.T, rng.normal(size=(20, 6))
    multipliers, solved = complementary(Q, g, np.zeros(g.shape, dtype=bool))
    assert solved.all()
    for row, right in zip(multipliers, g, strict=True):
        assert float(0.5 * row @ Q @ row + right @ row) == pytest.approx(least(Q, right), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("guess", [False, True])
def test_large_ones_equal_nonnegative_least_squares(seed: int, guess: bool) -> None:
    """|B'l - c|^2 is 1/2 l'Q l + g'l with Q = 2 B B', g = -2 B c; a bad guess does no harm."""
    rng = np.random.default_rng(seed)
    B, c = rng.normal(size=(30, 40)), rng.normal(size=(10, 40))
    Q, g = 2 * B @ B.T, -2 * c @ B.T
    multipliers, solved = complementary(Q, g, np.full(g.shape, guess))
    assert solved.all()
    for row, right in zip(multipliers, c, strict=True):
        np.testing.assert_allclose(row, nnls(B.T, right)[0], atol=1e-9)


def test_rows_that_say_the_same_twice() -> None:
    """Rows 0 and 1 are parallel: the one that asks for more counts, the other has no multiplier."""
    B = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    g = np.array([[-1.0, -1.0, -1.0], [-1.0, -3.0, 1.0]])
    multipliers, solved = complementary(B @ B.T, g, np.ones(g.shape, dtype=bool))
    assert solved.all()
    np.testing.assert_allclose(multipliers, [[1.0, 0.0, 1.0], [0.0, 0.75, 0.0]], atol=1e-9)


def test_what_cannot_be_met_is_said() -> None:
    """Row 1 is minus row 0: x >= 1 and x <= -1. And a row that nothing moves."""
    B = np.array([[1.0], [-1.0], [0.0]])
    g = np.array([[-1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [-1.0, 2.0, 0.0]])
    multipliers, solved = complementary(B @ B.T, g, np.zeros(g.shape, dtype=bool))
    assert solved.tolist() == [False, False, True]
    np.testing.assert_allclose(multipliers[2], [1.0, 0.0, 0.0], atol=1e-9)
