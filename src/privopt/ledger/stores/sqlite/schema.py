"""The format of a ledger file: its tables, exactly, its version, and the mark of its last row.

A database can carry code: views, triggers, generated columns, expressions in indexes. A ledger has
the statements below and no others, compared by their text in every transaction before any row is
read. The rows are append-only: a trigger refuses changes (blanking a key, a request or an output is
none: see `row`), another one removals. `AUTOINCREMENT` remembers the largest row number ever given.
"""

from __future__ import annotations

import sqlite3
from functools import lru_cache
from pathlib import Path

from privopt.errors import LedgerError
from privopt.ledger.row import AMOUNTS, COLUMNS, SHARE, THINGS, Row

__all__ = [
    "STATEMENTS",
    "VERSION",
    "check_schema",
    "create",
    "is_begun",
    "mark",
    "pages_hold",
    "same_mark",
]

VERSION = 1
_SHIFT = 28  # a mark is the version, and 14 bits of each of the last two digests
APPLICATION = 0x70_76_6C_67  # "pvlg"
_SHOWN = 60  # statements of a strange database that are compared; a ledger has nine

_KINDS = {
    "seq": "INTEGER PRIMARY KEY AUTOINCREMENT",
    "kind": "TEXT NOT NULL",
    "time": "TEXT",
    "of": "INTEGER UNIQUE",
    **dict.fromkeys(AMOUNTS, "TEXT NOT NULL"),
    "key_digest": "BLOB UNIQUE",
    **dict.fromkeys(("request_digest", "output_digest", "home"), "BLOB"),
    **dict.fromkeys(("previous", "digest"), "BLOB NOT NULL"),
    "releaser": "TEXT",
    "releasers": "INTEGER",
    **dict.fromkeys((*SHARE, *THINGS), "TEXT"),
    "output": "BLOB",
}
_COLUMNS = ",\n    ".join(f"{name} {kind}" for name, kind in _KINDS.items())
_CHANGED = " OR ".join(
    [f"new.{name} IS NOT old.{name}" for name in COLUMNS if name not in THINGS]
    + [f"(new.{name} IS NOT NULL AND new.{name} IS NOT old.{name})" for name in THINGS]
)
STATEMENTS = (
    f"CREATE TABLE entries (\n    {_COLUMNS}\n)",
    f"""CREATE TRIGGER never_changed BEFORE UPDATE ON entries
WHEN {_CHANGED}
BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never changed'); END""",
    """CREATE TRIGGER never_removed BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never removed'); END""",
    # A charge finds the last row of its releaser by this.
    "CREATE INDEX entries_by_releaser ON entries (releaser) WHERE releaser IS NOT NULL",
)
_LONG = 4000  # characters of a statement; a ledger's have 2,000
_ALL = f"""SELECT substr(type, 1, {_LONG}), substr(name, 1, {_LONG}), substr(tbl_name, 1, {_LONG}),
    substr(sql, 1, {_LONG}) FROM sqlite_master LIMIT {_SHOWN}"""  # noqa: S608


# Every tree of a ledger, from its first entry to its last.
_TREES = (
    "entries NOT INDEXED",
    "entries INDEXED BY sqlite_autoindex_entries_1",
    "entries INDEXED BY sqlite_autoindex_entries_2",
    "sqlite_sequence",
    "entries INDEXED BY entries_by_releaser WHERE releaser IS NOT NULL",
)


def mark(row: Row) -> int:
    """What the first page says of the last row: version and a part of the last two digests."""
    return VERSION << _SHIFT | _part(row.previous) << 14 | _part(row.digest)


def same_mark(one: int, other: int) -> bool:
    """Whether two marks are of the same row."""
    return (one ^ other) & ((1 << _SHIFT) - 1) == 0


def _part(digest: bytes) -> int:
    return int.from_bytes(digest[:2], "big") & 0x3FFF


def is_begun(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether there is a ledger; refuse another database, or a ledger of another version."""
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    marked = int(connection.execute("PRAGMA user_version").fetchone()[0])
    empty = connection.execute(_ALL).fetchone() is None
    if (application, marked) == (0, 0) and empty:
        return False
    if application != APPLICATION:
        raise LedgerError(
            f"{path} is a database, and not a ledger of privopt.",
            "a ledger, or a path where there is no file yet.",
            "check the path.",
        )
    version = marked >> _SHIFT
    if version != VERSION:
        raise LedgerError(
            f"{path} has format version {version}.",
            f"version {VERSION}.",
            "use the privopt that wrote it.",
        )
    return True


def create(connection: sqlite3.Connection) -> None:
    """Make the tables, inside a transaction; the first row then marks the version."""
    for statement in STATEMENTS:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")


def check_schema(connection: sqlite3.Connection) -> None:
    """Refuse tables, columns, indexes, views and triggers other than those of a ledger."""
    if set(connection.execute(_ALL)) != _expected():
        raise LedgerError(
            "the tables of the ledger are not those that privopt makes: something was added, "
            "changed or removed.",
            "the file as privopt wrote it, without views, triggers, indexes or tables of others.",
            "restore the file from a backup; make no release until then.",
            0,
        )


def pages_hold(connection: sqlite3.Connection) -> bool:
    """Whether the pages and indexes of the file fit together, in SQLite's own view.

    SQLite's check goes down a tree by recursion: one of 50,000 levels would end this process. So
    every tree is gone through first, which SQLite refuses (SQLITE_CORRUPT) beyond 20 levels.
    """
    for tree in _TREES:
        connection.execute(f"SELECT total(seq) FROM {tree}").fetchone()  # noqa: S608
    return connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)


@lru_cache(maxsize=1)
def _expected() -> set[tuple[str | None, ...]]:
    fresh = sqlite3.connect(":memory:")
    try:
        for statement in STATEMENTS:
            fresh.execute(statement)
        return set(fresh.execute(_ALL))
    finally:
        fresh.close()
