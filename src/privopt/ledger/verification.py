"""Is a ledger whole? Every row is read once, in order, in a memory that does not grow.

Checked are the chain, the sums, the limit and the quotas at each charge (`share`), that each charge
is what its request costs, that all requests speak of the same neighbours, that each output has its
charge, that the last row is the last ever written, and that the store is whole (the pages and
indexes of a file). Of a redacted row the digests stand for what was blanked.

The rows are read in portions, each in a transaction of its own: a reader holds up whoever charges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from privopt.errors import LedgerError, PrivoptError
from privopt.foreign import shown
from privopt.ledger import chain
from privopt.ledger.budget import Budget
from privopt.ledger.form import damaged
from privopt.ledger.row import START, Row
from privopt.ledger.share import Shares
from privopt.ledger.stores.protocol import Reading, Transaction
from privopt.ledger.subject import Subject, check_subject

__all__ = ["PORTION", "Report", "verify"]

PORTION = 2000


@dataclass(frozen=True)
class Report:
    """What `verify` found: every row is as it was written, and the sums are right.

    Attributes
    ----------
    dataset, rows, charges, released
        Name, and how many rows, charges, and charges whose output was stored.
    redacted
        Rows of which the key, the request or the output was blanked; the chain still covers them.
    spent, limit
        Now.
    head
        Row number and digest of the last row. Kept elsewhere and given to `verify` later, it shows
        that nothing before it was rewritten.
    drive
        Where the file lies, or that this was not checked.
    """

    dataset: str
    rows: int
    charges: int
    released: int
    redacted: int
    spent: Budget
    limit: Budget
    head: tuple[int, str]
    drive: str

    @property
    def unfinished(self) -> int:
        """Charges without output: burnt, or being made right now."""
        return self.charges - self.released

    def summary(self) -> str:
        """The report in words."""
        blanked = f" {self.redacted} rows are redacted." if self.redacted else ""
        return (
            f"Ledger of {shown(self.dataset)}: {self.rows} rows, chain whole. {self.charges} "
            f"charges, {self.released} released, {self.unfinished} without output.{blanked}\n"
            f"  spent {self.spent}\n  limit {self.limit}\n"
            f"  head  row {self.head[0]}, {self.head[1]}\n  {self.drive}"
        )


@dataclass
class _Sums:
    """What was seen so far."""

    before: Row | None = None
    subject: Subject | None = None
    charges: int = 0
    released: int = 0
    redacted: int = 0
    shares: Shares = field(default_factory=Shares)

    @property
    def rows(self) -> int:
        return 0 if self.before is None else self.before.seq


def verify(reading: Reading, drive: str, head: tuple[int, str] | None = None) -> Report:
    """Check every row; raise a `LedgerError` that names the first bad one."""
    sums, more = _Sums(), True
    while more:
        with reading() as transaction:
            first = sums.rows
            for row in _readable(transaction, first):
                _add(sums, row, transaction)
                noted = head is not None and row.seq == head[0]
                if head is not None and noted and row.digest.hex() != head[1]:
                    what = f"row {row.seq} is not the head that was noted: it was rewritten"
                    raise damaged(what, row.seq)
            more = sums.rows == first + PORTION
            if not more:
                _check_end(transaction, sums, 1 if head is None else head[0])
    last = sums.before
    if last is None or sums.subject is None:
        raise damaged("row 1 is missing", 1)
    return Report(
        dataset=sums.subject.dataset,
        rows=last.seq,
        charges=sums.charges,
        released=sums.released,
        redacted=sums.redacted,
        spent=last.spent.budget,
        limit=last.limit.budget,
        head=(last.seq, last.digest.hex()),
        drive=drive,
    )


def _readable(transaction: Transaction, after: int) -> Iterator[Row]:
    seen = after
    try:
        for row in islice(chain.rows(transaction, after + 1), PORTION):
            yield row
            seen += 1
    except LedgerError as error:
        if error.row is not None:
            raise
        what = f"row {seen + 1} cannot be read: the file is damaged"
        raise damaged(what, seen + 1) from None


def _add(sums: _Sums, row: Row, transaction: Transaction) -> None:
    before = sums.before
    _follows(before, row)
    try:
        if before is None:
            sums.subject = row.subject
            sound = row.spent == (0, 0)
        else:
            limit = row.limit if row.kind == "limit" else before.limit
            sound = (
                row.spent == before.spent.plus(row.charge)
                and row.limit == limit
                and (row.kind == "moved" or row.home == before.home)
                and (before.kind != "closed" or row.kind == "moved")
            )
        sound = sound and sums.shares.follow(before, row, transaction)
        sound = sound and _says_what_it_may(sums, row, transaction)
    except PrivoptError:
        sound = False
    if not sound:
        raise damaged(f"row {row.seq} does not say what a ledger writes", row.seq)
    sums.redacted += row.redacted
    sums.before = row


def _follows(before: Row | None, row: Row) -> None:
    """The chain: the row comes right after the one before."""
    if row.previous != (START if before is None else before.digest):
        raise damaged(f"row {row.seq} does not continue the chain", row.seq)


def _says_what_it_may(sums: _Sums, row: Row, transaction: Transaction) -> bool:
    """What a row of its kind holds. Counts charges and outputs; settles the subject."""
    if row.kind == "charge":
        sums.charges += 1
        return _is_charge(sums, row)
    if row.kind == "output":
        sums.released += 1
        return (
            row.charge == (0, 0) and row.output_digest is not None and _of(sums, row, transaction)
        )
    return row.charge == (0, 0)


def _is_charge(sums: _Sums, row: Row) -> bool:
    subject = sums.subject
    fits = row.charge == (0, 0) or row.spent.within(row.limit)
    if subject is None or row.request_digest is None or not fits:
        return False
    request = row.asked
    if request is None:
        return subject.alpha is not None and subject.private is not None
    check_subject(
        subject,
        dataset=None,
        alpha=request.alpha,
        private=request.private,
        relation=request.relation,
    )
    sums.subject = subject.settled(request)
    return row.charge == request.charge.charge


def _of(sums: _Sums, row: Row, transaction: Transaction) -> bool:
    """Whether an output belongs to an earlier charge. (That it is the only one, its index says.)"""
    before = sums.before
    if before is not None and row.of == before.seq:
        return before.kind == "charge"
    return row.of is not None and row.of < row.seq and transaction.kind(row.of) == "charge"


def _check_end(transaction: Transaction, sums: _Sums, noted: int) -> None:
    expected = max(transaction.largest(), noted)
    if sums.rows < expected:
        what = f"row {sums.rows + 1} is missing: the ledger once had {expected} rows"
        raise damaged(what, sums.rows + 1)
    transaction.check_whole(chain.last(transaction))
