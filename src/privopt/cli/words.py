"""Lines that end between words.

A word is what stands between spaces. One that is longer than a line has a line of its own and stays
whole: a path or a digest can be copied. What follows in the same paragraph is indented as it is.
"""

from __future__ import annotations

import re

from rich.cells import cell_len
from rich.text import Text

__all__ = ["between_words", "longest_word"]

_WORD = re.compile(r"\s*\S+")


def between_words(text: Text, width: int) -> list[Text]:
    """The lines of a text, none of them wider than so many columns if its words allow it."""
    return [line for paragraph in text.split("\n", allow_blank=True)
            for line in _paragraph(paragraph, width)]  # fmt: skip


def longest_word(text: str) -> int:
    """The width of the longest word."""
    return max((cell_len(word) for word in text.split()), default=0)


def _paragraph(text: Text, width: int) -> list[Text]:
    plain = text.plain
    indent = len(plain) - len(plain.lstrip())
    ends, used = list[int](), 0
    for word in _WORD.finditer(plain):
        size = cell_len(word[0])
        if used and used + size > width:
            ends.append(word.start())
            used = indent + size - (len(word[0]) - len(word[0].lstrip()))
        else:
            used += size
    if not ends:
        return [text]
    first, *others = text.divide(ends)
    return [first, *(Text(" " * indent).append_text(_without_leading(one)) for one in others)]


def _without_leading(line: Text) -> Text:
    spaces = len(line.plain) - len(line.plain.lstrip())
    return line[spaces:] if spaces else line
