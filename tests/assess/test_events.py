"""Events of an audit: last bits exactly, scores along what d and d' differ in, words that hold."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from tests.assess.drawing import one_by_one

from privopt.arrays import Dense
from privopt.assess import audit, events
from privopt.assess.events import Coordinate, LowBits, choose, scores
from privopt.claims.estimate import Estimate

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


@pytest.mark.long
def test_that_count_would_notice_an_event_tested_where_it_was_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(events, "CAUTION", 2.0)  # a choice that looks less at small numbers
    rng, allowed = np.random.default_rng(2), binom.ppf(1 - 1e-3, 200, 0.1)
    same_half = other_half = 0
    for _ in range(200):
        Y, Y_prime, Z, Z_prime = rng.normal(size=(4, 200, 4))
        event, after_d = choose(Y, Y_prime, ("a", "b", "c", "d"), 0.0)
        same_half += alarm(event, after_d, Y, Y_prime)
        other_half += alarm(event, after_d, Z, Z_prime)
    assert other_half <= allowed < same_half


def alarm(event: events.ReleaseEvent, after_d: bool, Y: Dense, Y_prime: Dense) -> bool:
    """Whether data that are the same seem to differ."""
    shares = [Estimate.of(int(event.holds(X).sum()), len(X), 0.9) for X in (Y, Y_prime)]
    first, second = shares if after_d else shares[::-1]
    return bool(first.interval[0] > second.interval[1])


def test_low_bits_within_an_interval() -> None:
    rng = np.random.default_rng(8)  # both centres have the same low bits; only some values tell
    naive = one_by_one(lambda d, n: d + rng.laplace(scale=0.1, size=n))
    found = audit(naive, 0.3, 0.4, samples=100_000, claimed=1.0)
    assert found.epsilon > 4
    assert "y <=" in found.event
    assert "multiple of 2^-" in found.event


@given(st.data())
def test_events_mean_what_they_say(data: st.DataObject) -> None:
    numbers = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0, 3.0]), min_size=8, max_size=8)
    Y, other = (np.array(data.draw(numbers))[:, None] for _ in range(2))
    event, after_d = choose(Y, other, ("y",), 0.0)
    text = str(event).replace("<=", "≤")
    for X in (Y, other):
        for y, holds in zip(X[:, 0], event.holds(X), strict=True):
            assert said(text, float(y)) == holds
    more, less = (Y, other) if after_d else (other, Y)
    assert event.holds(more).sum() >= event.holds(less).sum()


def said(text: str, y: float) -> bool:
    """The words of an event, read by hand."""
    for part in text.split(" and "):
        if "multiple" in part:
            power = 2.0 ** int(part.rsplit("^", 1)[1])
            holds = (y % power == 0) != ("not" in part)
        elif part == "any release":
            holds = True
        else:
            code = part.replace(" = ", " == ").replace("≤", "<=")
            holds = bool(eval(code, {"y": y}))  # noqa: S307 -- our own words
        if not holds:
            return False
    return True


def test_where_nothing_differs_any_event_will_do() -> None:
    nothing: Dense = np.zeros((50, 2))
    event, _ = choose(nothing, nothing, ("a", "b"), 0.0)
    assert event.holds(nothing).all()
