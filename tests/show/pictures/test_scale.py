"""Scales: values at their places by an independent computation, ticks that are round and few."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privopt.show.pictures.scale import Scale, across_scale, near_scale, tick_text, up_scale

positive = st.floats(1e-300, 1e300)
plain = st.lists(st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-6), min_size=1,
                 max_size=9)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "value", "share"),
    [("even", 25.75, 0.25), ("ratio", 10.0, 0.5), ("root", 27.0, (3 - 1) / (100 ** (1 / 3) - 1))],
)
def test_values_stand_where_they_should(kind: str, value: float, share: float) -> None:
    scale = Scale(1.0, 100.0, 50.0, 250.0, kind)  # pyright: ignore[reportArgumentType]
    assert scale.at(1.0) == 50
    assert scale.at(100.0) == 250
    assert scale.at(value) == pytest.approx(50 + 200 * share, abs=0.06)
    assert scale.inside(1e6) == 250
    assert scale.inside(-5.0) == 50


def test_ticks_are_round() -> None:
    assert Scale(0, 1, 0, 1).ticks() == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert Scale(0.1, 10, 0, 1, "ratio").ticks() == [0.1, 0.2, 0.5, 1, 2, 5, 10]
    assert Scale(1e-9, 1e9, 0, 1, "ratio").ticks()[:2] == [1e-9, 1e-8]
    roots = Scale(-8, 1000, 0, 1, "root").ticks()
    assert 0.0 in roots
    assert roots == sorted(roots)
    assert 3 <= len(roots) <= 12
    assert [tick_text(x) for x in (0, -2.5, 12000, 1e-9)] == [
        "0",
        "\u22122.5",
        "12,000",
        "1e\u221209",
    ]


@given(values=st.lists(positive, min_size=1, max_size=9))
def test_an_axis_of_positive_values_holds_them(values: list[float]) -> None:
    scale = across_scale(values, 10, 400)
    places = [scale.at(value) for value in sorted(values)]
    assert all(10 <= place <= 400 for place in places)
    assert places == sorted(places)
    assert all(math.isfinite(tick) for tick in scale.ticks())


@given(values=plain)
def test_axes_hold_their_values_and_few_ticks(values: list[float]) -> None:
    for scale in (up_scale(values, 300, 10), near_scale(values, 300, 10)):
        assert all(10 <= scale.at(value) <= 300 for value in values)
        assert 1 <= len(scale.ticks()) <= 8
    assert up_scale(values, 300, 10).low <= 0 <= up_scale(values, 300, 10).high


def test_zero_is_on_the_axis_where_it_is_near() -> None:
    assert near_scale([5.0, 12.0], 0, 1).low == 0
    assert near_scale([1000.0, 1001.0], 0, 1).low > 990
    assert near_scale([-12.0, -5.0], 0, 1).high == 0
