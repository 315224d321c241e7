"""Facts and tables at 80 columns: words and columns stay whole."""

from __future__ import annotations

import io

from privopt.cli.layout import tabulated
from privopt.cli.streams import SafeConsole
from privopt.show.view import Table


def printed(thing: object, width: int = 80) -> list[str]:
    file = io.StringIO()
    SafeConsole(file=file, width=width).print(thing)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_a_table_that_is_too_wide_is_shown_in_parts() -> None:
    columns = {f"quantity{k}": [1234.5 + k, 2.0] for k in range(12)}
    lines = printed(tabulated(Table("name", ["first", "second"], columns)))
    assert max(map(len, lines)) <= 80
    said = " ".join(lines).split()
    for heading in columns:
        assert said.count(heading) == 1
    parts = said.count("name")
    assert parts > 1
    assert said.count("first") == said.count("second") == parts


def test_no_word_is_broken_at_any_width() -> None:
    words = ["alpha", "measurement", "differential"]
    columns = {word: [word * 2, word] for word in words} | {"number": [0.125, 2.5]}
    table = Table("name", ["one", "two three"], columns)
    for width in range(52, 130):
        lines = printed(tabulated(table), width)
        assert max(map(len, lines)) <= width
        said = " ".join(lines).split()
        for word in words:
            assert said.count(word) == 2, width
            assert said.count(word * 2) == 1
