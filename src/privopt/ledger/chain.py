"""The chain: rows that can be appended and never changed unnoticed.

    row n holds digest_(n-1)

The last row is the state of the ledger, so it must be the last that was ever written, and written
whole. The largest number ever given says the first, the store the second (for a file:
`stores.sqlite.rows`). Whatever a store gives back is checked here before anyone uses it.

The chain finds damage and careless edits. Whoever can write the file can also compute a new chain;
against that, keep the head (row number and digest of the last row) somewhere else and compare.
"""

from __future__ import annotations

from collections.abc import Iterator

from privopt.ledger.form import altered, check_row, lost, strange
from privopt.ledger.row import Row
from privopt.ledger.stores.protocol import Transaction
from privopt.ledger.subject import Subject

__all__ = [
    "first_charge",
    "last",
    "last_of",
    "output_of",
    "read",
    "row_of_key",
    "rows",
    "subject_of",
]


def last(transaction: Transaction) -> Row:
    """The last row without its output, checked against its digest: the state of the ledger.

    It is the last that was ever written: without the rows after it, less would count as spent.
    """
    row = _checked(transaction.last(), 1)
    if transaction.largest() != row.seq:
        raise lost(row.seq + 1)
    transaction.check_last(row)
    return row


def read(transaction: Transaction, seq: int) -> Row:
    """A row that must be there, checked against its digest."""
    return _checked(transaction.row(seq), seq)


def rows(
    transaction: Transaction, first: int, *, back: bool = False, light: bool = False
) -> Iterator[Row]:
    """Rows from a number on, or back from it: each is there, and checked before the next is read.

    Light ones come without output. Back, it ends with row 1. Forward, it ends with the rows that
    there are; whether these are all, `last` knows.
    """
    expected = first
    for row in transaction.rows(first, back=back, light=light):
        if row.seq != expected:
            raise lost(expected)
        check_row(row)
        yield row
        expected += -1 if back else 1
    if back and expected > 0:
        raise lost(expected)


def row_of_key(transaction: Transaction, digest: bytes) -> Row | None:
    """The charge whose key has a digest, checked; also where the key itself was blanked."""
    row = transaction.row_of_key(digest)
    return None if row is None else _looked_up(row, row.key_digest == digest)


def output_of(transaction: Transaction, charge: int) -> Row | None:
    """The output of a charge, checked; None if it was never stored."""
    row = transaction.output_of(charge)
    return None if row is None else _looked_up(row, row.of == charge)


def last_of(transaction: Transaction, releaser: str, before: int | None = None) -> Row | None:
    """The last row that names a releaser (before a number), checked: its state."""
    row = transaction.last_of(releaser, before)
    if row is None:
        return None
    return _looked_up(row, row.releaser == releaser and (before is None or row.seq < before))


def subject_of(transaction: Transaction) -> Subject:
    """Dataset, alpha and private set, by the first row; what it left open, by the first charge."""
    subject = read(transaction, 1).subject
    if subject.alpha is None or subject.private is None:
        first = first_charge(transaction)
        if first is not None:
            if first.asked is None:  # never blanked by `redact`: it says what neighbours are
                raise strange(first.seq)
            subject = subject.settled(first.asked)
    return subject


def first_charge(transaction: Transaction) -> Row | None:
    """The first charge, looked for from the beginning; None if there is none yet."""
    found = rows(transaction, 1, light=True)
    return next((row for row in found if row.kind == "charge"), None)


def _looked_up(row: Row, is_it: bool) -> Row:
    """The row that an index names, which must be what was looked for."""
    check_row(row)
    if not is_it:
        raise altered(row.seq)
    return row


def _checked(row: Row | None, seq: int) -> Row:
    if row is None:
        raise lost(seq)
    check_row(row)
    return row
