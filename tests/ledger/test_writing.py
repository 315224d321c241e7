"""A write: compared with the anchor first, refused after the end, and the anchor follows it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.ledger.damage import charge
from tests.ledger.requests import open_ledger

from privopt.errors import LedgerError
from privopt.ledger import Ledger
from privopt.ledger.anchor import Anchor, Mark
from privopt.ledger.row import Row
from privopt.ledger.stores.protocol import Transaction
from privopt.ledger.writing import begin, check_gone, mark_of, now, written


class Spy(Anchor):
    """An anchor that says what was done to it, and what the ledger's file was then."""

    def __init__(self, path: Path, mark: Mark | None = None) -> None:
        self.path, self.mark, self.place = path, mark, "spy"
        self.seen: list[tuple[str, int]] = []

    def look(self) -> Mark | None:
        return self.mark

    @contextmanager
    def hold(self, timeout: float) -> Generator[Mark | None]:
        self.note("held")
        yield self.mark
        self.note("let go")

    def advance(self, before: Mark | None, mark: Mark) -> None:
        self.mark = mark
        self.note("moved")

    def note(self, what: str) -> None:
        with Ledger(self.path, read_only=True) as seen:
            self.seen.append((what, seen.head[0]))


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    return open_ledger(folder, 9)


def limit(transaction: Transaction, head: Row) -> int:
    transaction.append(head.after("limit", time=now()))
    return head.seq


def test_the_anchor_moves_when_the_write_is_on_the_disk(ledger: Ledger) -> None:
    spy = Spy(ledger.path)
    assert written(ledger.store, spy, limit) == 1
    assert spy.seen == [("held", 1), ("moved", 2), ("let go", 2)]
    assert spy.mark == ledger.head


def test_a_write_that_fails_moves_nothing(ledger: Ledger) -> None:
    spy = Spy(ledger.path, Mark(*ledger.head))

    def fail(transaction: Transaction, head: Row) -> None:
        limit(transaction, head)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        written(ledger.store, spy, fail)
    assert (spy.mark, ledger.head[0]) == (ledger.head, 1)
    assert spy.seen == [("held", 1)]


def test_a_ledger_that_does_not_fit_is_not_written_to(ledger: Ledger) -> None:
    head = ledger.head
    for mark in (Mark(2, "0" * 64), Mark(1, "0" * 64)):
        with pytest.raises(LedgerError, match="Nothing was charged"):
            written(ledger.store, Spy(ledger.path, mark), limit)
    assert ledger.head == head
    ledger.close()
    moved = ledger.path.rename(ledger.path.with_name("moved.ledger"))
    other = Ledger(moved)
    with pytest.raises(LedgerError, match="older copy"):  # nor is the move put on record
        written(other.store, Spy(moved, Mark(2, "0" * 64)), limit)
    assert other.head == head
    assert written(other.store, Spy(moved, Mark(*head)), limit) == 2


def test_an_anchor_begins_with_a_new_ledger_or_on_purpose(ledger: Ledger) -> None:
    assert begin(ledger.store, Spy(ledger.path), only_new=True) == ledger.head
    charge(ledger)
    with pytest.raises(LedgerError, match="there is no anchor"):
        begin(ledger.store, Spy(ledger.path), only_new=True)
    with pytest.raises(LedgerError, match="there is no anchor"):
        written(ledger.store, Spy(ledger.path), limit)
    assert begin(ledger.store, Spy(ledger.path), only_new=False) == ledger.head
    row, _ = ledger.find(3)
    assert row is not None
    assert mark_of(row) == ledger.head


def test_a_ledger_that_is_gone_is_missed(ledger: Ledger) -> None:
    mark = Mark(*ledger.head)
    check_gone(ledger.store, mark, "spy")
    ledger.path.unlink()
    check_gone(ledger.store, None, "spy")
    with pytest.raises(LedgerError, match="the anchor spy knows one of 1 rows"):
        check_gone(ledger.store, mark, "spy")
