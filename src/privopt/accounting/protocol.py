"""The two transactions of a charge: admit it before the output is made, store the output after.

Both run inside `Store.writing`: what they append is on the disk when the transaction has ended.
"""

from __future__ import annotations

import sqlite3

from privopt.accounting import chain
from privopt.accounting.budget import Units
from privopt.accounting.entry import Entry
from privopt.accounting.request import Request
from privopt.accounting.subject import check_subject, subject_of
from privopt.accounting.turn import WAITS
from privopt.errors import BudgetExceededError, BurntError, KeyUsedError

__all__ = ["admit", "finish"]


def admit(
    connection: sqlite3.Connection, request: Request, key: str | None, time: str
) -> Entry | bytes:
    """Append the charge; or the stored output, if the key was released before."""
    head = chain.last(connection)
    stored = None if key is None else _replay(connection, request, key)
    if stored is not None:
        return stored
    subject = subject_of(connection)
    check_subject(subject, dataset=None, alpha=request.alpha, private=request.private)
    charge = request.charge.charge
    # What costs nothing always fits, also above a limit that was lowered.
    if charge != (0, 0) and not head.spent.plus(charge).within(head.limit):
        raise _over(head, charge)
    row = head.after("charge", charge=charge, time=time, key=key, request=request.text)
    chain.append(connection, row)
    epsilon, delta = charge.texts
    return Entry(subject.dataset, row.seq, row.digest.hex(), epsilon, delta)


def finish(connection: sqlite3.Connection, entry: Entry, output: bytes) -> None:
    """Append the output of a charge."""
    head = chain.last(connection)
    chain.append(connection, head.after("output", of=entry.row, output=output))


def _replay(connection: sqlite3.Connection, request: Request, key: str) -> bytes | None:
    found = connection.execute("SELECT seq FROM entries WHERE key = ?", (key,)).fetchone()
    if found is None:
        return None
    row = int(found[0])
    text = chain.read(connection, row).request or ""
    if text != request.text:
        differing = ", ".join(request.differences(Request.read(text)))
        raise KeyUsedError(
            f"the key {key!r} stands for another request (row {row}); different: {differing}.",
            "one key for one request.",
            "use a new key for a new release.",
            row,
        )
    output = connection.execute(
        "SELECT seq FROM entries WHERE of = ? AND kind = 'output'", (row,)
    ).fetchone()
    if output is None:
        waiting = "" if WAITS else " (or its output is still being made: then try again soon)"
        raise BurntError(
            f"the key {key!r} was charged (row {row}) and its output never stored: it was "
            f"interrupted{waiting}.",
            "a key that was released, or a new one.",
            "use a new key; the charge stays, because the data may have been read.",
            row,
        )
    return bytes(chain.read(connection, int(output[0])).output or b"")


def _over(head: chain.Row, charge: Units) -> BudgetExceededError:
    return BudgetExceededError(
        f"the release costs {charge.budget}, and {head.limit.minus(head.spent).budget} is left of "
        f"{head.limit.budget}. Nothing was charged or released.",
        "a charge that fits what is left.",
        "ask for less (a smaller epsilon or delta), or raise the limit on record with "
        "ledger.set_limit, which weakens what was promised.",
    )
