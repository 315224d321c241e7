"""A ledger in a schema: opened, kept, looked at."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.ledger.requests import never, request
from tests.ledger.stores.postgresql.server import Server, programs
from tests.ledger.stores.postgresql.team import team

import privopt as po
from privopt.errors import LedgerError
from privopt.ledger import Budget, Ledger, chain
from privopt.ledger.stores.registry import exists


def test_a_charge_is_kept(running: Server) -> None:
    ledger = Ledger(running.address("loads"), Budget(1))
    assert ledger.charge(request("0.1"), lambda _: b"out", "may") == b"out"
    assert Ledger(ledger.place).charge(request("0.1"), never, "may") == b"out"
    assert ledger.dataset == "loads"


def test_a_dump_that_was_restored_is_another_place(running: Server, tmp_path: Path) -> None:
    """The owner takes it over on record; a releaser is refused until then."""
    made = team(running)
    made.ledger("anna").charge(request("0.1"), lambda _: b"out", "may")
    name, head = made.schema, made.owner.head
    dump = tmp_path / "dump.sql"
    tools = programs()
    assert tools is not None
    where = ["-h", str(running.folder), "-p", str(running.port), "-U", "postgres"]
    subprocess.run([tools / "pg_dump", *where, "-n", name, "-f", dump, "postgres"], check=True)
    with running.connect() as connection:
        connection.execute(f"DROP SCHEMA {name} CASCADE")
    command = [tools / "psql", *where, "-q", "-v", "ON_ERROR_STOP=1", "-f", dump, "postgres"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with pytest.raises(LedgerError, match="restored elsewhere: its owner must"):
        made.ledger("anna").charge(request("0.1"), never)
    assert made.ledger("anna", read_only=True).verify(head).charges == 1
    owner = made.ledger("olga")
    owner.set_limit(Budget(2))
    assert [event.kind for event in owner.events][-2:] == ["moved", "limit"]
    assert made.ledger("anna").charge(request("0.1"), never, "may") == b"out"
    made.ledger("anna").charge(request("0.1"), lambda _: b"")
    assert owner.verify(head).charges == 2


def test_a_file_and_a_schema_are_copied_to_each_other(running: Server, folder: Path) -> None:
    file = Ledger(folder / "loads.ledger", Budget(1), releaser="Prüfung 測試")
    for number in range(3):
        file.charge(request("0.1"), lambda _, n=number: b"%d" % n, f"k{number}")
    for name in ("Prüfung 測試", "postgres"):
        file.set_quota(Budget("0.5"), releaser=name)
    file.redact(4)
    copied = Ledger(file.path).copy(running.address(), close=True)
    with file.store.reading() as rows:
        assert copied.verify((8, chain.read(rows, 8).digest.hex())).redacted == 2
    assert copied.charge(request("0.1"), never, "k0") == b"0"
    copied.charge(request("0.1"), lambda _: b"more", "k9")
    with pytest.raises(LedgerError, match="closed"):
        file.charge(request("0.1"), never)
    back = copied.copy(folder / "back.ledger")
    assert back.head == copied.head
    assert back.verify().charges == 4


def test_where_no_ledger_is_that_is_said(running: Server) -> None:
    address = running.address()
    with pytest.raises(LedgerError, match="there is no ledger at postgresql://"):
        Ledger(address)
    assert not exists(address)
    Ledger(address, Budget(1))
    assert exists(address)
    with pytest.raises(LedgerError, match="the ledger's limit is epsilon 1"):
        Ledger(address, Budget(2))
    with pytest.raises(LedgerError, match="may only be read"):
        Ledger(address, read_only=True).charge(request("0.1"), never)
    with pytest.raises(LedgerError, match="holds something already"):
        Ledger(running.address(), Budget(1)).copy(address)


def test_a_plan_releases_through_it(running: Server) -> None:
    ledger = Ledger(running.address(), Budget(1))
    program = po.ConvexProgram(linear=[1.0, 2.0], G=[[1, 1]], d=[1.0], lower=-9, upper=9)
    noise = po.Laplace(epsilon=0.5, alpha=0.1)
    plan = po.solve(program, po.Identity([0]), noise, po.ExactBox(eta=0.1))
    assert plan.release(ledger, "may") == plan.release(ledger, "may")
    assert ledger.spent == Budget("0.5")
