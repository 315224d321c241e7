"""Rows as they are kept: found by number, key, charge and name; in portions, both ways."""

from __future__ import annotations

import pytest
from tests.ledger.requests import request
from tests.ledger.stores.postgresql.server import Server

from privopt.errors import LedgerError
from privopt.ledger import Budget, Ledger
from privopt.ledger.row import Row, thing_digest


@pytest.fixture
def ledger(running: Server) -> Ledger:
    made = Ledger(running.address(user="postgres"), Budget(10))
    for number in range(12):
        made.charge(request("0.1"), lambda _, n=number: b"out %d" % n, f"key {number}")
    return made


def number(row: Row | None) -> int | None:
    return None if row is None else row.seq


def test_rows_are_found_by_everything(ledger: Ledger) -> None:
    with ledger.store.reading() as rows:
        assert [row.seq for row in rows.rows(1)] == list(range(1, 26))
        assert [row.seq for row in rows.rows(20, back=True)] == list(range(20, 0, -1))
        assert {row.output for row in rows.rows(1, light=True)} == {None}
        last = rows.last()
        assert last is not None
        assert (last.seq, last.output, rows.largest()) == (25, None, 25)
        third = rows.row(3)
        assert third is not None
        assert third.output == b"out 0"
        assert rows.row(99) is rows.kind(99) is rows.output_of(1) is None
        assert rows.kind(2) == "charge"
        assert number(rows.row_of_key(thing_digest("key 3"))) == 8
        assert number(rows.output_of(8)) == 9
        assert number(rows.last_of("postgres")) == 24
        assert number(rows.last_of("postgres", 24)) == 22
        assert rows.last_of("nobody") is None
        assert list(rows.releasers()) == ["postgres"]


def test_a_head_that_names_another_row_is_found(running: Server, ledger: Ledger) -> None:
    name = ledger.store.name
    with running.connect() as connection:  # a superuser can do anything
        connection.execute(f"ALTER TABLE {name}.head DISABLE TRIGGER USER")
        connection.execute("UPDATE S.head SET digest = sha256('x')".replace("S.", f"{name}."))
        connection.execute(f"ALTER TABLE {name}.head ENABLE ALWAYS TRIGGER head_follows")
        connection.execute(f"ALTER TABLE {name}.head ENABLE ALWAYS TRIGGER head_stays")
    with pytest.raises(LedgerError, match="has lost its row 26"):
        _ = ledger.spent


def test_a_row_that_was_removed_or_rewritten_is_found(running: Server, ledger: Ledger) -> None:
    name, head = ledger.store.name, ledger.head
    with running.connect() as connection:
        connection.execute(f"ALTER TABLE {name}.entries DISABLE TRIGGER USER")
        edited = "UPDATE S.entries SET epsilon = '0' WHERE seq = 4"
        connection.execute(edited.replace("S.", f"{name}."))
        for trigger in ("checked", "never_changed", "never_emptied"):
            connection.execute(f"ALTER TABLE {name}.entries ENABLE ALWAYS TRIGGER {trigger}")
    with pytest.raises(LedgerError, match="altered") as found:
        ledger.verify(head)
    assert found.value.row == 4
