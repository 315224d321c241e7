"""What a ledger is about, by its rows: the first one, and for what it left open the first charge.

The first charge is looked for from the beginning, each row checked before the next one is read.
"""

from __future__ import annotations

from privopt.ledger import chain
from privopt.ledger.row import Row, strange
from privopt.ledger.stores.protocol import Transaction
from privopt.ledger.subject import Subject

__all__ = ["first_charge", "subject_of"]


def subject_of(transaction: Transaction) -> Subject:
    """Dataset, alpha and private set; None where not settled yet."""
    subject = chain.read(transaction, 1).subject
    if subject.alpha is None or subject.private is None:
        first = first_charge(transaction)
        if first is not None:
            if first.asked is None:  # never blanked by `redact`: it says what neighbours are
                raise strange(first.seq)
            subject = subject.settled(first.asked)
    return subject


def first_charge(transaction: Transaction) -> Row | None:
    """The first charge; None if there is none yet."""
    rows = chain.rows(transaction, 1, light=True)
    return next((row for row in rows if row.kind == "charge"), None)
