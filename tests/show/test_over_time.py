"""Pictures over time: which values are lines, and what is drawn of them."""

from __future__ import annotations

import numpy as np

from privopt.show.over_time import lines_of, over_time

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


def test_a_line_and_the_band_around_it_are_drawn() -> None:
    found = lines_of(NAMES, VALUES, VALUES - 0.5, VALUES + 0.25, PERIODS)
    assert found is not None
    picture = over_time(found, PERIODS, "title", "below", "value")
    band, line, *_ = picture.data
    assert list(line.y) == [1.0, None, 2.0]
    assert list(band.x) == ["00", "02", "02", "00"]
    assert list(band.y) == [1.25, 2.25, 1.5, 0.5]
    assert picture.data[-1].name == "p[&lt;b&gt;]"  # plotly reads HTML
    assert list(picture.layout.xaxis.categoryarray) == list(PERIODS)
