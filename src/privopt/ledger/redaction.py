"""Redaction: what a charge was for is blanked, that it was charged stays.

Key and request of the charge and the bytes of its output become empty; their digests stay, so the
chain and the sums still hold and the key still counts as used. The step is a row of its own. The
request of the first charge stays where it alone says what neighbours are.

The store overwrites what it blanks. Copies, backups, and what the disk itself keeps of overwritten
blocks are beyond it. A digest hides nothing from who can guess: a short key is found by
trying keys.
"""

from __future__ import annotations

from privopt.errors import InputError
from privopt.ledger import chain
from privopt.ledger.request import canonical
from privopt.ledger.row import Row
from privopt.ledger.settling import first_charge
from privopt.ledger.stores.protocol import Transaction

__all__ = ["redact"]


def redact(transaction: Transaction, head: Row, seq: int, time: str) -> None:
    """Blank a charge and its output, inside a transaction."""
    if not 1 <= seq <= head.seq or chain.read(transaction, seq).kind != "charge":
        raise InputError(
            f"row {seq} is no charge.", "the row of a charge.", "`privopt ledger show` lists them."
        )
    opened, first = chain.read(transaction, 1).subject, first_charge(transaction)
    output = chain.output_of(transaction, seq)
    settles = first is not None and seq == first.seq and None in (opened.alpha, opened.private)
    transaction.blank(seq, "key", *(() if settles else ("request",)))
    if output is not None:
        transaction.blank(output.seq, "output")
    transaction.append(head.after("redacted", time=time, request=canonical({"row": seq})))
