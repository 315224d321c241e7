"""Facts and tables for a terminal: words stay whole, and so do columns.

Facts are names with a text beside each. A table that is wider than the terminal, once its texts are
set on several lines, is shown in parts, one below the other, each with the names of its rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import rich.table
from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from privopt.cli.streams import escape
from privopt.cli.words import between_words, longest_word

if TYPE_CHECKING:
    from privopt.show.view import Table

__all__ = ["COLOURS", "Facts", "Tabulated", "coloured", "facts", "tabulated"]

COLOURS = {
    "PROVEN": "green", "ASSUMED": "yellow", "SAMPLED": "yellow", "NO CLAIM": "red",
    "without output": "yellow", "infeasible": "yellow", "failed": "yellow",
    "none: nothing would count it": "yellow",
}  # fmt: skip
_GAP = 3  # between a name and its text
_BETWEEN = 2  # columns of a table
_SPARED = 24  # what a long word leaves to the other columns


def coloured(cell: str) -> str:
    """A cell as markup: some words have a colour."""
    return f"[{COLOURS[cell]}]{cell}[/]" if cell in COLOURS else cell


@dataclass(frozen=True)
class Facts:
    """Names and texts in markup, one below the other."""

    rows: tuple[tuple[str, str], ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines, with a blank one before and after."""
        names = [console.render_str(name, style="dim") for name, _ in self.rows]
        indent = 1 + max(name.cell_len for name in names) + _GAP
        yield Text("")
        for name, (_, text) in zip(names, self.rows, strict=True):
            lines = between_words(console.render_str(text), options.max_width - indent)
            for place, line in enumerate(lines):
                before = Text(" ").append_text(name) if place == 0 else Text("")
                before.append(" " * (indent - before.cell_len))
                yield _whole(before.append_text(line))
        yield Text("")


def facts(*rows: tuple[str, str]) -> Facts:
    """Names and texts, one below the other."""
    return Facts(rows)


@dataclass(frozen=True)
class _Column:
    """A column of plain cells with its heading; texts may be set on several lines."""

    heading: str
    cells: Sequence[str]
    words: bool

    @property
    def full(self) -> int:
        """The width in which each cell is one line."""
        return max(map(cell_len, (self.heading, *self.cells)))

    @property
    def least(self) -> int:
        """The width in which no word is broken."""
        cells = max(map(longest_word if self.words else cell_len, self.cells), default=0)
        return max(cells, longest_word(self.heading))

    def within(self, room: int) -> int:
        """The same; a single word that fills the terminal is set on several lines after all."""
        return min(self.least, max(room - _SPARED, 1))


@dataclass(frozen=True)
class Tabulated:
    """A table with numbers to the right, in as many parts as the terminal needs."""

    title: str
    columns: tuple[_Column, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The parts, the first under the title."""
        room = options.max_width - 2  # a blank on either side
        for place, part in enumerate(self._parts(room)):
            yield _drawn(self.title if place == 0 else "", part, room)

    def _parts(self, room: int) -> Iterable[tuple[_Column, ...]]:
        names, *others = self.columns
        part, used = [names], names.within(room)
        for column in others:
            if len(part) > 1 and used + _BETWEEN + column.within(room) > room:
                yield tuple(part)
                part, used = [names], names.within(room)
            part.append(column)
            used += _BETWEEN + column.within(room)
        yield tuple(part)


def tabulated(table: Table, which: range | None = None, digits: int = 6) -> Tabulated:
    """A table of a view, some of its rows or all."""
    rows = table.cells(which, digits)
    heads = ((table.index, table.rows), *table.columns.items())
    return Tabulated(
        table.title,
        tuple(
            _Column(
                heading,
                [cells[place] for cells in rows],
                all(isinstance(one, str) for one in column),
            )
            for place, (heading, column) in enumerate(heads)
        ),
    )


def _drawn(title: str, columns: Sequence[_Column], room: int) -> rich.table.Table:
    drawn = rich.table.Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    drawn.title, drawn.title_justify = escape(title) or None, "left"
    for column, width in zip(columns, _widths(columns, room), strict=True):
        drawn.add_column(
            escape(column.heading),
            justify="left" if column.words else "right",
            overflow="fold",
            width=width,
        )
    for cells in zip(*(column.cells for column in columns), strict=True):
        drawn.add_row(*(coloured(escape(cell)) for cell in cells))
    return drawn


def _widths(columns: Sequence[_Column], room: int) -> list[int]:
    """What each column gets: its words at least, and then what is left, the least wish first."""
    found = [column.within(room) for column in columns]
    left = room - sum(found) - _BETWEEN * (len(columns) - 1)
    wishes = sorted(range(len(columns)), key=lambda k: columns[k].full - found[k])
    for count, place in zip(range(len(wishes), 0, -1), wishes, strict=True):
        given = max(0, min(columns[place].full - found[place], left // count))
        found[place] += given
        left -= given
    return found


def _whole(line: Text) -> Text:
    line.no_wrap, line.overflow = True, "ignore"
    return line
