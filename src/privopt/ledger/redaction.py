"""Redaction: what a charge was for is blanked, that it was charged stays.

Key and request of the charge and the bytes of its output become empty; their digests stay, so the
chain and the sums still hold and the key still counts as used. The step is a row of its own. The
request of the first charge stays where it alone says what neighbours are.

SQLite overwrites what it blanks (secure_delete). Copies, backups, and what the disk itself keeps of
overwritten blocks are beyond it. A digest hides nothing from who can guess: a short key is found by
trying keys.
"""

from __future__ import annotations

import sqlite3

from privopt.errors import InputError
from privopt.ledger import chain
from privopt.ledger.request import canonical
from privopt.ledger.row import Row
from privopt.ledger.settling import first_charge

__all__ = ["redact"]


def redact(connection: sqlite3.Connection, head: Row, seq: int, time: str) -> None:
    """Blank a charge and its output, inside a transaction."""
    if not 1 <= seq <= head.seq or chain.read(connection, seq).kind != "charge":
        raise InputError(
            f"row {seq} is no charge.", "the row of a charge.", "`privopt ledger show` lists them."
        )
    opened, first = chain.read(connection, 1).subject, first_charge(connection)
    output = chain.output_of(connection, seq)
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("UPDATE entries SET key = NULL WHERE seq = ?", (seq,))
    if (
        first is None
        or seq != first.seq
        or (opened.alpha is not None and opened.private is not None)
    ):
        connection.execute("UPDATE entries SET request = NULL WHERE seq = ?", (seq,))
    if output is not None:
        connection.execute("UPDATE entries SET output = NULL WHERE seq = ?", (output.seq,))
    text = canonical({"row": seq})
    chain.append(connection, head.after("redacted", time=time, request=text))
