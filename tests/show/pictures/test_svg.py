"""Elements as text: whatever a name holds, it stays text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.show.pictures.reading import EVIL, read

from privopt.show.pictures.svg import (
    clipped,
    element,
    group,
    joined,
    label,
    number,
    path,
    text_width,
    title,
)


@given(text=st.text())
def test_any_text_is_text_and_any_value_a_value(text: str) -> None:
    made = read(element("g", text, title(text), label(text, 1, 2), data_name=text))
    assert [one.tag for one in made] == ["title", "text"]
    assert set(made.attrib) == {"data-name"}
    assert read(element("g", "a<b")).text == "a<b"


def test_a_hostile_name_is_shown_and_does_nothing() -> None:
    made = element("text", EVIL, class_=EVIL)
    assert "<script" not in made
    assert "\x1b" not in made
    assert "\u202e" not in made
    assert "alert(1)" in (read(made).text or "")


def test_what_is_markup_stays_markup() -> None:
    inner = element("circle", r=1.234, cx=-0.001, fill=None)
    assert inner == '<circle r="1.23" cx="0"/>'
    assert inner.__html__() == inner
    assert group(inner) == f"<g>{inner}</g>"
    assert group() == ""
    assert joined(inner, inner) == inner * 2
    assert element("path", stroke_width=2) == '<path stroke-width="2"/>'


def test_numbers_are_short() -> None:
    assert [number(x) for x in (1.0, 0.126, -0.0, 1e3)] == ["1", "0.13", "0", "1000"]
    assert path("M", 1.005, 2, "H", 3.333) == "M 1 2 H 3.33"


def test_long_words_are_cut() -> None:
    assert clipped("short", 100, 12) == "short"
    cut = clipped("a very long name of a thing", 60, 12)
    assert cut.endswith("…")
    assert text_width(cut, 12) <= 60
    assert text_width("mm", 12) > text_width("ii", 12)
