"""A ledger copied to another store: every row, every digest and the head are kept.

    one transaction in the target:  every row, as it is  ->  a check of the whole ledger  ->  COMMIT

Until its end there is no ledger in the target, whatever stops the copy. The rows are those of one
state of the source, which was checked as a whole before.

A copy that is charged beside its original is a second ledger for the same data. So the source can
be closed, in the same step: its last row says where the ledger goes on, and nothing is written to
it any more. The row is on the disk before the copy is, so there is no moment at which both can be
charged. If the copy is stopped right then, asking for it again, to the same place, completes it.
"""

from __future__ import annotations

from contextlib import nullcontext

from privopt.ledger import chain
from privopt.ledger.anchor import Anchor
from privopt.ledger.row import Row
from privopt.ledger.stores.protocol import Store, Transaction
from privopt.ledger.verification import verify
from privopt.ledger.writing import now, take_over, written

__all__ = ["copy"]


def copy(source: Store, target: Store, anchor: Anchor | None, *, close: bool) -> None:
    """Copy the rows of a store to one where no ledger was begun; close the source if asked to.

    `anchor` is that of the source. The last check is of what the target gives back.
    """
    with target.beginning() as to:
        if close:
            closed = _close(source, target, anchor, to)
            take_over(to, closed, now(), target.home)
        else:
            with source.reading() as transaction:
                _append_all(transaction, to)
            verify(lambda: nullcontext(to), "")


def _close(source: Store, target: Store, anchor: Anchor | None, to: Transaction) -> Row:
    """Copy the rows and close the source; it may have been closed for this target before."""

    def work(transaction: Transaction, head: Row) -> Row:
        _append_all(transaction, to)
        closed = head.after("closed", time=now(), request=target.place)
        transaction.append(closed)
        return closed

    with source.reading() as transaction:
        head = chain.last(transaction)
        if head.kind == "closed" and head.request == target.place:
            return _append_all(transaction, to)
    closed = written(source, anchor, work)
    to.append(closed)
    return closed


def _append_all(transaction: Transaction, to: Transaction) -> Row:
    """Every row up to the last, each checked as it is read."""
    head = chain.last(transaction)
    for row in chain.rows(transaction, 1):
        to.append(row)
    return head
