"""Curves: points in their place, ticks that are round and few, at any values."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privopt.report.curve import Curve, curve

positive = st.floats(1e-300, 1e300)
pairs = st.lists(st.tuples(positive, st.none() | st.floats(-1e3, 1e300)), min_size=1, max_size=9)


def places(found: Curve) -> list[tuple[float, float]]:
    return [(mark.x, mark.y) for mark in found.points]


def test_ratios_are_even_where_they_matter() -> None:
    found = curve([(0.1, 3.0), (1.0, 2.0), (10.0, 1.0)], "epsilon", "loss, %")
    (left, top), (middle, half), (right, low) = places(found)
    assert middle - left == pytest.approx(right - middle, abs=0.11)
    assert low - half == pytest.approx(half - top, abs=0.11)
    assert [tick.text for tick in found.across] == ["0.1", "0.2", "0.5", "1", "2", "5", "10"]
    assert [tick.text for tick in found.up] == ["0", "1", "2", "3"]
    assert found.points[0].text == "epsilon 0.1: loss, % 3"
    even = curve([(1.0, 1.0), (2.0, 1.0), (3.0, 1.0)], "floor", "loss")
    assert even.points[1].x - even.points[0].x == pytest.approx(205 / 1.08, abs=0.2)


def test_a_cross_stands_at_zero_where_there_is_none() -> None:
    found = curve([(0.0, None), (1.0, -1.0), (2.0, 1.0)], "floor", "loss")
    (cross,) = found.crosses
    zero = next(tick for tick in found.up if tick.text == "0")
    assert cross.y == zero.y < found.points[0].y
    assert cross.text == "floor 0: none"
    assert not curve([(1.0, None)], "eta", "loss").points


def test_what_it_is_compared_with_is_a_line_across() -> None:
    found = curve([(1.0, 1.0), (2.0, 3.0)], "epsilon", "loss", [("the constant", 6.0)])
    (level,) = found.levels
    assert level.text == "the constant: loss 6"
    low, high = found.points[0].y, found.points[1].y
    assert high - level.y == pytest.approx(1.5 * (low - high), abs=0.2)
    assert level.y >= 14  # the axis reaches up to it
    assert curve([(1.0, 1.0)], "epsilon", "loss", [("x", None)]).levels == ()


@given(values=pairs)
def test_all_of_it_lies_on_the_ground(values: list[tuple[float, float | None]]) -> None:
    found = curve(values, "x", "y")
    assert len(found.points) + len(found.crosses) == len(values)
    for mark in (*found.points, *found.crosses, *found.across, *found.up):
        assert 56 <= mark.x <= 466
        assert 14 <= mark.y <= 252
        assert math.isfinite(mark.x + mark.y)
    assert 1 <= len(found.up) <= 8
    known = sorted(zip([x for x, y in values if y is not None], places(found), strict=True))
    assert [place[0] for _, place in known] == sorted(place[0] for _, place in known)
