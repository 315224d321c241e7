"""How a ledger is written to: not behind its anchor, not after it was closed, moves on record.

Each write is one transaction of the store. Where the ledger has an anchor, the anchor's lock is
held around it: the ledger is compared with the anchor before anything is written, and the anchor
follows when the write is on the disk (`anchor`).
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from contextlib import nullcontext
from typing import TypeVar

from privopt.errors import LedgerError
from privopt.ledger import chain
from privopt.ledger.anchor import Anchor, Mark
from privopt.ledger.row import Row
from privopt.ledger.stores.protocol import Store, Transaction
from privopt.ledger.verification import verify

__all__ = [
    "begin",
    "check_anchor",
    "check_gone",
    "check_opened",
    "mark_of",
    "now",
    "take_over",
    "written",
]

_T = TypeVar("_T")


def now() -> str:
    """The time, as a row has it."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def mark_of(row: Row) -> Mark:
    """What an anchor keeps of a row."""
    return Mark(row.seq, row.digest.hex())


def written(store: Store, anchor: Anchor | None, work: Callable[[Transaction, Row], _T]) -> _T:
    """Do some work in a transaction, given the last row; the anchor follows when it has ended."""
    if anchor is None:
        return _written(store, None, None, work)[0]
    with anchor.hold(store.timeout) as before:
        done, mark = _written(store, anchor, before, work)
        anchor.advance(before, mark)
        return done


def _written(
    store: Store,
    anchor: Anchor | None,
    mark: Mark | None,
    work: Callable[[Transaction, Row], _T],
) -> tuple[_T, Mark]:
    while True:
        with store.writing() as transaction:
            head, home = chain.last(transaction), store.home
            if anchor is not None:
                check_anchor(transaction, head, mark, anchor.place)
            _check_open(head, store.place, moved=head.home != home)
            if head.home == home:
                done = work(transaction, head)
                return done, mark_of(head if anchor is None else chain.last(transaction))
            # In a transaction of its own: the journal of a file is of its new name then.
            take_over(transaction, head, now(), home)
        store.close()


def take_over(transaction: Transaction, head: Row, time: str, home: bytes) -> None:
    """Go on under another name, or as another file, on record; the whole ledger must hold.

    The journal of a file may have been left under its old name, and with it a write half done.
    """
    verify(lambda: nullcontext(transaction), "")
    transaction.append(head.after("moved", time=time, home=home))


def _check_open(head: Row, place: str, *, moved: bool) -> None:
    """Refuse to write to a ledger that was closed, except where it goes on."""
    if head.kind == "closed" and not (moved and head.request == place):
        raise LedgerError(
            f"the ledger was closed (row {head.seq}): it goes on at {head.request}. Nothing was "
            "charged or released.",
            "the ledger where it goes on.",
            f"open {head.request}; this one can still be looked at.",
        )


def check_anchor(transaction: Transaction, head: Row, mark: Mark | None, place: str) -> None:
    """Refuse a ledger that is behind its anchor, or another one, or an anchor that is missing."""
    if mark is None:
        if head.seq > 1:
            raise LedgerError(
                f"there is no anchor at {place}, and the ledger has {head.seq} rows. Nothing was "
                "charged or released.",
                "the anchor that followed this ledger; a new one begins with a new ledger.",
                "check the path. To begin an anchor for a ledger that is used already: `privopt "
                "ledger anchor LEDGER ANCHOR`.",
            )
        return
    if head.seq < mark.row:
        raise LedgerError(
            f"the ledger ends at row {head.seq}, and its anchor {_shown(place)} at row {mark.row}: "
            "it is an older copy. Nothing was charged or released.",
            "the ledger that was charged last.",
            "find that ledger. What was charged in it after this copy was made is not counted "
            "here.",
            head.seq,
        )
    row = head if head.seq == mark.row else chain.read(transaction, mark.row)
    if row.digest.hex() != mark.digest:
        raise LedgerError(
            f"row {mark.row} of the ledger is not the one that its anchor {_shown(place)} knows: "
            "this is another ledger, one that was rewritten, or a copy that was charged beside its "
            "original. Nothing was charged or released.",
            "the ledger that the anchor followed.",
            "find that ledger, or check which anchor belongs to this one.",
            mark.row,
        )


def check_gone(store: Store, mark: Mark | None, place: str) -> None:
    """Refuse to begin a ledger where the anchor knows of one already."""
    if mark is not None and store.blank:
        raise LedgerError(
            f"there is no ledger at {store.place}, and the anchor {_shown(place)} knows one of "
            f"{mark.row} rows. Nothing was made.",
            "the ledger that the anchor followed, or a new anchor for a new ledger.",
            "restore that ledger; one that is begun anew would forget what was spent.",
        )


def check_opened(store: Store, anchor: Anchor) -> None:
    """Refuse a ledger that does not fit its anchor; begin the anchor of a new ledger."""
    with store.reading() as transaction:
        mark = anchor.look()
        check_anchor(transaction, chain.last(transaction), mark, anchor.place)
    if mark is None and not store.read_only:
        begin(store, anchor, only_new=True)


def begin(store: Store, anchor: Anchor, *, only_new: bool) -> Mark:
    """Begin an anchor, or bring it to the head; where `only_new`, only for a ledger of one row."""
    with anchor.hold(store.timeout) as before:
        with store.reading() as transaction:
            head = chain.last(transaction)
            if before is not None or only_new:
                check_anchor(transaction, head, before, anchor.place)
        anchor.advance(before, mark_of(head))
    return mark_of(head)


def _shown(place: str) -> str:
    return place if Mark.read(place) is None else f"{place[:24]}..."
