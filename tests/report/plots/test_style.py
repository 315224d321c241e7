"""What pictures share: axes, marks and labels."""

from __future__ import annotations

import pytest

from privopt.report.plots.style import (
    label,
    line_across,
    percent,
    picture,
    root,
    root_axis,
    scatter,
    sign,
)  # fmt: skip


def test_markup_in_names_is_shown_not_read() -> None:
    assert label('<a href="x">&') == '&lt;a href="x"&gt;&amp;'


@pytest.mark.parametrize(("top", "eta"), [(100.0, 2.5), (3.0, None), (0.4, 0.1), (1000.0, 50.0)])
def test_a_cube_root_axis_has_zero_and_a_tick_for_each_number_but_eta(
    top: float, eta: float | None
) -> None:
    found = root_axis("violation, %", top, eta)
    shown = [float(text) for text in found["ticktext"]]
    assert found["tickvals"] == pytest.approx([value ** (1 / 3) for value in shown], abs=1e-5)
    assert shown[0] == 0.0
    assert eta not in shown
    assert max(shown) <= 1.05 * top
    low, high = found["range"]
    assert low < 0 < top ** (1 / 3) < high
    assert len(root_axis("", top, sparse=True)["tickvals"]) <= len(root_axis("", top)["tickvals"])


def test_the_cube_root_keeps_the_sign() -> None:
    assert [root(value) for value in (-8.0, 0.0, 27.0)] == [-2.0, 0.0, 3.0]


def test_a_line_and_its_text_stand_at_one_height() -> None:
    across = line_across(1.25, "here", colour="ink")
    assert across["shape"]["y0"] == across["shape"]["y1"] == across["annotation"]["y"] == 1.25
    assert across["annotation"]["text"] == "here"
    assert across["shape"]["line"]["color"] == across["annotation"]["font"]["color"] == "var(--ink)"


def test_only_open_signs_have_a_line_and_only_said_words_are_pointed_at() -> None:
    assert sign("circle-open", 9, "red")["line"]["width"] == 2
    assert sign("circle", 9, "red")["line"]["width"] == 0
    assert scatter([1], [2], "word")["hovertemplate"] == "word<extra></extra>"
    assert scatter([1], [2])["hoverinfo"] == "skip"


def test_a_picture_has_its_margins_and_what_else_is_said() -> None:
    made = picture([], 200, (1, 2, 3, 4), xaxis={"title": "x"})["layout"]
    assert made["margin"] == {"l": 1, "r": 2, "t": 3, "b": 4}
    assert (made["height"], made["xaxis"]) == (200, {"title": "x"})
    assert percent(None) == "none"
    assert percent(1.005) == "1.00 %"
