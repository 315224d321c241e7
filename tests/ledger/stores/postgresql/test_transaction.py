"""Transactions: one state, one writer; connections that are lost, also in the middle of COMMIT."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from tests.ledger.requests import fork, join, never, request
from tests.ledger.stores.postgresql.server import Server
from tests.ledger.stores.postgresql.team import postgresql

from privopt.errors import BurntError, LedgerError
from privopt.ledger import Budget, Ledger, chain


@pytest.fixture
def ledger(running: Server) -> Ledger:
    return Ledger(running.address(), Budget(1), timeout=5)


def lose(server: Server, schema: str) -> None:
    """End every session of privopt's, as a server that stops or a network that fails would."""
    with server.connect() as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE application_name = 'privopt'"
        )


def at_commit(
    monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[Any, Callable[[], Any]], Any]
) -> None:
    """Let something else be done at the COMMIT of that number."""
    real, seen = psycopg.Connection.execute, [0]

    def execute(self: Any, query: Any, *given: Any, **named: Any) -> Any:
        seen[0] += query == "COMMIT"
        if query == "COMMIT" and seen[0] == number:
            return act(self, lambda: real(self, query))
        return real(self, query, *given, **named)

    monkeypatch.setattr(psycopg.Connection, "execute", execute)


def answer_lost(connection: Any, commit: Callable[[], Any]) -> None:
    commit()
    connection.close()
    raise psycopg.OperationalError("the connection was lost")


def question_lost(connection: Any, commit: Callable[[], Any]) -> None:
    connection.close()
    raise psycopg.OperationalError("the connection was lost")


def test_a_lost_connection_is_made_again_when_next_used(running: Server, ledger: Ledger) -> None:
    ledger.charge(request("0.1"), lambda _: b"first", "a")
    lose(running, ledger.store.name)
    assert ledger.charge(request("0.1"), never, "a") == b"first"
    lose(running, ledger.store.name)
    assert ledger.charge(request("0.1"), lambda _: b"second", "b") == b"second"


def test_a_connection_lost_in_the_middle_leaves_nothing(running: Server, ledger: Ledger) -> None:
    head = ledger.head

    def write() -> None:
        with ledger.store.writing() as rows:
            lose(running, ledger.store.name)
            rows.append(chain.last(rows).after("limit"))

    with pytest.raises(
        LedgerError, match="connection to the server was lost.*Nothing was released"
    ):
        write()
    assert ledger.head == head


