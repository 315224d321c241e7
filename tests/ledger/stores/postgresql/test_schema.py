"""The schema: made once, whatever it is called; what is there already is left alone."""

from __future__ import annotations

import pytest
from tests.ledger.requests import request
from tests.ledger.stores.postgresql.server import Server

from privopt.errors import LedgerError
from privopt.ledger import Budget, Ledger
from privopt.ledger.stores.postgresql.schema import TABLES, functions, statements


@pytest.mark.parametrize("name", ["order", "user", "a", "x" * 55, "entries", "append"])
def test_any_name_that_an_address_takes_is_a_schema(running: Server, name: str) -> None:
    ledger = Ledger(running.address(name), Budget(1))
    ledger.charge(request("0.1"), lambda _: b"", "k")
    assert ledger.verify().charges == 1


def test_a_schema_that_holds_something_else_is_refused(running: Server) -> None:
    with running.connect() as connection:
        connection.execute("CREATE SCHEMA other; CREATE TABLE other.mine (x int)")
    with pytest.raises(LedgerError, match="the schema other of the database holds something else"):
        Ledger(running.address("other"), Budget(1))


def test_an_empty_schema_that_an_administrator_made_is_used(running: Server) -> None:
    running.roles("small")
    with running.connect() as connection:
        connection.execute("CREATE SCHEMA prepared AUTHORIZATION small")
    with pytest.raises(LedgerError, match="no right to do that"):
        Ledger(running.address("unprepared", "small"), Budget(1))
    Ledger(running.address("prepared", "small"), Budget(1)).charge(request("0.1"), lambda _: b"")


def test_no_function_leaves_its_search_path_open() -> None:
    for one in functions("s"):
        text = one.statement("s")
        assert "SET search_path = pg_catalog, pg_temp" in text
        assert ("SECURITY DEFINER" in text) == (one.name in ("lock", "append"))
    made = "\n".join(statements("s"))
    assert made.count("CREATE TABLE") == len(TABLES)
