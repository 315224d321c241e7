"""Seconds run out by the clock that is given, and by no other."""

from __future__ import annotations

import dataclasses
import math
import pickle
import time

import pytest

from privopt.solving.clock import Clock
from privopt.solving.solver import Settings


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def test_what_is_left_falls_to_nothing_and_no_further() -> None:
    hand = Hand()
    clock = Clock.of(3.0, hand)
    seen: list[float] = []
    for _ in range(5):
        seen.append(clock.left)
        hand.time += 1.0
    assert seen == [3.0, 2.0, 1.0, 0.0, 0.0]


def test_without_a_limit_it_never_ends() -> None:
    hand = Hand()
    clock = Clock.of(None, hand)
    hand.time = 1e300
    assert clock.left == math.inf
    assert clock.share(3).left == math.inf


def test_equal_shares_of_what_is_left() -> None:
    """Whoever leaves time over leaves it to those who come after."""
    hand = Hand()
    clock = Clock.of(12.0, hand)
    first = clock.share(3)
    assert first.left == 4.0
    hand.time += 2.0
    assert clock.share(2).left == 5.0
    hand.time += 20.0
    assert (first.left, clock.share(1).left) == (0.0, 0.0)


def test_settings_hold_no_clock_and_running_ones_share_theirs() -> None:
    hand, settings = Hand(), Settings(time_limit=10.0)
    assert {item.name for item in dataclasses.fields(settings)} == {
        "tolerance", "time_limit", "threads",
    }  # fmt: skip
    running = settings.started(hand)
    other = running.easier(1e-6)
    assert (other.tolerance, other.time_limit) == (1e-6, 10.0)
    hand.time += 4.0
    assert (settings.seconds_left, running.seconds_left, other.seconds_left) == (10.0, 6.0, 6.0)
    hand.time += 40.0
    assert (settings.seconds_left, running.seconds_left, other.seconds_left) == (10.0, 0.0, 0.0)


def test_what_is_started_again_begins_anew_by_the_same_clock() -> None:
    hand = Hand()
    running = Settings(time_limit=10.0).started(hand)
    hand.time += 40.0
    again = running.started()
    assert again.seconds_left == 10.0
    hand.time += 1.0
    assert again.seconds_left == 9.0
    assert Settings().started(hand).seconds_left is None


@pytest.mark.parametrize("now", [time.monotonic, time.process_time])
def test_it_travels_to_another_process(now: object) -> None:
    clock = Clock.of(5.0, now)
    assert pickle.loads(pickle.dumps(clock)) == clock  # noqa: S301 -- our own
