"""Looking up one charge and its output, by row or by key. Nothing here writes.

What became of a charge whose release was stopped, the ledger itself is asked: a Ctrl-C during a
COMMIT is raised when the COMMIT has ended, and whether the charge was made, or the output stored,
cannot be seen from where it strikes.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

from privopt.errors import InputError
from privopt.ledger import chain
from privopt.ledger.entry import Entry
from privopt.ledger.protocol import stored
from privopt.ledger.row import Row, thing_digest
from privopt.ledger.stores.protocol import Transaction

__all__ = ["charge_and_output", "charged", "check_key", "is_released", "output", "standing"]


def check_key(key: Any) -> None:  # noqa: ANN401 -- the edge
    """Refuse what is no key; None is none."""
    sound = key is None or (isinstance(key, str) and 1 <= len(key) <= 200 and key.isprintable())
    if not sound:
        raise InputError(
            f"key is {key!r:.40}.",
            "a printable string of 1 to 200 characters, or None.",
            'name the release, as in key="loads-2026-05".',
        )


def is_released(transaction: Transaction, key: str) -> bool:
    """Whether an output was stored under a key."""
    row = chain.row_of_key(transaction, thing_digest(key))
    return row is not None and chain.output_of(transaction, row.seq) is not None


def charge_and_output(transaction: Transaction, row: int) -> tuple[Row | None, Row | None]:
    """A row and, if it is a charge, that of its output; None where there is none."""
    if not 1 <= row <= chain.last(transaction).seq:
        return None, None
    return chain.read(transaction, row), chain.output_of(transaction, row)


def output(transaction: Transaction, row: int | None, key: str | None) -> bytes:
    """The output of the charge that a row (its own, or the charge's) or a key names."""
    last, found = chain.last(transaction).seq, None
    if key is not None:
        found = chain.row_of_key(transaction, thing_digest(key))
    elif row is not None and 1 <= row <= last:
        found = chain.read(transaction, row)
    if found is not None and found.kind == "output":
        found = chain.read(transaction, found.of or 0)
    name = f"row {row}" if key is None else f"the key {key!r}"
    if found is None or found.kind != "charge":
        raise InputError(
            f"{name} is no charge of this ledger.",
            "the row or the key of a charge.",
            "`privopt ledger show` lists them.",
        )
    return stored(transaction, found.seq, name)


def charged(row: int) -> str:
    """What is said of a charge without output."""
    return f"Row {row} of the ledger was charged; the charge stays. No output of it was stored."


def standing(find: Callable[[int], tuple[Row | None, Row | None]], entry: Entry, place: str) -> str:
    """Whether a charge stands and its output is kept, in words; `find` looks both up."""
    name = shlex.quote(place)
    try:
        row, output = find(entry.row)
    except BaseException:  # a second Ctrl-C too: the first one is what is raised
        return (
            f"Whether row {entry.row} of the ledger was charged could not be seen. Look with: "
            f"privopt ledger show {name} --last 1"
        )
    if row is None or not row.known_as(entry.digest):
        return "Nothing was charged."
    if output is None:
        return charged(entry.row)
    return (
        f"Row {entry.row} of the ledger was charged, and keeps the release. Get it, free: privopt "
        f"ledger fetch {name} --row {entry.row}"
    )
