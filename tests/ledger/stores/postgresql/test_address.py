"""Addresses: the parts, and that a password is never shown."""

from __future__ import annotations

import pickle
import traceback

import pytest
from tests.ledger.requests import request
from tests.ledger.stores.postgresql.server import Server
from tests.ledger.stores.postgresql.team import postgresql

from privopt.errors import InputError, LedgerError, PrivoptError
from privopt.ledger import Budget, Ledger
from privopt.ledger.stores.postgresql.address import Address

SECRET = "c4n4ry"  # noqa: S105


@pytest.mark.parametrize(
    ("text", "place", "schema", "target"),
    [
        (
            "postgresql://anna@db:5433/power?ledger=loads",
            "postgresql://anna@db:5433/power?ledger=loads",
            "loads",
            "postgresql://anna@db:5433/power",
        ),
        (
            f"postgresql://anna:{SECRET}@db/power",
            "postgresql://anna@db/power?ledger=ledger",
            "ledger",
            f"postgresql://anna:{SECRET}@db/power",
        ),
        (
            f"postgresql://db/power?password={SECRET}&sslmode=verify-full&ledger=a_1&user=ben",
            "postgresql://db/power?sslmode=verify-full&user=ben&ledger=a_1",
            "a_1",
            f"postgresql://db/power?password={SECRET}&sslmode=verify-full&user=ben",
        ),
        (
            f"postgresql://:{SECRET}@/power?p%61ssword={SECRET}&sslpassword={SECRET}",
            "postgresql:///power?ledger=ledger",
            "ledger",
            f"postgresql://:{SECRET}@/power?password={SECRET}&sslpassword={SECRET}",
        ),
        (
            "postgresql://a@h1:1,h2:2/db?target_session_attrs=read-write",
            "postgresql://a@h1:1,h2:2/db?target_session_attrs=read-write&ledger=ledger",
            "ledger",
            "postgresql://a@h1:1,h2:2/db?target_session_attrs=read-write",
        ),
    ],
)
def test_the_parts_of_an_address(text: str, place: str, schema: str, target: str) -> None:
    found = Address.read(text)
    assert (found.place, found.schema, found.target) == (place, schema, target)
    assert SECRET not in repr(found)
    assert Address.read(found.place).place == place  # by which it is opened again


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://anna:{SECRET}@x@db/power",
        f"postgresql://anna:{SECRET}/x@db/power",
        f"postgresql://anna:{SECRET}#x@db/power",
        f"postgresql://anna:{SECRET}@[db/power",
        f"postgresql://anna:{SECRET}@db/power?{SECRET}",
        f"postgresql://anna:{SECRET}@db/power?ledger=Loads",
        f"postgresql://anna:{SECRET}@db/power?ledger=pg_catalog",
        f"postgresql://anna:{SECRET}@db/power?ledger=a;drop",
        f"postgresql://anna:{SECRET}@db/power?ledger=a&ledger=b",
        f"postgresql://anna:{SECRET}@db/power?ledger={'x' * 56}",
    ],
)
def test_an_address_that_cannot_be_right_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(InputError, match="the address of the ledger") as refused:
        Address.read(text)
    assert SECRET not in "".join(traceback.format_exception(refused.value))


def test_a_password_is_used_and_shown_nowhere(
    running: Server, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with running.connect() as connection:
        running.roles("guarded")
        connection.execute(f"ALTER ROLE guarded PASSWORD '{SECRET}'")
        connection.execute("GRANT CREATE ON DATABASE postgres TO guarded")
    caplog.set_level(0)
    ledger = Ledger(running.over_network("guarded_loads", "guarded", SECRET), Budget(1))
    output = ledger.charge(request("0.1"), lambda entry: str(entry).encode(), "may")
    shown = [repr(ledger), ledger.summary(), ledger.place, ledger.verify().summary(), str(output)]
    shown += [str(vars(postgresql(ledger).address)["place"]), str(pickle.dumps(ledger))]
    with ledger.store.reading() as rows:
        shown += [repr(row) for row in rows.rows(1)]
    failures: list[PrivoptError] = []
    for address in (
        running.over_network("guarded_loads", "guarded", f"{SECRET}x"),
        running.over_network("guarded_loads", "guarded", SECRET).replace("127.0.0.1", "127.0.0.2"),
        running.over_network("guarded_loads", "guarded", SECRET).replace("/postgres?", "/none?"),
        running.over_network("guarded_loads", "guarded", SECRET) + "&nonsense=1",
    ):
        with pytest.raises(PrivoptError) as refused:
            Ledger(address, timeout=0.1)
        failures.append(refused.value)
    shown += ["".join(traceback.format_exception(error)) for error in failures]
    shown += [caplog.text, *capfd.readouterr()]
    assert not [text for text in shown if SECRET in text]
    assert "password authentication failed" in str(failures[0])


def test_without_psycopg_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(InputError, match=r"psycopg is not installed.*postgres"):
        Ledger("postgresql://anna@db/power", Budget(1))


def test_a_server_that_is_not_there_is_said(running: Server) -> None:
    with pytest.raises(LedgerError, match="was lost.*Nothing was released"):
        Ledger("postgresql://anna@127.0.0.1:1/power", Budget(1), timeout=0.1)
