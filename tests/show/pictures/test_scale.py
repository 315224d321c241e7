"""Scales: values at their places by an independent computation, ticks that are round and few."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privopt.show.pictures.scale import Scale, across_scale, near_scale, up_scale

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
