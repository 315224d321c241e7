"""Looking up one charge and its output, by row or by key. Nothing here writes."""

from __future__ import annotations

from typing import Any

from privopt.errors import InputError
from privopt.ledger import chain
from privopt.ledger.protocol import stored
from privopt.ledger.row import Row, thing_digest
from privopt.ledger.stores.protocol import Transaction

__all__ = ["charge_and_output", "check_key", "is_released", "output"]


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
