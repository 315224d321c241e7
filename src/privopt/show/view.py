"""A view: one description of a result, from which everything that shows it is made.

    title        what this is, in a few words
    facts        a name and a text each; those with a `figure` stand in large type on a page
    table        a row for each name, a column for each quantity
    warnings     what is worth knowing before anything else
    notes        sentences below the table
    guarantee    both claims, each with its grounds

`text` is for `summary()`, `html` for a notebook; `privopt.cli.view` prints the same in colour, and
`privopt.report.sheet` makes a page of it.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from privopt.arrays import Vector
from privopt.claims.guarantee import Guarantee
from privopt.extra import library
from privopt.foreign import shown

__all__ = ["PRIVATE", "Fact", "Table", "View"]

PRIVATE = "PRIVATE: it depends on d, and is for the curator"
_WIDTH = 88
_FEW = 3  # digits, where a table is printed alone


@dataclass(frozen=True, repr=False)
class Table:
    """Columns of one length, and a name for each row.

    Attributes
    ----------
    index, rows
        What the rows are, and their names.
    columns
        The cells of each column: numbers, text, or None where there is nothing.
    title, note
        Above and below the table, on a page.
    """

    index: str
    rows: Sequence[Any]
    columns: Mapping[str, Sequence[Any] | Vector]
    title: str = ""
    note: str = ""

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        return "\n".join(_aligned([[self.index, *self.columns], *self.cells(digits=_FEW)]))

    def to_pandas(self) -> Any:  # noqa: ANN401 -- pandas is optional
        """A data frame."""
        pd = library("pandas")
        index = pd.Index(list(self.rows), name=self.index)
        return pd.DataFrame({name: list(v) for name, v in self.columns.items()}, index=index)

    def cells(self, which: range | None = None, digits: int = 6) -> list[list[str]]:
        """Some rows as text, or all of them, each with its name first."""
        return [
            [
                _cell(column[i], digits if place else 6)
                for place, column in enumerate((self.rows, *self.columns.values()))
            ]
            for i in (range(len(self)) if which is None else which)
        ]


_EMPTY = Table("", (), {})


@dataclass(frozen=True, repr=False)
class Fact:
    """A thing and what is said of it; in large type its figure, with a caption."""

    name: str
    text: str
    figure: str = ""
    caption: str = ""


@dataclass(frozen=True, repr=False)
class View:
    """What is shown of a result; of a long table the first rows, or with `tail` the last ones.

    Attributes
    ----------
    private
        Whether it depends on d: then what is made of it says so.
    lead, more
        For a page: what this is, to someone who does not know, and further tables.
    """

    title: str
    table: Table = _EMPTY
    facts: tuple[Fact, ...] = ()
    notes: tuple[str, ...] = ()
    guarantee: Guarantee | None = None
    warnings: tuple[str, ...] = ()
    private: bool = False
    lead: str = ""
    more: tuple[Table, ...] = ()
    limit: int = 40
    tail: bool = False

    @property
    def shown(self) -> range:
        """The rows of the table that are shown."""
        rows = range(len(self.table))
        return rows[-self.limit :] if self.tail else rows[: self.limit]

    @property
    def left_out(self) -> str:
        """Which rows are shown, where that is not all of them."""
        if len(self.table) <= self.limit:
            return ""
        return f"... the {'last' if self.tail else 'first'} {self.limit} of {len(self.table)}"

    @property
    def claims(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Both claims as sentences, each with its ground and its assumptions."""
        return tuple(
            (f"{title} [{claim.label}]: {claim.statement}", claim.grounds)
            for title, claim in (() if self.guarantee is None else self.guarantee.both)
        )

    @property
    def _sentences(self) -> tuple[str, ...]:
        more = f"{self.left_out}; .to_pandas() has them all"
        return (*((more,) if self.left_out else ()), *self.warnings, *self.notes)

    def text(self) -> str:
        """All of it for a terminal without colours."""
        width = max((len(fact.name) for fact in self.facts), default=0)
        lines = [_filled(self.title), *([f"{PRIVATE}."] if self.private else [])]
        lines += [_filled(f"  {one.name:<{width}}  {one.text}", width + 4) for one in self.facts]
        if len(self.table):
            lines += _aligned([["", *self.table.columns], *self.table.cells(self.shown)])
        lines += map(_filled, self._sentences)
        for claim, grounds in self.claims:
            lines += [_filled(claim), *(_filled(f"  {one}") for one in grounds)]
        return "\n".join(lines)

    def html(self) -> str:
        """The same for a notebook."""
        parts = [f"<p><b>{_safe(self.title)}</b></p>"]
        parts += [f"<p>{PRIVATE}.</p>"] if self.private else []
        facts = "".join(_row("td", (fact.name, fact.text)) for fact in self.facts)
        parts += [f"<table><tbody>{facts}</tbody></table>"] if facts else []
        if len(self.table):
            head = _row("th", [self.table.index, *self.table.columns])
            body = "".join(_row("td", cells) for cells in self.table.cells(self.shown))
            parts.append(f"<table><thead>{head}</thead><tbody>{body}</tbody></table>")
        parts += [f"<p>{_safe(text)}</p>" for text in self._sentences]
        for claim, grounds in self.claims:
            details = "".join(f"<br><small>{_safe(one)}</small>" for one in grounds)
            parts.append(f"<p>{_safe(claim)}{details}</p>")
        return "<div>" + "".join(parts) + "</div>"


def _cell(value: Any, digits: int) -> str:  # noqa: ANN401 -- whatever stands in a table
    if value is None:
        return ""
    return shown(value) if isinstance(value, (str, bool, int)) else f"{value:.{digits}g}"


def _filled(line: str, indent: int = 4) -> str:
    line = shown(line, lines=True)
    return textwrap.fill(line, _WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False)


def _aligned(rows: list[list[str]]) -> list[str]:
    """Names to the left, cells to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        f"  {row[0]:<{widths[0]}}"
        + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    ]


def _row(kind: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{kind}>{_safe(cell)}</{kind}>" for cell in cells) + "</tr>"


def _safe(text: str) -> str:
    return html.escape(shown(text.replace("\n", " ")))
