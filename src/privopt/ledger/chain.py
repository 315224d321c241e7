"""The chain: rows that can be appended and never changed unnoticed.

    row n holds digest_(n-1);   the file's first page holds a mark of digest_(n-1) and digest_n

The last row is the state of the ledger, so it must be the last that was ever written, and written
whole. Three pages of the file say so, and must agree: the row itself (by its digest), SQLite's
counter of row numbers (`sqlite_sequence`), and the mark (the `user_version` of the first page). A
transaction that was half written, and whose journal was lost, differs in one of them, or shows
exactly the state before or after it (docs/theory/ledger.md).

The chain finds damage and careless edits. Whoever can write the file can also compute a new chain;
against that, keep the head (row number and digest of the last row) somewhere else and compare.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from privopt.errors import LedgerError
from privopt.ledger.row import COLUMNS, START, Row, altered, check_row

__all__ = [
    "COLUMNS",
    "START",
    "VERSION",
    "Row",
    "append",
    "fitting",
    "last",
    "lost",
    "mark",
    "output_of",
    "read",
    "row_of_key",
    "rows",
    "version_of",
]

VERSION = 2
_SHIFT = 28  # a mark is the version, and 14 bits of each of the last two digests

_NAMES = ", ".join(COLUMNS)
_INSERT = f"INSERT INTO entries ({_NAMES}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608
_EVER = "(SELECT seq FROM sqlite_sequence WHERE name = 'entries')"  # the largest row ever written
# Without the output: the chain holds its digest, and it may be large.
_LIGHT = ", ".join("NULL" if name == "output" else name for name in COLUMNS)
_LAST = f"SELECT {_LIGHT}, {_EVER} FROM entries ORDER BY seq DESC LIMIT 1"  # noqa: S608
_ONE = f"SELECT {_NAMES} FROM entries WHERE seq = ?"  # noqa: S608
_FROM = "SELECT {} FROM entries WHERE seq >= ? ORDER BY seq"
_BACK = "SELECT {} FROM entries WHERE seq <= ? ORDER BY seq DESC"


def mark(row: Row) -> int:
    """What the first page says of the last row: version and a part of the last two digests."""
    return VERSION << _SHIFT | _part(row.previous) << 14 | _part(row.digest)


def version_of(user_version: int) -> int:
    """The format version that a `user_version` stands for."""
    return user_version if user_version < 1 << _SHIFT else user_version >> _SHIFT


def _part(digest: bytes) -> int:
    return int.from_bytes(digest[:2], "big") & 0x3FFF


def append(connection: sqlite3.Connection, row: Row) -> None:
    """Write a sealed row."""
    connection.execute(_INSERT, tuple(getattr(row, name) for name in COLUMNS))
    connection.execute(f"PRAGMA user_version = {mark(row)}")


def last(connection: sqlite3.Connection) -> Row:
    """The last row without its output, checked against its digest: the state of the ledger.

    It is the last that was ever written: without the rows after it, less would count as spent.
    """
    *found, ever = connection.execute(_LAST).fetchone() or (None,)
    row = _checked(tuple(found) or None, 1)
    if ever != row.seq:
        raise lost(row.seq + 1)
    marked = connection.execute("PRAGMA user_version").fetchone()[0]
    if marked != mark(row) or not _is_indexed(connection, row):
        raise LedgerError(
            f"the last write to the ledger (row {row.seq} or after it) is not whole: it was "
            "interrupted, and the journal that would undo it is lost.",
            "the file with its journal, the file of the same name and -journal at the end.",
            "if the ledger was moved or renamed, give the journal the new name too and open it "
            "again; otherwise restore the file from a backup. Make no release until then.",
            row.seq,
        )
    return row


def _is_indexed(connection: sqlite3.Connection, row: Row) -> bool:
    """Whether the last row is found by its key and by its charge."""
    return all(
        value is None
        or connection.execute(
            f"SELECT seq FROM entries WHERE {name} = ? LIMIT 2",  # noqa: S608
            (value,),
        ).fetchall()
        == [(row.seq,)]
        for name, value in (("key_digest", row.key_digest), ("of", row.of))
    )


def read(connection: sqlite3.Connection, seq: int) -> Row:
    """A row that must be there, checked against its digest."""
    return _checked(connection.execute(_ONE, (seq,)).fetchone(), seq)


def rows(
    connection: sqlite3.Connection, first: int, *, back: bool = False, light: bool = False
) -> Iterator[Row]:
    """Rows from a number on, or back from it: each is there, and checked before the next is read.

    Light ones come without output. Back, it ends with row 1. Forward, it ends with the rows that
    there are; whether these are all, `last` knows.
    """
    names = _LIGHT if light else _NAMES
    found = connection.execute((_BACK if back else _FROM).format(names), (first,))
    expected = first
    for values in fitting(connection, found, COLUMNS):
        row = Row(**values)
        if row.seq != expected:
            raise lost(expected)
        check_row(row)
        yield row
        expected += -1 if back else 1
    if back and expected > 0:
        raise lost(expected)


def fitting(
    connection: sqlite3.Connection, found: Iterable[tuple[Any, ...]], columns: tuple[str, ...]
) -> Iterator[dict[str, Any]]:
    """Rows by the names of their columns, while they fit the file they are read from.

    Each byte of a file belongs to one row, so all rows together are no longer than the file. In a
    hostile one they can be: rows may share the pages of a long value.
    """
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    room = pages * connection.execute("PRAGMA page_size").fetchone()[0]
    for values in found:
        row = dict(zip(columns, values, strict=True))
        room -= sum(len(value) for value in values if isinstance(value, str | bytes))
        if room < 0:
            raise LedgerError(
                f"the rows of the ledger, up to row {row['seq']}, are longer than its file: the "
                "same bytes are used for several of them.",
                "the file as privopt wrote it.",
                "restore the file from a backup; make no release until then.",
                row["seq"],
            )
        yield row


def row_of_key(connection: sqlite3.Connection, digest: bytes) -> Row | None:
    """The charge whose key has a digest, checked; also where the key itself was blanked."""
    return _found(connection, "key_digest", digest)


def output_of(connection: sqlite3.Connection, charge: int) -> Row | None:
    """The output of a charge, checked; None if it was never stored."""
    return _found(connection, "of", charge)


def _found(connection: sqlite3.Connection, name: str, value: bytes | int) -> Row | None:
    """The row that an index names, which must be what was looked for."""
    sql = f"SELECT seq FROM entries WHERE {name} = ? LIMIT 1"  # noqa: S608
    found = connection.execute(sql, (value,)).fetchone()
    if found is None:
        return None
    row = read(connection, int(found[0]))
    if getattr(row, name) != value:
        raise altered(row.seq)
    return row


def _checked(values: tuple[Any, ...] | None, seq: int) -> Row:
    if values is None:
        raise lost(seq)
    row = Row(**dict(zip(COLUMNS, values, strict=True)))
    check_row(row)
    return row


def lost(seq: int) -> LedgerError:
    """The error of a row that is not there."""
    return LedgerError(
        f"the ledger has lost its row {seq}.",
        "the file as privopt wrote it.",
        "restore the file from a backup; make no release until then.",
        seq,
    )
