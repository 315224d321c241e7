"""The connections of a process: used again, closed, and left to the parent by a child."""

from __future__ import annotations

import os
import signal
import time

import pytest
from tests.ledger.requests import fork, join, never, request
from tests.ledger.stores.postgresql.server import Server
from tests.ledger.stores.postgresql.team import postgresql

from privopt.errors import BudgetExceededError, LedgerError
from privopt.ledger import Budget, Ledger


def test_one_connection_is_used_again_and_closed(running: Server) -> None:
    ledger = Ledger(running.address(user="postgres"), Budget(1))
    pool = postgresql(ledger).pool
    first = pool.idle()
    assert first is not None
    pool.give(first)
    for _ in range(3):
        ledger.charge(request("0.1"), lambda _: b"")
    again = pool.idle()
    assert again is first
    assert pool.idle() is None
    pool.give(again)
    ledger.close()
    assert first.closed
    assert ledger.spent == Budget("0.3")  # it opens again


def test_a_refusal_keeps_the_connection_and_lets_others_in(running: Server) -> None:
    ledger = Ledger(running.address(), Budget(1), timeout=5)
    pool = postgresql(ledger).pool
    first = pool.idle()
    assert first is not None
    pool.give(first)
    for _ in range(3):
        with pytest.raises(BudgetExceededError):
            ledger.charge(request("2"), never)
    again = pool.idle()
    assert again is first
    pool.give(again)
    Ledger(ledger.place, timeout=0.5).charge(request("0.1"), lambda _: b"")


def test_one_that_is_in_a_transaction_is_not_used_again(running: Server) -> None:
    pool = postgresql(Ledger(running.address(), Budget(1))).pool
    connection = pool.fresh()
    connection.execute("BEGIN")
    pool.give(connection)
    assert connection.closed


def test_a_child_does_not_keep_the_lock_of_a_parent_that_dies(running: Server) -> None:
    ledger = Ledger(running.address(), Budget(1), timeout=10)
    ready, tell = os.pipe()

    def parent() -> None:
        mine = Ledger(ledger.place)
        with mine.store.writing(), mine.store.turn("k"):
            child = fork(lambda: time.sleep(30))
            os.write(tell, b"%d\n" % child)
            time.sleep(30)

    first = fork(parent)
    child = int(os.read(ready, 20))
    os.kill(first, signal.SIGKILL)
    assert join([first]) == [-signal.SIGKILL]
    # While the child lives, the parent's locks are free.
    assert ledger.charge(request("0.1"), lambda _: b"out", "k") == b"out"
    os.kill(child, signal.SIGKILL)


def test_a_child_does_not_end_the_sessions_of_its_parent(running: Server) -> None:
    ledger = Ledger(running.address(), Budget(1))
    ledger.charge(request("0.1"), lambda _: b"")
    with postgresql(ledger).reading() as rows:
        pid = rows.connection.info.backend_pid

        def work() -> None:
            ledger.charge(request("0.1"), lambda _: b"")
            ledger.close()

        assert join([fork(work)]) == [0]
        assert rows.connection.execute("SELECT pg_backend_pid()").fetchone() == (pid,)
    assert ledger.spent == Budget("0.2")


def test_too_many_connections_are_said(running: Server) -> None:
    ledger = Ledger(running.address(), Budget(1), timeout=0.1)
    ledger.close()
    running.roles("single")
    with running.connect() as connection:
        connection.execute("ALTER ROLE single CONNECTION LIMIT 0")
    with pytest.raises(LedgerError, match="too many connections"):
        Ledger(running.address(ledger.store.name, "single"), timeout=0.1)
