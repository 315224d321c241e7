"""Older formats: their tables, their digests, and the way from them to the present one.

Format 1, of privopt 0.1.0:

    digest_n = SHA-256(canonical text of row n, with key, request and output in it)

A migration reads every old row and writes it anew with the digests of now; the old digest stays in
the row (`legacy`) and is part of the new chain, so heads that were noted and releases that were
made before are still recognised. It ends with a row that names the old head.

Format 2 has no columns for releasers, purposes and their quotas. A value that is missing is not in
the text of a digest, so its rows are taken over as they are, digests and head too, and no row is
added.

Either is one transaction, which ends with a check of the whole ledger: `verify` checks the digests
of format 1 too.
"""

from __future__ import annotations

import sqlite3
from contextlib import nullcontext
from typing import Any

from privopt.ledger.form import altered, check_form, check_row, lost, strange
from privopt.ledger.row import AMOUNTS, NEW_IN_3, START, Row
from privopt.ledger.row import COLUMNS as NOW
from privopt.ledger.stores.sqlite import schema
from privopt.ledger.stores.sqlite.rows import StoredRows, fitting, torn
from privopt.ledger.verification import verify

__all__ = ["STATEMENTS", "migrate"]

_KINDS = {
    "seq": "INTEGER PRIMARY KEY AUTOINCREMENT",
    "kind": "TEXT NOT NULL",
    "time": "TEXT",
    "key": "TEXT UNIQUE",
    "request": "TEXT",
    "of": "INTEGER UNIQUE",
    "output": "BLOB",
    **dict.fromkeys(AMOUNTS, "TEXT NOT NULL"),
    "previous": "BLOB NOT NULL",
    "digest": "BLOB NOT NULL",
}
COLUMNS = tuple(_KINDS)
STATEMENTS = schema.statements(_KINDS)
_EVER = "SELECT seq FROM sqlite_sequence WHERE name = 'older'"
_ROWS = f"SELECT {', '.join(COLUMNS)} FROM older ORDER BY seq"  # noqa: S608
_KEPT = ", ".join(name for name in NOW if name not in NEW_IN_3)
_TAKE_OVER = f"INSERT INTO entries ({_KEPT}) SELECT {_KEPT} FROM older ORDER BY seq"  # noqa: S608


def migrate(rows: StoredRows, home: bytes, time: str) -> None:
    """Write the rows of an older format anew, inside a transaction; the whole ledger must hold."""
    connection = rows.connection
    marked = connection.execute("PRAGMA user_version").fetchone()[0]
    first = schema.version_of(marked) == 1
    schema.check_schema(connection, STATEMENTS if first else schema.FORMAT_2)
    # To drop a table whose pages are shared would never end.
    if not schema.pages_hold(connection, "quick_check", current=False):
        raise sqlite3.DatabaseError("SQLITE_CORRUPT")
    for name in ("never_changed", "never_removed"):
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("ALTER TABLE entries RENAME TO older")
    schema.create(connection)
    if first:
        _from_1(rows, home, time)
    else:
        _from_2(rows, marked)
    schema.check_schema(connection)
    verify(lambda: nullcontext(rows), "")


def _from_2(rows: StoredRows, marked: int) -> None:
    connection = rows.connection
    connection.execute(_TAKE_OVER)
    ever, last = connection.execute(_EVER).fetchone(), rows.last()
    if last is None or ever != (last.seq,):
        raise lost(1 if last is None else last.seq + 1)
    check_row(last)
    if marked != schema.mark(last, 2):
        raise torn(last.seq)
    connection.execute("DROP TABLE older")
    connection.execute(f"PRAGMA user_version = {schema.mark(last)}")


def _from_1(rows: StoredRows, home: bytes, time: str) -> None:
    connection = rows.connection
    old: bytes = START
    new = Row(seq=0, kind="")
    for given in fitting(connection, connection.execute(_ROWS), COLUMNS):
        held: dict[str, Any] = dict(given)
        if held["seq"] != new.seq + 1:
            raise lost(new.seq + 1)
        if held.pop("previous") != old:
            raise altered(new.seq + 1)
        digest = held.pop("digest")
        row = Row(**held, legacy=digest, previous=new.digest or START)
        old, new = digest, _sealed(row)
        rows.append(new)
    ever = connection.execute(_EVER).fetchone()
    if ever != (new.seq,) or not new.seq:
        raise lost(new.seq + 1)
    connection.execute("DROP TABLE older")
    head = f"1 to {schema.VERSION}; head {new.seq}:{old.hex()}"
    rows.append(new.after("migrated", time=time, request=head, home=home))


def _sealed(row: Row) -> Row:
    try:
        sealed = row.sealed()
    except (AttributeError, TypeError, UnicodeError):  # a thing that is neither text nor bytes
        raise strange(row.seq) from None
    check_form(sealed)
    return sealed
