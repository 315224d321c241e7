"""The format of a ledger file: its tables, exactly, its version, and the mark of its last row.

A database can carry code: views, triggers, generated columns, expressions in indexes. A ledger has
the statements below and no others, compared by their text in every transaction before any row is
read. The rows are append-only: a trigger refuses changes (blanking a key, a request or an output is
none: see `row`), another one removals. `AUTOINCREMENT` remembers the largest row number ever given.
"""

from __future__ import annotations

import sqlite3
from enum import Enum
from functools import lru_cache
from pathlib import Path

from privopt.errors import LedgerError
from privopt.ledger.row import AMOUNTS, COLUMNS, THINGS, Row

__all__ = [
    "STATEMENTS",
    "VERSION",
    "Format",
    "check_schema",
    "create",
    "format_of",
    "mark",
    "pages_hold",
    "version_of",
]

VERSION = 2
_SHIFT = 28  # a mark is the version, and 14 bits of each of the last two digests
APPLICATION = 0x70_76_6C_67  # "pvlg"
_SHOWN = 60  # statements of a strange database that are compared; a ledger has seven

_CHANGED = " OR ".join(
    [f"new.{name} IS NOT old.{name}" for name in COLUMNS if name not in THINGS]
    + [f"(new.{name} IS NOT NULL AND new.{name} IS NOT old.{name})" for name in THINGS]
)
_DIGESTS = ("request_digest", "output_digest", "home", "legacy")


def statements(kinds: dict[str, str], changed: str = "") -> tuple[str, ...]:
    """What makes a table of these columns, whose rows are never changed (so) or removed."""
    columns = ",\n    ".join(f"{name} {kind}" for name, kind in kinds.items())
    return (
        f"CREATE TABLE entries (\n    {columns}\n)",
        f"""CREATE TRIGGER never_changed BEFORE UPDATE ON entries
{changed}BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never changed'); END""",
        """CREATE TRIGGER never_removed BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never removed'); END""",
    )


STATEMENTS = statements(
    {
        "seq": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "kind": "TEXT NOT NULL",
        "time": "TEXT",
        "of": "INTEGER UNIQUE",
        **dict.fromkeys(AMOUNTS, "TEXT NOT NULL"),
        "key_digest": "BLOB UNIQUE",
        **dict.fromkeys(_DIGESTS, "BLOB"),
        "previous": "BLOB NOT NULL",
        "digest": "BLOB NOT NULL",
        "key": "TEXT",
        "request": "TEXT",
        "output": "BLOB",
    },
    f"WHEN {_CHANGED}\n",
)
_LONG = 4000  # characters of a statement; a ledger's have 2,000
_ALL = f"""SELECT substr(type, 1, {_LONG}), substr(name, 1, {_LONG}), substr(tbl_name, 1, {_LONG}),
    substr(sql, 1, {_LONG}) FROM sqlite_master LIMIT {_SHOWN}"""  # noqa: S608


# Every tree of a ledger, in either format, from its first entry to its last.
_SCANS = tuple(
    f"SELECT total(seq) FROM {tree}"  # noqa: S608
    for tree in (
        "entries NOT INDEXED",
        "entries INDEXED BY sqlite_autoindex_entries_1",
        "entries INDEXED BY sqlite_autoindex_entries_2",
        "sqlite_sequence",
    )
)


def mark(row: Row) -> int:
    """What the first page says of the last row: version and a part of the last two digests."""
    return VERSION << _SHIFT | _part(row.previous) << 14 | _part(row.digest)


def version_of(user_version: int) -> int:
    """The format version that a `user_version` stands for."""
    return user_version if user_version < 1 << _SHIFT else user_version >> _SHIFT


def _part(digest: bytes) -> int:
    return int.from_bytes(digest[:2], "big") & 0x3FFF


class Format(Enum):
    """What a file turned out to be."""

    EMPTY = "empty"
    OLDER = "older"
    CURRENT = "current"


def format_of(connection: sqlite3.Connection, path: Path) -> Format:
    """Empty, older or current; refuse what is newer or no ledger."""
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    marked = int(connection.execute("PRAGMA user_version").fetchone()[0])
    empty = connection.execute(_ALL).fetchone() is None
    if (application, marked) == (0, 0) and empty:
        return Format.EMPTY
    if application != APPLICATION:
        raise LedgerError(
            f"{path} is a database, and not a ledger of privopt.",
            "a ledger, or a path where there is no file yet.",
            "check the path.",
        )
    version = version_of(marked)
    if not 1 <= version <= VERSION:
        raise LedgerError(
            f"{path} has format version {version}.",
            f"version {VERSION} or older.",
            "use the privopt that wrote it, or a newer one.",
        )
    return Format.CURRENT if version == VERSION else Format.OLDER


def create(connection: sqlite3.Connection) -> None:
    """Make the tables, inside a transaction; the first row then marks the version."""
    for statement in STATEMENTS:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")


def check_schema(connection: sqlite3.Connection, statements: tuple[str, ...] = STATEMENTS) -> None:
    """Refuse tables, columns, indexes, views and triggers other than those of a ledger."""
    if set(connection.execute(_ALL)) != _expected(statements):
        raise LedgerError(
            "the tables of the ledger are not those that privopt makes: something was added, "
            "changed or removed.",
            "the file as privopt wrote it, without views, triggers, indexes or tables of others.",
            "restore the file from a backup; make no release until then.",
            0,
        )


def pages_hold(connection: sqlite3.Connection, check: str = "integrity_check") -> bool:
    """Whether the pages and indexes of the file fit together, in SQLite's own view.

    SQLite's check goes down a tree by recursion: one of 50,000 levels would end this process. So
    every tree is gone through first, which SQLite refuses (SQLITE_CORRUPT) beyond 20 levels.
    """
    for scan in _SCANS:
        connection.execute(scan).fetchone()
    return connection.execute(f"PRAGMA {check}(1)").fetchone() == ("ok",)


@lru_cache(maxsize=4)
def _expected(statements: tuple[str, ...]) -> set[tuple[str | None, ...]]:
    fresh = sqlite3.connect(":memory:")
    try:
        for statement in statements:
            fresh.execute(statement)
        return set(fresh.execute(_ALL))
    finally:
        fresh.close()
