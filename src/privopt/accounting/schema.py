"""The format of a ledger file: tables, version, and the way from an older version.

The rows are append-only: triggers refuse changes and removals. `AUTOINCREMENT` remembers the
largest row number ever given, so a missing last row is found too.

A migration n -> n+1 may add columns that are null in old rows, tables and indexes. It must not
touch a row: the chain is checked afterwards, and the step itself becomes a row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any

from privopt.errors import LedgerError

__all__ = ["STATEMENTS", "VERSION", "Format", "create", "format_of", "has_schema", "migrate"]

APPLICATION = 0x70_76_6C_67  # "pvlg"
VERSION = 1
MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {}

STATEMENTS = (
    """CREATE TABLE entries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    time TEXT,
    key TEXT UNIQUE,
    request TEXT,
    of INTEGER UNIQUE,
    output BLOB,
    epsilon TEXT NOT NULL,
    delta TEXT NOT NULL,
    spent_epsilon TEXT NOT NULL,
    spent_delta TEXT NOT NULL,
    limit_epsilon TEXT NOT NULL,
    limit_delta TEXT NOT NULL,
    previous BLOB NOT NULL,
    digest BLOB NOT NULL
)""",
    """CREATE TRIGGER never_changed BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never changed'); END""",
    """CREATE TRIGGER never_removed BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'rows of a ledger are never removed'); END""",
)


class Format(Enum):
    """What a file turned out to be."""

    EMPTY = "empty"
    OLDER = "older"
    CURRENT = "current"


def format_of(connection: sqlite3.Connection, path: Path) -> Format:
    """Empty, older or current; refuse what is newer or no ledger."""
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if (application, version, tables) == (0, 0, 0):
        return Format.EMPTY
    if application != APPLICATION:
        raise LedgerError(
            f"{path} is a database, and not a ledger of privopt.",
            "a ledger, or a path where there is no file yet.",
            "check the path.",
        )
    if version > VERSION:
        raise LedgerError(
            f"{path} has format version {version}.",
            f"version {VERSION} or older.",
            "use the privopt that wrote it, or a newer one.",
        )
    return Format.CURRENT if version == VERSION else Format.OLDER


def create(connection: sqlite3.Connection) -> None:
    """Make the tables, inside a transaction."""
    for statement in STATEMENTS:
        connection.execute(statement)
    _mark(connection)


def migrate(connection: sqlite3.Connection, path: Path) -> tuple[int, int]:
    """Bring an older file to this version, inside a transaction; return both versions."""
    first = version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    while version < VERSION:
        if version not in MIGRATIONS:
            raise LedgerError(
                f"{path} has format version {first}, from which no way leads to {VERSION}.",
                f"version {min(MIGRATIONS, default=VERSION)} or newer.",
                "open it with an older privopt first.",
            )
        MIGRATIONS[version](connection)
        version += 1
    _mark(connection)
    return first, version


def has_schema(connection: sqlite3.Connection) -> bool:
    """Whether tables, columns and triggers are the ones `create` makes, and no others."""
    fresh = sqlite3.connect(":memory:")
    try:
        create(fresh)
        return _shape(connection) == _shape(fresh)
    finally:
        fresh.close()


def _shape(connection: sqlite3.Connection) -> tuple[set[tuple[Any, ...]], ...]:
    """Columns in any order (a migration adds them at the end), and everything else by its text."""
    columns = "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('entries')"
    others = "SELECT type, name, sql FROM sqlite_master WHERE name <> 'entries'"
    return set(connection.execute(columns)), set(connection.execute(others))


def _mark(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
