"""Lines that end between words: none is broken, none is lost, and none is too long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from privopt.cli.words import between_words

WORDS = st.lists(st.text("abcxyz.,/-", min_size=1, max_size=30), max_size=30)


@given(WORDS, st.integers(10, 40), st.integers(0, 4))
def test_words_stay_whole(words: list[str], width: int, indent: int) -> None:
    text = " " * indent + " ".join(words)
    lines = [line.plain for line in between_words(Text(text), width)]
    assert [word for line in lines for word in line.split()] == words
    for line in lines:
        assert len(line.rstrip()) <= width or len(line.split()) == 1
        assert len(words) == 0 or line.startswith(" " * indent)


def test_a_line_is_as_full_as_it_can_be() -> None:
    lines = [line.plain.rstrip() for line in between_words(Text("aaa bbb ccc ddd"), 7)]
    assert lines == ["aaa bbb", "ccc ddd"]
    assert [line.plain for line in between_words(Text("a\n\n  b"), 7)] == ["a", "", "  b"]
