"""Format 1, of privopt 0.1.0: its tables, its digests, and the way from it to format 2.

    digest_n = SHA-256(canonical text of row n, with key, request and output in it)

A migration reads every old row and writes it anew with the digests of format 2; the old digest
stays in the row (`legacy`) and is part of the new chain, so heads that were noted and releases that
were made before are still recognised. All of it is one transaction, which ends with a row that
names the old head and a check of the whole ledger: `verify` checks the old digests too.
"""

from __future__ import annotations

import sqlite3
from contextlib import nullcontext
from typing import Any

from privopt.ledger.row import AMOUNTS, START, Row, altered, check_form, lost, strange
from privopt.ledger.stores.sqlite import schema
from privopt.ledger.stores.sqlite.rows import StoredRows, fitting
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
_EVER = "SELECT seq FROM sqlite_sequence WHERE name = 'entries_1'"
_ROWS = f"SELECT {', '.join(COLUMNS)} FROM entries_1 ORDER BY seq"  # noqa: S608


def migrate(rows: StoredRows, home: bytes, time: str) -> None:
    """Write the rows of format 1 anew, inside a transaction; the whole ledger must hold then."""
    connection = rows.connection
    schema.check_schema(connection, STATEMENTS)
    # To drop a table whose pages are shared would never end.
    if not schema.pages_hold(connection, "quick_check"):
        raise sqlite3.DatabaseError("SQLITE_CORRUPT")
    for name in ("never_changed", "never_removed"):
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("ALTER TABLE entries RENAME TO entries_1")
    schema.create(connection)
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
    connection.execute("DROP TABLE entries_1")
    head = f"1 to {schema.VERSION}; head {new.seq}:{old.hex()}"
    rows.append(new.after("migrated", time=time, request=head, home=home))
    schema.check_schema(connection)
    verify(lambda: nullcontext(rows), "")


def _sealed(row: Row) -> Row:
    try:
        sealed = row.sealed()
    except (AttributeError, TypeError, UnicodeError):  # a thing that is neither text nor bytes
        raise strange(row.seq) from None
    check_form(sealed)
    return sealed
