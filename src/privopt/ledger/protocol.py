"""What is written for a charge: admitted before the output is made, the output stored after.

Later what it was for may be blanked. Each step runs inside `Store.writing`: what it appends is on
the disk when the transaction has ended. `consider` is the decision alone, and only reads.
"""

from __future__ import annotations

from typing import Any

from privopt.errors import (
    Action,
    BudgetExceededError,
    BurntError,
    Clause,
    InputError,
    KeyUsedError,
    LedgerError,
)
from privopt.ledger import chain
from privopt.ledger.budget import Units
from privopt.ledger.entry import Entry
from privopt.ledger.request import Request
from privopt.ledger.row import Row, thing_digest
from privopt.ledger.share import charged
from privopt.ledger.stores.protocol import Transaction
from privopt.ledger.subject import Subject, check_subject
from privopt.record import canonical

__all__ = ["admit", "check_fit", "consider", "finish", "redact", "stored"]


def consider(
    transaction: Transaction,
    head: Row,
    request: Request,
    key: str | None,
    releaser: str | None = None,
) -> tuple[Subject, dict[str, Any]] | bytes:
    """What would come of a request: the stored output of its key; or, if it fits, its subject.

    With the subject comes what the row of the charge will say of its releaser.
    """
    replayed = None if key is None else _replay(transaction, request, key)
    if replayed is not None:
        return replayed
    subject = chain.subject_of(transaction)
    check_fit(head, subject, request)
    return subject, charged(transaction, head, releaser, request.charge.charge)


def check_fit(head: Row, subject: Subject, request: Request) -> None:
    """Refuse a request that is about other neighbours, or costs more than is left."""
    check_subject(
        subject,
        dataset=None,
        alpha=request.alpha,
        private=request.private,
        relation=request.relation,
    )
    charge = request.charge.charge
    # What costs nothing always fits, also above a limit that was lowered.
    if charge != (0, 0) and not head.spent.plus(charge).within(head.limit):
        raise _over(head, charge)


def admit(
    transaction: Transaction,
    head: Row,
    request: Request,
    key: str | None,
    time: str,
    releaser: str | None = None,
) -> Entry | bytes:
    """Append the charge; or the stored output, if the key was released before, by whomever."""
    considered = consider(transaction, head, request, key, releaser)
    if isinstance(considered, bytes):
        return considered
    (subject, shares), charge = considered, request.charge.charge
    row = head.after("charge", charge=charge, time=time, key=key, request=request.text, **shares)
    transaction.append(row)
    epsilon, delta = charge.texts
    return Entry(subject.dataset, row.seq, row.digest.hex(), epsilon, delta, time)


def finish(transaction: Transaction, head: Row, entry: Entry, output: bytes) -> None:
    """Append the output of a charge."""
    transaction.append(head.after("output", of=entry.row, output=output))


def redact(transaction: Transaction, head: Row, seq: int, time: str) -> None:
    """Blank key and request of a charge and the bytes of its output; that it was charged stays.

    Their digests stay, so the chain and the sums still hold and the key still counts as used. The
    step is a row of its own. The request of the first charge stays where it alone says what
    neighbours are.

    The store overwrites what it blanks. Copies, backups, and what the disk itself keeps of
    overwritten blocks are beyond it. A digest hides nothing from who can guess: a short key is
    found by trying keys.
    """
    if not 1 <= seq <= head.seq or chain.read(transaction, seq).kind != "charge":
        raise InputError(
            f"row {seq} is no charge.", "the row of a charge.", "`privopt ledger show` lists them."
        )
    opened, first = chain.read(transaction, 1).subject, chain.first_charge(transaction)
    output = chain.output_of(transaction, seq)
    settles = first is not None and seq == first.seq and None in (opened.alpha, opened.private)
    transaction.blank(seq, "key", *(() if settles else ("request",)))
    if output is not None:
        transaction.blank(output.seq, "output")
    transaction.append(head.after("redacted", time=time, request=canonical({"row": seq})))


def stored(transaction: Transaction, charge: int, what: str) -> bytes:
    """The output of a charge; refuse one that never came, or was blanked."""
    row = chain.output_of(transaction, charge)
    if row is None:
        waiting = (
            "" if transaction.waits else " (or its output is still being made: then try again soon)"
        )
        raise BurntError(
            f"{what} was charged (row {charge}) and its output never stored: it was "
            f"interrupted{waiting}.",
            "a key that was released, or a new one.",
            "use a new key; the charge stays, because the data may have been read.",
            charge,
        )
    if row.output is None:
        raise LedgerError(
            f"{what} was released (row {charge}), and the output was redacted: it cannot be given "
            "again. Nothing was charged.",
            "an output that is kept, or a new key.",
            "use the release where it was saved; under a new key it is a new release, charged.",
            charge,
        )
    return row.output


def _replay(transaction: Transaction, request: Request, key: str) -> bytes | None:
    row = chain.row_of_key(transaction, thing_digest(key))
    if row is None:
        return None
    if row.request_digest != thing_digest(request.text):
        differing = "" if row.asked is None else request.told_apart(row.asked)
        raise KeyUsedError(
            f"the key {key!r} stands for another request (row {row.seq}), which differs in "
            f"{differing or 'its digest (the request was redacted)'}. Nothing was charged.",
            "one key for one request.",
            "use a new key for a new release.",
            row.seq,
        )
    return stored(transaction, row.seq, f"the key {key!r}")


def _over(head: Row, charge: Units) -> BudgetExceededError:
    return BudgetExceededError(
        f"the release costs {charge.budget}, and {head.limit.minus(head.spent).budget} is left of "
        f"{head.limit.budget}. Nothing was charged or released.",
        "a charge that fits what is left.",
        (
            "ask for less (a smaller epsilon or delta)",
            Clause(Action.SET_LIMIT, ", which weakens what was promised."),
        ),
    )
