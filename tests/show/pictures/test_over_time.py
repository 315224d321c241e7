"""Pictures over time: which values are lines, and what is drawn of them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.show.pictures.reading import SVG, dots, hovers, parsed, tick, words

from privopt.show.pictures.over_time import lines_of, over_time

PERIODS = ("00", "01", "02")
NAMES = ["p[3]@00", "p[3]@02", "p[<b>]@01"]
VALUES = np.array([1.0, 2.0, 3.0])


def test_values_of_one_thing_are_one_line() -> None:
    found = lines_of(NAMES, VALUES, VALUES - 0.5, VALUES + 0.25, PERIODS)
    assert found is not None
    assert [one.name for one in found] == ["p[3]", "p[<b>]"]
    np.testing.assert_array_equal(found[0].values, [1.0, np.nan, 2.0])
    np.testing.assert_array_equal(found[0].high, [1.25, np.nan, 2.25])
    np.testing.assert_array_equal(found[1].low, [np.nan, 2.5, np.nan])


def test_values_of_no_period_are_no_lines() -> None:
    for names in (["p[3]", "a", "b"], ["p@00", "p@01", "total"], ["p@00", "p@03", "p@01"]):
        assert lines_of(names, VALUES, VALUES, VALUES, PERIODS) is None


def test_dots_and_the_band_around_them_are_drawn() -> None:
    found = lines_of(NAMES, VALUES, VALUES - 0.5, VALUES + 0.25, PERIODS)
    assert found is not None
    root = parsed(over_time(found, PERIODS, "title", "below", "value"))
    *_, first, second, third = dots(root)
    assert [first[0], third[0], second[0]] == [tick(root, label)[0] for label in PERIODS]
    one, two = tick(root, "1")[1], tick(root, "2")[1]
    assert first[1] == pytest.approx(one - 4, abs=0.1)
    band = next(iter(root.iter(f"{SVG}polygon"))).attrib["points"].split()
    heights = [float(point.split(",")[1]) for point in band]
    value = [1 + (one - 4 - y) / (one - two) for y in heights]
    assert value == pytest.approx([1.25, 2.25, 1.5, 0.5], abs=0.01)
    assert "p[3] at 00: 1 (0.5 to 1.25)" in hovers(root)
    assert "p[<b>]" in words(root)
    assert not list(root.iter(f"{SVG}polyline"))  # period 01 has no value: nothing is joined


def test_many_things_stand_in_several_panels() -> None:
    names = [f"p[{k}]@{t}" for k in range(8) for t in PERIODS]
    values = np.arange(24.0)
    found = lines_of(names, values, values, values, PERIODS)
    assert found is not None
    root = parsed(over_time(found, PERIODS, "t", "", "value"))
    assert words(root).count("period") == 2
    assert len(list(root.iter(f"{SVG}polyline"))) == 8
