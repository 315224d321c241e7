"""Pictures of results: each mark at its value, each range at its ends, and no name is markup."""

from __future__ import annotations

import numpy as np
import pytest

from privopt.show.figures import Dots, figure, spans, titled

EVIL = "<b>x</b>\x1b"


def test_marks_stand_at_their_values_and_ranges_end_where_they_end() -> None:
    values, low, high = np.array([1.0, 4.0]), np.array([0.5, 3.0]), np.array([2.0, 9.0])
    made = spans(["a", "b"], [Dots("share", values, low, high)], "title", "below", "axis")
    (trace,) = made.data
    assert list(trace.y) == values.tolist()
    assert np.allclose(values + trace.error_y.array, high)
    assert np.allclose(values - trace.error_y.arrayminus, low)
    bare = spans(["a", "b"], [Dots("share", values)], "title", "below", "axis").data[0]
    assert bare.error_y.array is None


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_marks_of_one_name_stand_side_by_side_about_it(count: int) -> None:
    marks = [Dots(f"mark {k}", np.zeros(3)) for k in range(count)]
    made = spans(["a", "b", "c"], marks, "", "", "")
    places = np.array([trace.x for trace in made.data])
    assert np.allclose(places.mean(axis=0), [0, 1, 2])
    assert len(np.unique(places.round(9))) == 3 * count
    assert np.abs(places - places.mean(axis=0)).max() < 0.5
    assert made.layout.showlegend is (count > 1)


@pytest.mark.parametrize(("names", "ticks"), [(1, 1), (40, 40), (41, 21), (400, 40)])
def test_of_many_names_some_are_written(names: int, ticks: int) -> None:
    made = spans([f"row {k}" for k in range(names)], [Dots("x", np.zeros(names))], "", "", "")
    assert len(made.layout.xaxis.tickvals) == len(made.layout.xaxis.ticktext) == ticks
    assert len(made.data[0].customdata) == names  # all of them where they are pointed at
    for place, text in zip(made.layout.xaxis.tickvals, made.layout.xaxis.ticktext, strict=True):
        assert text == f"row {int(place)}"


def test_no_name_is_markup_or_commands_anything() -> None:
    made = spans([EVIL], [Dots(EVIL, np.zeros(1))], EVIL, EVIL, EVIL)
    texts = made.to_json()
    assert "<b>x" not in texts
    assert "\\u001b[" not in texts.replace("\\\\u001b", "")
    assert made.data[0].name == "&lt;b&gt;x&lt;/b&gt;\\u001b"
    assert titled(EVIL)["title"]["text"] == made.data[0].name


def test_what_else_is_said_of_a_layout_goes_before_what_is_common() -> None:
    made = figure([], "t", "b", margin={"t": 7}, width=300)
    assert (made.layout.margin.t, made.layout.width) == (7, 300)
    assert (made.layout.title.text, made.layout.title.subtitle.text) == ("t", "b")