# COMMITs of a charge: 1 the charge, 2 the output.
@pytest.mark.parametrize("number", [1, 2])
def test_a_commit_whose_answer_is_lost_has_happened(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    at_commit(monkeypatch, number, answer_lost)
    assert ledger.charge(request("0.1"), lambda _: b"out", "a") == b"out"
    monkeypatch.undo()
    assert ledger.charge(request("0.1"), never, "a") == b"out"
    assert ledger.verify().released == 1


def test_a_charge_whose_commit_never_came_is_not_made(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_commit(monkeypatch, 1, question_lost)
    with pytest.raises(LedgerError, match="was lost.*Nothing was released"):
        ledger.charge(request("0.1"), never, "a")
    monkeypatch.undo()
    assert ledger.spent == Budget(0)
    ledger.charge(request("0.1"), lambda _: b"out", "a")


def test_an_output_whose_commit_never_came_is_not_returned(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_commit(monkeypatch, 2, question_lost)
    with pytest.raises(BurntError, match="row 2 was charged, but its output could not be stored"):
        ledger.charge(request("0.1"), lambda _: b"out", "a")
    monkeypatch.undo()
    with pytest.raises(BurntError):
        ledger.charge(request("0.1"), never, "a")


def test_where_nobody_can_look_the_error_says_so(
    running: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger(running.address(), Budget(1), timeout=0.3)
    pool = postgresql(ledger).pool

    def gone(*_: Any) -> Any:
        raise psycopg.OperationalError("no server")

    def act(connection: Any, commit: Callable[[], Any]) -> None:
        monkeypatch.setattr(pool, "fresh", gone)
        answer_lost(connection, commit)

    at_commit(monkeypatch, 1, act)
    with pytest.raises(LedgerError, match="row 2 was being written, and whether it was could not"):
        ledger.charge(request("0.1"), never, "a")
    monkeypatch.undo()
    with pytest.raises(BurntError, match="never stored"):  # it was charged
        ledger.charge(request("0.1"), never, "a")


def test_a_lost_commit_that_is_still_under_way_is_waited_for(
    running: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old session lives on for a while, and then commits: the row lock tells."""
    ledger = Ledger(running.address(), Budget(1), timeout=20)

    late = set[Any]()

    def act(connection: Any, commit: Callable[[], Any]) -> None:
        late.add(connection)
        threading.Timer(0.5, lambda: (commit(), connection.close())).start()
        raise psycopg.OperationalError("the network was lost")

    at_commit(monkeypatch, 1, act)
    pool = postgresql(ledger).pool
    drop = pool.drop
    monkeypatch.setattr(pool, "drop", lambda one: None if one in late else drop(one))
    assert ledger.charge(request("0.1"), lambda _: b"out", "a") == b"out"


def test_a_writer_waits_for_another_and_a_reader_for_nobody(ledger: Ledger) -> None:
    other = Ledger(ledger.place, timeout=0.1)
    refused: list[LedgerError] = []

    def write() -> None:
        with pytest.raises(LedgerError, match="locked for too long.*Nothing was released") as late:
            other.charge(request("0.1"), never)
        refused.append(late.value)

    with ledger.store.writing():
        thread = threading.Thread(target=write)
        thread.start()
        assert other.spent == Budget(0)
        thread.join()
    assert refused
    other.charge(request("0.1"), lambda _: b"")


def test_a_reader_sees_one_state(ledger: Ledger) -> None:
    with ledger.store.reading() as rows:
        assert rows.largest() == 1
        Ledger(ledger.place).charge(request("0.1"), lambda _: b"")
        assert len(list(rows.rows(1))) == 1
    assert ledger.verify().rows == 3


def test_a_signal_handler_may_look_and_not_write(ledger: Ledger) -> None:
    seen: list[object] = []

    def handler(*_: object) -> None:
        seen.append(ledger.spent)
        try:
            ledger.set_limit(Budget(2))
        except LedgerError as error:
            seen.append(error)

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with ledger.store.writing() as rows:
            os.kill(os.getpid(), signal.SIGUSR1)
            rows.append(chain.last(rows).after("limit", limit=Budget(3).limit))
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen[0] == Budget(0)
    assert "in the middle of another write by the same thread" in str(seen[1])
    assert ledger.limit == Budget(3)


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("late", [False, True])
def test_ctrl_c_at_a_commit_says_what_became_of_the_charge(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, number: int, late: bool
) -> None:
    def act(_: Any, commit: Callable[[], Any]) -> None:
        if late:
            commit()
        raise KeyboardInterrupt

    at_commit(monkeypatch, number, act)
    with pytest.raises(KeyboardInterrupt) as stopped:
        ledger.charge(request("0.1"), lambda _: b"out", "a")
    monkeypatch.undo()
    (note,) = stopped.value.__notes__
    expected = {
        (1, False): "Nothing was charged.",
        (1, True): "was charged; the charge stays. No output",
        (2, False): "was charged; the charge stays. No output",
        (2, True): "was charged, and keeps the release",
    }
    assert expected[number, late] in note
    ledger.verify()
    ledger.charge(request("0.1"), lambda _: b"next")  # nothing is left locked


def test_ctrl_c_while_waiting_for_the_lock(ledger: Ledger) -> None:
    other = Ledger(ledger.place, timeout=20)
    me = threading.get_ident()
    with ledger.store.writing():

        def press() -> None:
            time.sleep(0.3)
            signal.pthread_kill(me, signal.SIGINT)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Thread(target=press).start()
        try:
            with pytest.raises(KeyboardInterrupt):
                Ledger(other.place.replace("postgres?", "postgres?connect_timeout=9&"), timeout=20
                       ).charge(request("0.1"), never)  # fmt: skip
        finally:
            signal.signal(signal.SIGINT, before)
    other.charge(request("0.1"), lambda _: b"")


def test_a_fork_in_the_middle_leaves_the_transaction_to_the_parent(ledger: Ledger) -> None:
    with ledger.store.writing() as rows:

        def work() -> None:
            with pytest.raises(psycopg.Error):
                rows.append(chain.last(rows).after("limit", limit=Budget(9).limit))
            assert Ledger(ledger.place, timeout=0.1).limit == Budget(1)

        assert join([fork(work)]) == [0]
        rows.append(chain.last(rows).after("limit", limit=Budget(2).limit))
    assert ledger.limit == Budget(2)


def test_a_child_that_leaves_the_block_of_its_parent_is_told(ledger: Ledger) -> None:
    child = -1
    try:
        with ledger.store.writing() as rows:
            child = fork_here()
            if child:
                rows.append(chain.last(rows).after("limit", limit=Budget(2).limit))
    except LedgerError as error:
        os._exit(7 if "forked in the middle" in str(error) else 8)
    if not child:
        os._exit(9)
    assert join([child]) == [7]
    assert ledger.limit == Budget(2)


def fork_here() -> int:
    return os.fork()
