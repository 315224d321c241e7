"""Transactions: over when their block is, whatever cuts it off, and seen whole by who looks."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.ledger.requests import fork, join, never, open_ledger, request, sqlite

from privopt.errors import LedgerError
from privopt.ledger import Budget, chain
from privopt.ledger.stores.sqlite.schema import STATEMENTS


def test_a_scan_that_failed_locks_nobody_out(folder: Path) -> None:
    """Also while someone holds the scan; or the error, and with it the frames of the scan."""
    ledger = open_ledger(folder)
    for _ in range(3):
        ledger.charge(request(0.1), lambda _: b"")
    with contextlib.closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        other.execute("DROP TRIGGER never_changed")
        other.execute("UPDATE entries SET time = 'x' WHERE seq = 4")
        other.execute(STATEMENTS[1])
        for look in (ledger.verify, lambda: ledger.events):
            with pytest.raises(LedgerError, match="row 4") as kept:
                look()
            other.execute("PRAGMA busy_timeout = 0")
            other.execute("BEGIN EXCLUSIVE")
            other.execute("ROLLBACK")
            assert kept.value.row == 4
        with sqlite(ledger).reading() as rows:
            held = rows.rows(1)
            first = next(held)
        other.execute("BEGIN EXCLUSIVE")
        other.execute("ROLLBACK")
        assert first.seq == 1


@pytest.fixture
def on_signal() -> Callable[[Callable[[], object]], list[object]]:
    """Let a signal handler do something now; what it got, or what it raised."""

    def run(work: Callable[[], object]) -> list[object]:
        got: list[object] = []

        def handler(*_: object) -> None:
            try:
                got.append(work())
            except LedgerError as error:
                got.append(error)

        before = signal.signal(signal.SIGUSR1, handler)
        os.kill(os.getpid(), signal.SIGUSR1)
        signal.signal(signal.SIGUSR1, before)
        return got

    return run


def test_a_signal_handler_that_looks_leaves_the_transaction_alone(
    folder: Path, on_signal: Callable[[Callable[[], object]], list[object]]
) -> None:
    ledger = open_ledger(folder)
    with sqlite(ledger).writing() as rows:
        head = chain.last(rows)
        rows.append(head.after("limit", limit=Budget(7).limit))
        assert on_signal(lambda: (ledger.limit, ledger.spent)) == [(Budget(1), Budget(0))]
        refused = on_signal(lambda: ledger.charge(request(0.1), never))
        assert "Nothing was released" in str(refused[0])
        assert on_signal(ledger.close) == [None]
    assert ledger.limit == Budget(7)
    ledger.charge(request(0.1), lambda _: b"")
    ledger.verify()


def test_a_second_thread_that_looks_waits_for_the_transaction(folder: Path) -> None:
    ledger, seen = open_ledger(folder), list[Budget]()
    thread = threading.Thread(target=lambda: seen.append(ledger.limit))
    with sqlite(ledger).writing() as rows:
        head = chain.last(rows)
        rows.append(head.after("limit", limit=Budget(7).limit))
        thread.start()
        thread.join(0.05)
        assert not seen
    thread.join()
    assert seen == [Budget(7)]


@pytest.mark.parametrize("late", [False, True])
def test_a_transaction_that_an_interrupt_cut_off_is_over(folder: Path, late: bool) -> None:
    """Also while the exception, and with it the frame, is still held by someone."""
    ledger = open_ledger(folder)

    def broken() -> None:
        transaction = sqlite(ledger).writing()
        rows = transaction.__enter__()
        head = chain.last(rows)
        rows.append(head.after("limit", limit=Budget(7).limit))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        broken()
    held = [] if late else [caught]
    del caught
    ledger.charge(request(0.1), lambda _: b"")
    assert ledger.limit == Budget(1)
    assert ledger.verify().rows == 3
    held.clear()  # the transaction that is over does not touch what came after it
    ledger.charge(request(0.1), lambda _: b"")


def test_a_fork_in_the_middle_of_a_transaction_ends_it(
    folder: Path, on_signal: Callable[[Callable[[], object]], list[object]]
) -> None:
    """Only a signal handler can do that; nothing is written, and it is said."""
    ledger = open_ledger(folder)

    def limited() -> None:
        with sqlite(ledger).writing() as rows:
            head = chain.last(rows)
            rows.append(head.after("limit", limit=Budget(7).limit))
            assert on_signal(lambda: join([fork(lambda: None)])) == [[0]]

    with pytest.raises(LedgerError, match="Nothing was released"):
        limited()
    assert ledger.limit == Budget(1)
    ledger.charge(request(0.1), lambda _: b"")
