"""A ledger in a schema: opened, kept, looked at."""

from __future__ import annotations

from tests.ledger.requests import never, request
from tests.ledger.stores.postgresql.server import Server

from privopt.ledger import Budget, Ledger


def test_a_charge_is_kept(running: Server) -> None:
    ledger = Ledger(running.address("loads"), Budget(1))
    assert ledger.charge(request("0.1"), lambda _: b"out", "may") == b"out"
    assert Ledger(ledger.place).charge(request("0.1"), never, "may") == b"out"
    assert ledger.dataset == "loads"
