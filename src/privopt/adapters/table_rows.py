"""The rows of a table: a CSV file, a Parquet file or a pandas frame, read in pieces.

    first line: names of columns     separator: comma, semicolon or tab, whichever makes sense of it
    UTF-8, with or without a mark in front

A file is never held whole, and each line is read by itself. What is wrong with a file is said
without a word of what it holds.
"""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privopt.adapters.table_columns import TableColumns, found
from privopt.errors import InputError
from privopt.extra import library

__all__ = ["OpenTable", "check_text", "opened"]

_SEPARATORS = (",", ";", "\t")
_KINDS = {
    b"PK\x03\x04": "an Excel workbook or another zip file",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\x1f\x8b": "compressed (gzip)",
}
_LINE = 100_000  # characters of a line


@dataclass(frozen=True, repr=False)
class OpenTable:
    """Columns of a table, its rows (cells by position; None: no row), and how it is written."""

    columns: TableColumns
    rows: Iterator[Sequence[Any] | None]
    separator: str
    where: str


@contextmanager
def opened(
    source: Any,  # noqa: ANN401 -- a path or a frame
    given: Mapping[str, str],
    *,
    sites: bool = False,
    of_people: bool = False,
) -> Generator[OpenTable]:
    """A table, to be read once; a frame of people has its buses, customers and times as texts."""
    if hasattr(source, "columns") and hasattr(source, "iloc"):
        header = [str(name) for name in source.columns]
        columns = found(header, given, "the frame", sites=sites)
        texts = (columns.place, columns.customer, columns.time) if of_people else ()
        cells = [_cells_of_frame(source.iloc[:, k], k in texts) for k in range(len(header))]
        yield OpenTable(columns, zip(*cells, strict=True), "", "the frame")
        return
    where = str(Path(source))
    with _readable(where) as start:
        if start == b"PAR1":
            yield _parquet(where, given, sites=sites, of_people=of_people)
            return
    check_text(where)
    with Path(where).open(encoding="utf-8-sig", newline="", errors="replace") as text:
        first = text.readline(_LINE)
        while first and not first.strip():
            first = text.readline(_LINE)
        if "\ufffd" in first:
            raise _refused(where, "is not written in UTF-8", "save it as CSV in UTF-8")
        separator, columns = _separated(first, given, where, sites=sites)
        rows = _rows(text, separator, len(_cells(first, separator) or []))
        yield OpenTable(columns, rows, separator, where)


def check_text(where: str) -> None:
    """Refuse a file that is something else than text in UTF-8, by its first line."""
    with _readable(where, 4096) as start:
        for mark, what in _KINDS.items():
            if start.startswith(mark):
                raise _refused(where, f"is {what}", "save it as CSV (UTF-8) or Parquet")
        if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise _refused(where, "is written in UTF-16", "save it as CSV (UTF-8) or Parquet")
        if b"\0" in b"".join(start.splitlines()[:1]):
            raise _refused(where, "is no text", "save it as CSV (UTF-8) or Parquet")


def _cells_of_frame(column: Any, texts: bool) -> list[Any]:  # noqa: ANN401 -- of pandas
    """The cells of a column; where they have to be texts, None for what is none.

    A column has one type: of numbers, one missing cell makes floats, and rounds all others.
    """
    if not texts:
        return column.tolist()
    from pandas.api.types import is_string_dtype

    if not is_string_dtype(getattr(column.dtype, "categories", column).dtype):
        raise InputError(
            "the frame has buses, customers or times that are no texts.",
            "texts where rows are people's: in a column of numbers or times, one cell that is "
            "missing or odd changes how others are read.",
            "pass the file itself, or make the frame of texts: pd.read_csv(path, dtype=str).",
        )
    return [cell if issubclass(type(cell), str) else None for cell in column]


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


def _rows(text: Iterable[str], separator: str, width: int) -> Iterator[list[str] | None]:
    """Rows of one width, each a line by itself; None for a line that is none.

    So whatever one line holds, the others are read as they are without it.
    """
    for line in text:
        plain = line.rstrip("\r\n")
        if not plain:
            continue
        whole = plain.count('"') % 2 == 0 and "\ufffd" not in plain and len(plain) <= _LINE
        cells = None
        if whole:
            cells = _cells(plain, separator) if '"' in plain else plain.split(separator)
        yield cells if cells is not None and len(cells) == width else None


def _parquet(where: str, given: Mapping[str, str], *, sites: bool, of_people: bool) -> OpenTable:
    parquet = library("pyarrow.parquet", "report")
    wrong: Any = library("pyarrow", "report").ArrowException
    broken = _refused(where, "is a broken Parquet file", "write it again")
    file: Any = None
    with suppress(OSError, ValueError, wrong):  # whose texts may quote what the file holds
        file = parquet.ParquetFile(where)
    if file is None:
        raise broken
    columns = found(list(file.schema_arrow.names), given, where, sites=sites)

    keys = (columns.place, columns.customer, columns.time)
    used = (*keys, columns.value)
    kinds = [str(one) for one in file.schema_arrow.types]
    if of_people and any(k is not None and kinds[k] in ("float", "double") for k in keys):
        raise _refused(
            where,
            "has buses, customers or times that are floats",
            "write them as texts or integers",
        )

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
            cells = (
                _cells_of(one) if k in used else range(len(one))
                for k, one in enumerate(batch.columns)
            )
            yield from zip(*cells, strict=True)

    return OpenTable(columns, rows(), "", where)


def _cells_of(column: Any) -> list[Any]:  # noqa: ANN401 -- of pyarrow
    """The cells of a column; None where one cannot be read, whatever the others are."""
    with suppress(Exception):
        return column.to_pylist()
    found: list[Any] = []
    for cell in column:
        value = None
        with suppress(Exception):
            value = cell.as_py()
        found.append(value)
    return found


def _refused(where: str, what: str, remedy: str) -> InputError:
    return InputError(
        f"{where} {what}.",
        "a table of data: CSV (UTF-8; separated by commas, semicolons or tabs) or Parquet.",
        f"{remedy}.",
    )
