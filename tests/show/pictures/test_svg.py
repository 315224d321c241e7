"""Elements as text: whatever a name holds, it stays text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.show.pictures.reading import EVIL, read

from privopt.show.pictures.svg import (
    element,
    label,
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
