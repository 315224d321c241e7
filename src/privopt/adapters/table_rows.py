"""The rows of a table: a CSV file, a Parquet file or a pandas frame, read in pieces.

    first line: names of columns     separator: comma, semicolon or tab, whichever makes sense of it
    UTF-8, with or without a mark in front, or UTF-16 with one

A file is never held whole. What is wrong with it is said without a word of what it holds: where,
the curator is told (`error.private`).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privopt.adapters.table_columns import TableColumns, found
from privopt.errors import Action, Clause, InputError
from privopt.extra import library

__all__ = ["MOST_ROWS", "OpenTable", "encoding_of", "opened"]

MOST_ROWS = 50_000_000
_SEPARATORS = (",", ";", "\t")
_KINDS = {
    b"PK\x03\x04": "an Excel workbook or another zip file",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\x1f\x8b": "compressed (gzip)",
}
_LINE = 1_000_000  # bytes of a first line


@dataclass(frozen=True, repr=False)
class OpenTable:
    """Columns of a table, its rows (cells by position), and how it is written."""

    columns: TableColumns
    rows: Iterator[Sequence[Any]]
    separator: str
    where: str


@contextmanager
def opened(
    source: Any,  # noqa: ANN401 -- a path or a frame
    given: Mapping[str, str],
    *,
    sites: bool = False,
) -> Generator[OpenTable]:
    """A table, to be read once."""
    if hasattr(source, "columns") and hasattr(source, "iloc"):
        header = [str(name) for name in source.columns]
        columns = found(header, given, "the frame", sites=sites)
        rows = zip(*(source.iloc[:, k].tolist() for k in range(len(header))), strict=True)
        yield OpenTable(columns, rows, "", "the frame")
        return
    where = str(Path(source))
    with _readable(where) as start:
        if start == b"PAR1":
            yield _parquet(where, given, sites=sites)
            return
    encoding = encoding_of(where)
    with Path(where).open(encoding=encoding, newline="") as text:
        first = _guarded(lambda: text.readline(_LINE), where)
        while first and not first.strip():
            first = _guarded(lambda: text.readline(_LINE), where)
        separator, columns = _separated(first, given, where, sites=sites)
        width = len(_cells(first, separator) or [])
        text.seek(0)
        rows = _rows(csv.reader(text, delimiter=separator, strict=True), width, where)
        for _ in rows:  # the first line
            break
        yield OpenTable(columns, rows, separator, where)


def encoding_of(where: str) -> str:
    """How a text file is written; refused if it is something else than text."""
    with _readable(where, 4096) as start:
        for mark, what in _KINDS.items():
            if start.startswith(mark):
                raise _refused(where, f"is {what}", "save it as CSV (UTF-8) or Parquet")
        if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return "utf-16"
        if b"\0" in start:
            raise _refused(where, "is no text", "save it as CSV (UTF-8) or Parquet")
    return "utf-8-sig"


@contextmanager
def _readable(where: str, size: int = 4) -> Generator[bytes]:
    """The first bytes of a file."""
    try:
        if not Path(where).is_file():  # a pipe would never end
            raise FileNotFoundError(2, "there is no such file")
        with Path(where).open("rb") as file:
            start = file.read(size)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no such path"
        raise _refused(where, f"could not be read ({why})", "check the path") from None
    yield start


def _separated(
    first: str, given: Mapping[str, str], where: str, *, sites: bool
) -> tuple[str, TableColumns]:
    """The one separator that makes columns of the first line, and these."""
    wide = [one for one in _SEPARATORS if len(_cells(first, one) or []) > 1]
    fitting: list[tuple[str, TableColumns]] = []
    refused: list[InputError] = []
    for one in wide:
        try:
            fitting.append((one, found(_cells(first, one) or [], given, where, sites=sites)))
        except InputError as error:
            refused.append(error)
    if len(fitting) == 1:
        return fitting[0]
    if len(fitting) > 1:
        raise _refused(
            where, "has a first line of more than one separator", "use one, and quotes for others"
        )
    if refused:
        raise refused[0]
    found(_cells(first, ",") or [""], given, where, sites=sites)  # raises: there is one column
    raise _refused(where, "has one column", "give it a column for the bus, and one for the value")


def _cells(line: str, separator: str) -> list[str] | None:
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), list[str]())
    except csv.Error:
        return None


def _rows(reader: Any, width: int, where: str) -> Iterator[list[str]]:  # noqa: ANN401 -- of csv
    """Rows of one width; empty lines are left out."""
    while True:
        row: list[str] | None = _guarded(lambda: next(reader, None), where, reader)
        if row is None:
            return
        if not row:
            continue
        if len(row) != width:
            raise InputError(
                f"{where} has a row of another number of columns than its first line.",
                "rows of one number of columns.",
                (
                    "a decimal comma in a file that is separated by commas does that: write "
                    "points, or separate by semicolons; a name with a comma stands in quotes",
                    Clause(Action.REVEAL, "tells the curator where."),
                ),
                private=f"line {reader.line_num}: {len(row)} columns, not {width}",
            )
        yield row


def _guarded(read: Callable[[], Any], where: str, reader: Any = None) -> Any:  # noqa: ANN401
    """What is read; another library's error is told as one of ours."""
    try:
        return read()
    except UnicodeError:
        why = "is not written in UTF-8", "save it as CSV in UTF-8"
    except csv.Error:
        why = "is no CSV: a quote that does not end, or a very long cell", "check its quotes"
    except OSError as error:
        why = f"could not be read ({error.strerror})", "check the file"
    line = "" if reader is None else f"after line {reader.line_num}"
    raise _refused(where, *why, line)


def _parquet(where: str, given: Mapping[str, str], *, sites: bool) -> OpenTable:
    parquet = library("pyarrow.parquet", "report")
    wrong: Any = library("pyarrow", "report").ArrowException
    broken = _refused(where, "is a broken Parquet file", "write it again")
    file: Any = None
    with suppress(OSError, ValueError, wrong):  # whose texts may quote what the file holds
        file = parquet.ParquetFile(where)
    if file is None:
        raise broken
    columns = found(list(file.schema_arrow.names), given, where, sites=sites)

    def rows() -> Iterator[Sequence[Any]]:
        batches, batch = file.iter_batches(batch_size=65_536), None
        while True:
            whole = False
            with suppress(OSError, ValueError, wrong):
                batch = next(batches, None)
                whole = True
            if not whole:
                raise broken
            if batch is None:
                return
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    return OpenTable(columns, rows(), "", where)


def _refused(where: str, what: str, remedy: str, line: str = "") -> InputError:
    clause = Clause(Action.REVEAL, "tells the curator where.")
    return InputError(
        f"{where} {what}.",
        "a table of data: CSV (UTF-8; separated by commas, semicolons or tabs) or Parquet.",
        (remedy, clause) if line else f"{remedy}.",
        private=line or None,
    )
