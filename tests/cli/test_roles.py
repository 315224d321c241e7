"""`privopt ledger create --releaser`, `grant` and `revoke`, on a server; no password is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.running import said
from tests.ledger.requests import request
from tests.ledger.stores.postgresql.server import Server

from privopt.ledger import Ledger

SECRET = "c4n4ry"  # noqa: S105


def run(words: str, *more: str, code: int = 0) -> str:
    output = said(f"ledger {words}", *more, code=code)
    assert SECRET not in output
    return output


@pytest.fixture
def address(running: Server) -> str:
    running.roles("olga", "anna", "ben", "carol")
    with running.connect() as connection:
        connection.execute("GRANT CREATE ON DATABASE postgres TO olga")
    return running.address(user="olga")


def test_a_ledger_is_made_with_its_roles(running: Server, address: str) -> None:
    said = run("create", address, "1.0 --releaser anna --reader carol")
    assert "limit epsilon 1: postgresql://olga@/postgres" in said
    anna = Ledger(address.replace("olga@", "anna@"))
    anna.charge(request("0.1"), lambda _: b"out", "may")
    assert json.loads(run("grant", address, "--releaser ben --json")) == {
        "roles": {"anna": "releaser", "ben": "releaser", "carol": "reader"}
    }
    assert "anna: releaser" in run("grant", address.replace("olga@", "carol@"))
    assert "anna" not in run("revoke", address, "anna")
    assert "ask the owner" in run("revoke", address.replace("olga@", "ben@"), "carol", code=2)
    assert "is there already" in run("create", address, "1.0", code=2)
    assert "spent" in run("show", address.replace("olga@", "carol@"))
    assert "chain whole" in run("verify", address)


def test_a_role_that_is_missing_is_named_before_anything_is_made(address: str) -> None:
    said = run("create", address, "1.0 --releaser anna --reader nemo", code=2)
    assert "the server has no role nemo" in said
    assert "no ledger at" in run("show", address, code=2)


def test_a_password_in_an_address_is_not_echoed(running: Server, tmp_path: Path) -> None:
    with running.connect() as connection:
        connection.execute(
            "DROP OWNED BY guarded CASCADE; DROP ROLE guarded"
        ) if connection.execute(
            "SELECT FROM pg_roles WHERE rolname = 'guarded'"
        ).fetchone() else None
        connection.execute(f"CREATE ROLE guarded LOGIN PASSWORD '{SECRET}'")
        connection.execute("GRANT CREATE ON DATABASE postgres TO guarded")
    address = running.over_network("echoed", "guarded", SECRET)
    run("create", address, "1.0")
    run("create", address, "1.0", code=2)
    run("create", running.over_network("other", "guarded", f"{SECRET}x"), "1.0", code=2)
    for words in ("show", "verify", "limit", "quota", "anchor", "grant"):
        run(words, address)
    run("copy", address, str(tmp_path / "copy.ledger"))
    run("show", address, "--anchor", running.over_network("a", "guarded", SECRET), code=2)
