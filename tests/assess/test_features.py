"""Numbers made of released vectors: last bits exactly, scores along what d and d' differ in."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privopt.assess.features import Coordinate, LowBits, scores

steady = settings(deadline=None, max_examples=100, derandomize=True)


def valuation(value: float) -> float:
    """The largest t with value a multiple of 2^t, by fractions."""
    exact = Fraction(value)
    if exact == 0:
        return math.inf
    above, below = exact.numerator, exact.denominator
    return (above & -above).bit_length() - 1 - (below.bit_length() - 1)


@steady
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_last_bit_is_the_valuation(value: float) -> None:
    assert LowBits(0, "x").of(np.array([[value]]))[0] == valuation(value)


def test_a_coordinate_is_its_column() -> None:
    Y = np.arange(6.0).reshape(3, 2)
    assert Coordinate(1, "gas").of(Y).tolist() == [1.0, 3.0, 5.0]


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(-np.inf, 2.0, "x <= 2"), (2.0, np.inf, "x > 2"), (1.0, 2.0, "1 < x <= 2"),
     (np.nextafter(2.0, 0.0), 2.0, "x = 2")],
)  # fmt: skip
def test_ranges_in_words(low: float, high: float, words: str) -> None:
    assert Coordinate(0, "x").words(low, high) == words


def test_multiples_in_words_are_what_holds() -> None:
    bits = LowBits(0, "x")
    assert bits.words(2.0, np.inf) == "x is a multiple of 2^3"
    assert bits.words(-np.inf, 2.0) == "x is not a multiple of 2^3"
    values = np.array([[8.0], [24.0], [4.0], [12.0], [0.5]])
    assert (bits.of(values) > 2.0).tolist() == [value % 8 == 0 for value in values[:, 0]]


@pytest.mark.parametrize("seed", range(3))
def test_scores_tell_apart_what_no_coordinate_does(seed: int) -> None:
    """Forty values, each shifted by a fifth of its noise: together they are far apart."""
    rng = np.random.default_rng(seed)
    Y, other = rng.laplace(size=(2000, 40)), rng.laplace(size=(2000, 40)) + 0.2
    again, moved = rng.laplace(size=(2000, 40)), rng.laplace(size=(2000, 40)) + 0.2

    def apart(one: np.ndarray, two: np.ndarray) -> float:
        return abs(float(one.mean() - two.mean())) / float(np.sqrt((one.var() + two.var()) / 2))

    single = max(apart(again[:, j], moved[:, j]) for j in range(40))
    found = scores(Y, other)
    assert found
    for score in found:
        assert apart(score.of(again), score.of(moved)) > 2.5 * single
    assert scores(Y[:, :1], other[:, :1]) == []  # a single value says as much itself
