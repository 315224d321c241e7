"""A view: one description of a result, from which its text, its HTML and its data frame are made.

title        what this is, in a line
table        a row for each name, a column for each quantity
notes        sentences below it, each with details
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

__all__ = ["Note", "Table", "View", "claims"]

_WIDTH = 88


@dataclass(frozen=True, repr=False)
class Table:
    """Columns of one length, and a name for each row.

    Attributes
    ----------
    index, rows
        What the rows are, and their names.
    columns
        The cells of each column: numbers, text, or None where there is nothing.
    """

    index: str
    rows: Sequence[Any]
    columns: Mapping[str, Sequence[Any] | Vector]

    def __len__(self) -> int:
        return len(self.rows)

    def to_pandas(self) -> Any:  # noqa: ANN401 -- pandas is optional
        """A data frame."""
        pd = library("pandas")
        index = pd.Index(list(self.rows), name=self.index)
        return pd.DataFrame({name: list(v) for name, v in self.columns.items()}, index=index)

    def cells(self, which: range) -> list[list[str]]:
        """Some rows as text, each with its name first."""
        return [
            [_cell(self.rows[i]), *(_cell(column[i]) for column in self.columns.values())]
            for i in which
        ]


@dataclass(frozen=True, repr=False)
class Note:
    """A sentence, and what stands behind it."""

    text: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class View:
    """What is shown of a result; of a long table the first rows, or with `tail` the last ones."""

    title: str
    table: Table
    notes: tuple[Note, ...] = ()
    limit: int = 40
    tail: bool = False

    @property
    def _shown(self) -> range:
        rows = range(len(self.table))
        return rows[-self.limit :] if self.tail else rows[: self.limit]

    @property
    def _more(self) -> str:
        if len(self.table) <= self.limit:
            return ""
        which = "last" if self.tail else "first"
        return f"... the {which} {self.limit} of {len(self.table)}; .to_pandas() has them all"

    def text(self) -> str:
        """Title, table and notes for a terminal."""
        lines = [_filled(self.title)]
        if len(self.table):
            lines += _aligned([["", *self.table.columns], *self.table.cells(self._shown)])
        lines += [f"  {self._more}"] if self._more else []
        for note in self.notes:
            lines += [_filled(note.text), *(_filled(f"  {detail}") for detail in note.details)]
        return "\n".join(lines)

    def html(self) -> str:
        """The same for a notebook."""
        parts = [f"<p><b>{_safe(self.title)}</b></p>"]
        if len(self.table):
            head = _row("th", [self.table.index, *self.table.columns])
            body = "".join(_row("td", cells) for cells in self.table.cells(self._shown))
            parts.append(f"<table><thead>{head}</thead><tbody>{body}</tbody></table>")
        parts += [f"<p>{html.escape(self._more)}</p>"] if self._more else []
        for note in self.notes:
            details = "".join(f"<br><small>{_safe(one)}</small>" for one in note.details)
            parts.append(f"<p>{_safe(note.text)}{details}</p>")
        return "<div>" + "".join(parts) + "</div>"


def claims(guarantee: Guarantee) -> tuple[Note, ...]:
    """Both claims, each with its ground and its assumptions."""
    both = (("privacy", guarantee.privacy), ("feasibility", guarantee.feasibility))
    return tuple(
        Note(
            f"{title} [{claim.label}]: {claim.statement}",
            claim.grounds,
        )
        for title, claim in both
    )


def _cell(value: Any) -> str:  # noqa: ANN401 -- whatever stands in a table
    if value is None:
        return ""
    return shown(value) if isinstance(value, (str, bool, int)) else f"{value:.6g}"


def _filled(line: str) -> str:
    line = shown(line, lines=True)
    return textwrap.fill(line, _WIDTH, subsequent_indent="    ", break_on_hyphens=False)


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
