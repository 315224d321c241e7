"""An anchor in a database: it follows the ledger, and only forward."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from tests.ledger.requests import never, open_ledger, request
from tests.ledger.stores.postgresql.server import Server

from privopt.errors import LedgerError
from privopt.ledger import Budget, Ledger
from privopt.ledger.stores.postgresql.anchor import PostgresqlAnchor


def test_it_follows_a_file_and_an_older_copy_is_refused(running: Server, folder: Path) -> None:
    address = running.address()
    ledger = open_ledger(folder, 1, anchor=address)
    ledger.charge(request("0.1"), lambda _: b"a")
    older = ledger.path.read_bytes()
    ledger.charge(request("0.1"), lambda _: b"b")
    assert PostgresqlAnchor(address).look() == ledger.head
    ledger.close()
    ledger.path.write_bytes(older)
    with pytest.raises(LedgerError, match="an older copy"):
        Ledger(ledger.path, anchor=address)


def test_it_follows_a_schema_and_a_rewritten_one_is_refused(running: Server) -> None:
    place, address = running.address(), running.address()
    ledger = Ledger(place, Budget(1), anchor=address)
    ledger.charge(request("0.1"), lambda _: b"a", "k")
    with running.connect() as connection:
        connection.execute(f"DROP SCHEMA {ledger.store.name} CASCADE")
    with pytest.raises(LedgerError, match="the anchor .* knows one of 3 rows"):
        Ledger(place, Budget(1), anchor=address)
    other = Ledger(place, Budget(1))
    for _ in range(3):
        other.charge(request("0.1"), lambda _: b"")
    with pytest.raises(LedgerError, match="this is another ledger"):
        Ledger(place, anchor=address).charge(request("0.1"), never)


def test_it_never_moves_back_and_is_never_removed(running: Server, folder: Path) -> None:
    address = running.address()
    ledger = open_ledger(folder, 1, anchor=address)
    ledger.charge(request("0.1"), lambda _: b"a")
    name = PostgresqlAnchor(address).address.schema
    for statement in (
        "UPDATE S.anchor SET row = 1",
        "DELETE FROM S.anchor",
        "TRUNCATE S.anchor",
        "INSERT INTO S.anchor VALUES (false, 9, 'x')",
    ):
        with running.connect() as connection, pytest.raises(psycopg.Error) as refused:
            connection.execute(statement.replace("S.", f"{name}."))
        assert refused.value.sqlstate == "PV001"
    assert PostgresqlAnchor(address).look() == ledger.head


def test_one_that_is_held_by_others_is_waited_for(running: Server, folder: Path) -> None:
    address = running.address()
    ledger = open_ledger(folder, 1, anchor=address, timeout=0.2)
    with (
        PostgresqlAnchor(address).hold(1.0),
        pytest.raises(LedgerError, match="kept the anchor .* locked for too long"),
    ):
        ledger.charge(request("0.1"), never)
    ledger.charge(request("0.1"), lambda _: b"")


def test_no_password_is_shown(running: Server) -> None:
    anchor = PostgresqlAnchor("postgresql://anna:c4n4ry@127.0.0.1:1/db")
    with pytest.raises(LedgerError, match="was lost") as refused:
        anchor.look()
    assert "c4n4ry" not in str(refused.value) + repr(vars(anchor)["place"]) + anchor.source
