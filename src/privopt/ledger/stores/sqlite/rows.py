"""The rows of a ledger in SQLite: how they are written and found, and what bounds a look at them.

The last row must be the last that was ever written, and written whole. Three pages of the file say
so, and must agree: the row itself (by its digest), SQLite's counter of row numbers
(`sqlite_sequence`), and the mark (`schema.mark`, the `user_version` of the first page). A
transaction that was half written, and whose journal was lost, differs in one of them, or shows
exactly the state before or after it (docs/theory/ledger.md).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privopt.errors import LedgerError
from privopt.ledger.form import damaged, lost
from privopt.ledger.row import COLUMNS, Row
from privopt.ledger.stores.sqlite.connecting import Connection, failure
from privopt.ledger.stores.sqlite.locks import WAITS
from privopt.ledger.stores.sqlite.schema import mark, pages_hold

__all__ = ["StoredRows", "fitting"]

_NAMES = ", ".join(COLUMNS)
_INSERT = f"INSERT INTO entries ({_NAMES}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608
# Without the output: the chain holds its digest, and it may be large.
_LIGHT = ", ".join("NULL" if name == "output" else name for name in COLUMNS)
_LAST = f"SELECT {_LIGHT} FROM entries ORDER BY seq DESC LIMIT 1"  # noqa: S608
_LARGEST = "SELECT seq FROM sqlite_sequence WHERE name = 'entries'"
_ONE = f"SELECT {_NAMES} FROM entries WHERE seq = ?"  # noqa: S608
_LAST_OF = f"""SELECT {_LIGHT} FROM entries INDEXED BY entries_by_releaser
    WHERE releaser = ? AND seq < ? ORDER BY seq DESC LIMIT 1"""  # noqa: S608
_NEXT = "SELECT min(releaser) FROM entries INDEXED BY entries_by_releaser WHERE releaser > ?"
_END = 2**63 - 1  # no row has this number
_FROM = "SELECT {} FROM entries WHERE seq >= ? ORDER BY seq"
_BACK = "SELECT {} FROM entries WHERE seq <= ? ORDER BY seq DESC"


@dataclass(frozen=True, eq=False)
class StoredRows:
    """The rows, inside a transaction: a `stores.protocol.Transaction`."""

    connection: Connection
    path: Path
    waits: bool = WAITS

    def append(self, row: Row) -> None:
        """Write a sealed row, and its mark."""
        self.connection.execute(_INSERT, tuple(getattr(row, name) for name in COLUMNS))
        self.connection.execute(f"PRAGMA user_version = {mark(row)}")

    def blank(self, seq: int, *things: str) -> None:
        """Overwrite things of a row."""
        self.connection.execute("PRAGMA secure_delete = ON")
        for name in things:
            self.connection.execute(f"UPDATE entries SET {name} = NULL WHERE seq = ?", (seq,))  # noqa: S608

    def last(self) -> Row | None:
        """The row of the largest number, without its output."""
        return _row(self.connection.execute(_LAST).fetchone())

    def largest(self) -> int:
        """The largest number ever given, by SQLite's own counter."""
        found = self.connection.execute(_LARGEST).fetchone()
        return found[0] if found is not None and isinstance(found[0], int) else 0

    def row(self, seq: int) -> Row | None:
        """The row of a number."""
        return _row(self.connection.execute(_ONE, (seq,)).fetchone())

    def kind(self, seq: int) -> str | None:
        """The kind of a row."""
        sql = "SELECT kind FROM entries WHERE seq = ?"
        found = self.connection.execute(sql, (seq,)).fetchone()
        return None if found is None else found[0]

    def row_of_key(self, digest: bytes) -> Row | None:
        """The charge that the index of keys names."""
        return self._named("key_digest", digest)

    def output_of(self, charge: int) -> Row | None:
        """The output that the index of charges names."""
        return self._named("of", charge)

    def last_of(self, releaser: str, before: int | None = None) -> Row | None:
        """The last row that the index of releasers names."""
        asked = (releaser, _END if before is None else before)
        return _row(self.connection.execute(_LAST_OF, asked).fetchone())

    def releasers(self) -> Iterator[str]:
        """Each name in the index of releasers; one look for each."""
        name = ""
        while True:
            (found,) = self.connection.execute(_NEXT, (name,)).fetchone()
            if found is None:
                return
            if not isinstance(found, str) or found <= name:
                raise failure(self.path, "SQLITE_CORRUPT")
            name = found
            yield name

    def rows(self, first: int, *, back: bool = False, light: bool = False) -> Iterator[Row]:
        """Rows from a number on, or back from it, while they fit the file."""
        sql = (_BACK if back else _FROM).format(_LIGHT if light else _NAMES)
        try:
            found = self.connection.execute(sql, (first,))
            for values in fitting(self.connection, found):
                yield Row(**values)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise failure(self.path, error) from None

    def check_last(self, row: Row) -> None:
        """Refuse a last row whose mark is not in the first page, or that no index finds."""
        marked = self.connection.execute("PRAGMA user_version").fetchone()[0]
        found = all(
            value is None or self._numbers(name, value) == [row.seq]
            for name, value in (("key_digest", row.key_digest), ("of", row.of))
        )
        if row.releaser is not None:
            latest = self.last_of(row.releaser)
            found = found and latest is not None and latest.seq == row.seq
        if marked != mark(row) or not found:
            raise _torn(row.seq)

    def check_whole(self, row: Row) -> None:
        """Refuse pages and indexes that do not fit together."""
        if not pages_hold(self.connection):
            what = "the pages of the file do not fit together: it is damaged"
            raise damaged(what, row.seq)

    def _named(self, name: str, value: bytes | int) -> Row | None:
        """The row that an index names, which must be there."""
        for seq in self._numbers(name, value)[:1]:
            row = self.row(seq)
            if row is None:
                raise lost(seq)
            return row
        return None

    def _numbers(self, name: str, value: bytes | int) -> list[int]:
        """The rows that an index names; of many, two."""
        sql = f"SELECT seq FROM entries WHERE {name} = ? LIMIT 2"  # noqa: S608
        return [int(seq) for (seq,) in self.connection.execute(sql, (value,)).fetchall()]


def fitting(connection: Connection, found: Iterable[tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """Rows by the names of their columns, while they fit the file they are read from.

    Each byte of a file belongs to one row, so all rows together are no longer than the file. In a
    hostile one they can be: rows may share the pages of a long value.
    """
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    room = pages * connection.execute("PRAGMA page_size").fetchone()[0]
    for values in found:
        row = dict(zip(COLUMNS, values, strict=True))
        room -= sum(len(value) for value in values if isinstance(value, str | bytes))
        if room < 0:
            raise damaged(
                f"the rows of the ledger, up to row {row['seq']}, are longer than its file: the "
                "same bytes are used for several of them",
                row["seq"],
            )
        yield row


def _torn(seq: int) -> LedgerError:
    """The error of a last write that was cut off, and whose journal is lost."""
    return LedgerError(
        f"the last write to the ledger (row {seq} or after it) is not whole: it was "
        "interrupted, and the journal that would undo it is lost.",
        "the file with its journal, the file of the same name and -journal at the end.",
        "if the ledger was moved or renamed, give the journal the new name too and open it "
        "again; otherwise restore the file from a backup. Make no release until then.",
        seq,
    )


def _row(values: tuple[Any, ...] | None) -> Row | None:
    return None if values is None else Row(**dict(zip(COLUMNS, values, strict=True)))
