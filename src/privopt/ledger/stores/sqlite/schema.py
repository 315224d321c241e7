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
from privopt.ledger.row import AMOUNTS, BY, COLUMNS, COUNTS, NEW_IN_3, THINGS, Row

__all__ = [
    "FORMAT_2",
    "MARKED",
    "STATEMENTS",
    "VERSION",
    "Format",
    "check_schema",
    "create",
    "format_of",
    "mark",
    "pages_hold",
    "same_mark",
    "version_of",
]

VERSION = 3
MARKED = 2  # from this version on a file has a mark, and never a log
_SHIFT = 28  # a mark is the version, and 14 bits of each of the last two digests
APPLICATION = 0x70_76_6C_67  # "pvlg"
_SHOWN = 60  # statements of a strange database that are compared; a ledger has nine

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


def _with_blanks(later: dict[str, str]) -> tuple[str, ...]:
    """The table of formats 2 and later, in which key, request and output may be blanked."""
    kinds = {
        "seq": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "kind": "TEXT NOT NULL",
        "time": "TEXT",
        "of": "INTEGER UNIQUE",
        **dict.fromkeys(AMOUNTS, "TEXT NOT NULL"),
        "key_digest": "BLOB UNIQUE",
        **dict.fromkeys(_DIGESTS, "BLOB"),
        "previous": "BLOB NOT NULL",
        "digest": "BLOB NOT NULL",
        **later,
        **dict.fromkeys(THINGS, "TEXT"),
        "output": "BLOB",
    }
    there = [name for name in COLUMNS if name in kinds]
    changed = " OR ".join(
        [f"new.{name} IS NOT old.{name}" for name in there if name not in THINGS]
        + [f"(new.{name} IS NOT NULL AND new.{name} IS NOT old.{name})" for name in THINGS]
    )
    return statements(kinds, f"WHEN {changed}\n")


FORMAT_2 = _with_blanks({})
_LATER = {name: "INTEGER" if name in COUNTS else "TEXT" for name in NEW_IN_3}
# A charge finds the last row of its releaser, and of its purpose, by these.
_INDEXES = tuple(
    f"CREATE INDEX entries_by_{by} ON entries ({by}) WHERE {by} IS NOT NULL" for by in BY
)
STATEMENTS = (*_with_blanks(_LATER), *_INDEXES)
_LONG = 4000  # characters of a statement; a ledger's have 2,000
_ALL = f"""SELECT substr(type, 1, {_LONG}), substr(name, 1, {_LONG}), substr(tbl_name, 1, {_LONG}),
    substr(sql, 1, {_LONG}) FROM sqlite_master LIMIT {_SHOWN}"""  # noqa: S608


# Every tree of a ledger, in any format, from its first entry to its last.
_TREES = (
    "entries NOT INDEXED",
    "entries INDEXED BY sqlite_autoindex_entries_1",
    "entries INDEXED BY sqlite_autoindex_entries_2",
    "sqlite_sequence",
)
_NAMED = tuple(f"entries INDEXED BY entries_by_{by} WHERE {by} IS NOT NULL" for by in BY)


def mark(row: Row, version: int = VERSION) -> int:
    """What the first page says of the last row: version and a part of the last two digests."""
    return version << _SHIFT | _part(row.previous) << 14 | _part(row.digest)


def version_of(user_version: int) -> int:
    """The format version that a `user_version` stands for."""
    return user_version if user_version < 1 << _SHIFT else user_version >> _SHIFT


def same_mark(one: int, other: int) -> bool:
    """Whether two marks are of the same row, in whichever format."""
    return (one ^ other) & ((1 << _SHIFT) - 1) == 0


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


def pages_hold(
    connection: sqlite3.Connection, check: str = "integrity_check", *, current: bool = True
) -> bool:
    """Whether the pages and indexes of the file fit together, in SQLite's own view.

    SQLite's check goes down a tree by recursion: one of 50,000 levels would end this process. So
    every tree is gone through first, which SQLite refuses (SQLITE_CORRUPT) beyond 20 levels.
    """
    for tree in (*_TREES, *(_NAMED if current else ())):
        connection.execute(f"SELECT total(seq) FROM {tree}").fetchone()  # noqa: S608
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
