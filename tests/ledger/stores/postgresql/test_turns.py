"""The turn of a key: one goes on, the others wait; it ends with its holder."""

from __future__ import annotations

import threading
import time

import pytest
from tests.ledger.requests import never, request
from tests.ledger.stores.postgresql.server import Server
from tests.ledger.stores.postgresql.team import postgresql

from privopt.errors import LedgerError
from privopt.ledger import Budget, Ledger
from privopt.ledger.stores.postgresql.turns import turn


def test_another_key_and_another_ledger_do_not_wait(running: Server) -> None:
    one, two = (Ledger(running.address(), Budget(1), timeout=0.1) for _ in range(2))
    with (
        one.store.turn("k"),
        one.store.turn("other"),
        two.store.turn("k"),
        one.store.turn(None),
        pytest.raises(LedgerError, match="another release under this key"),
        one.store.turn("k"),
    ):
        never()
    with one.store.turn("k"):
        pass


def test_a_waiter_goes_on_when_the_maker_has_ended(running: Server) -> None:
    ledger = Ledger(running.address(), Budget(1), timeout=20)
    inside, found = threading.Event(), list[bytes]()

    def make(_: object) -> bytes:
        inside.set()
        time.sleep(0.2)
        return b"out"

    thread = threading.Thread(target=lambda: found.append(ledger.charge(request("0.1"), make, "k")))
    thread.start()
    inside.wait()
    found.append(Ledger(ledger.place).charge(request("0.1"), never, "k"))
    thread.join()
    assert found == [b"out"] * 2


def test_a_turn_whose_connection_was_lost_meanwhile_is_taken_on_another(running: Server) -> None:
    ledger = Ledger(running.address(), Budget(1), timeout=5)
    with running.connect() as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE application_name = 'privopt'"
        )
    with turn(postgresql(ledger).pool, ledger.store.home, "k"):
        pass
