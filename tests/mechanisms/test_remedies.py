"""The search for a value that would do: it ends at the edge, and says what it tried."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privopt.errors import InputError
from privopt.mechanisms.remedies import Remedy, doubling, tried_words
from privopt.solving.clock import Clock
from privopt.solving.problem import Outcome

NEAR = 1.05
SIZES = st.floats(-5, 5).map(lambda power: 10.0**power)


def search(
    edge: float, asked: float, steps: tuple[float, ...], digits: int | None = None
) -> tuple[Remedy[str], list[float]]:
    """A setting that does from its edge on, away from what was asked; and every value tried."""
    tried: list[float] = []

    def attempt(value: float) -> str | Outcome:
        tried.append(value)
        does = value >= edge if edge > asked else value <= edge
        return "made" if does else Outcome.INFEASIBLE

    remedy = Remedy("setting", asked, steps, attempt, NEAR, digits)
    remedy.search()
    return remedy, tried


@given(
    asked=SIZES, factor=st.floats(1.001, 1e6), up=st.booleans(), digits=st.sampled_from([None, 2])
)
def test_it_ends_at_the_edge(asked: float, factor: float, *, up: bool, digits: int | None) -> None:
    edge, end = (asked * factor, asked * 1e7) if up else (asked / factor, asked / 1e7)
    remedy, tried = search(edge, asked, tuple(doubling(asked, end)), digits)
    assert remedy.found in tried
    assert remedy.made == "made"
    off = remedy.found / edge if up else edge / remedy.found
    # Numbers of two digits are at most a tenth apart; the middle of two may be rounded to either.
    assert 1 <= off <= (NEAR if digits is None else 1.1**2)
    assert len(set(tried)) == len(tried) <= 60
    assert not remedy.ruled_out


def test_zero_is_a_step_that_nothing_lies_close_to() -> None:
    remedy, tried = search(0.0, 1.0, (0.1, 0.0))
    assert (remedy.found, tried) == (0.0, [0.1, 0.0])


def test_where_no_step_does_the_last_is_ruled_out() -> None:
    remedy, tried = search(1e9, 1.0, (8.0, 100.0))
    assert (remedy.found, remedy.ruled_out, remedy.late) == (None, True, False)
    assert tried == [8.0, 100.0]


def test_what_is_not_solved_is_not_ruled_out() -> None:
    def attempt(value: float) -> str | Outcome:
        raise InputError("got", "needed", "remedy")

    remedy = Remedy("setting", 1.0, (2.0, 4.0), attempt, NEAR)
    assert remedy.search() is None
    assert not remedy.ruled_out


def test_without_time_nothing_is_tried_and_what_was_found_in_time_stays() -> None:
    def attempt(value: float) -> str | Outcome:
        return "made" if value == 8.0 else Outcome.TIME

    late = Remedy("setting", 1.0, (8.0,), attempt, NEAR)
    assert late.search(Clock(end=1.0, now=lambda: 1.0)) is None
    assert late.late
    cut = Remedy("setting", 1.0, (8.0,), attempt, NEAR)
    assert cut.search() == 8.0
    assert cut.late


@pytest.mark.parametrize(("start", "end"), [(1.0, 100.0), (0.3, 1e-9), (2.0, 2.0)])
def test_steps_double_up_to_their_end(start: float, end: float) -> None:
    steps = list(doubling(start, end))
    assert steps[-1] == end
    for one, two in itertools.pairwise([start, *steps[:-1]]):
        assert abs(math.log2(two / one)) == 1


def test_what_was_tried_is_said_in_words() -> None:
    would, _ = search(3.0, 1.0, (8.0,), 2)
    ruled_out, _ = search(1e9, 1.0, (8.0, 100.0))
    ruled_out.name = "other"
    late = Remedy[str]("third", 1.0, (8.0,), lambda _: Outcome.TIME, NEAR)
    late.search()
    text = tried_words([would, ruled_out, late], lambda one, value: f"{one.name}={value:g}")
    assert f"would do (tried): setting={would.found:g}." in text
    assert "Not enough alone (tried): other=100." in text
    assert "for lack of time (Settings(time_limit=...) may allow more): third." in text
    assert tried_words([], str) == ""
