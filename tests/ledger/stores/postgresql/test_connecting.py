"""What the server is told, and a server that would lose what it wrote."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from tests.ledger.requests import never, request
from tests.ledger.stores.postgresql.server import Server
from tests.ledger.stores.postgresql.team import postgresql

from privopt.errors import LedgerError
from privopt.ledger import Budget, Ledger


@contextmanager
def setting(server: Server, name: str, value: str) -> Generator[None]:
    with server.connect() as connection:
        connection.execute(f"ALTER SYSTEM SET {name} = {value}")
        connection.execute("SELECT pg_reload_conf(), pg_sleep(0.3)")
        try:
            yield
        finally:
            connection.execute(f"ALTER SYSTEM RESET {name}")
            connection.execute("SELECT pg_reload_conf(), pg_sleep(0.3)")


@pytest.mark.parametrize("name", ["fsync", "full_page_writes"])
def test_a_server_that_does_not_wait_for_its_disk_is_not_written_to(
    running: Server, name: str
) -> None:
    ledger = Ledger(running.address(), Budget(1))
    assert f"{name} on" in ledger.verify().drive
    with setting(running, name, "off"):
        with pytest.raises(LedgerError, match=f"does not wait for its disk.*{name} off"):
            ledger.charge(request("0.1"), never)
        seen = Ledger(ledger.place, read_only=True)
        assert seen.spent == Budget(0)
        assert f"{name} off" in seen.verify().drive
    ledger.charge(request("0.1"), lambda _: b"")


def test_a_role_that_does_not_wait_is_made_to(running: Server) -> None:
    running.roles("hasty")
    with running.connect() as connection:
        connection.execute("GRANT CREATE ON DATABASE postgres TO hasty")
        connection.execute("ALTER ROLE hasty SET synchronous_commit = off")
        connection.execute("ALTER ROLE hasty SET default_transaction_read_only = on")
        connection.execute("ALTER ROLE hasty SET default_transaction_isolation = serializable")
        connection.execute("ALTER ROLE hasty SET search_path = public")
        connection.execute("ALTER ROLE hasty SET statement_timeout = 1")
        connection.execute("ALTER ROLE hasty RESET statement_timeout")
    ledger = Ledger(running.address(user="hasty"), Budget(1))
    ledger.charge(request("0.1"), lambda _: b"")
    with postgresql(ledger).writing() as rows:
        shown = {
            name: (rows.connection.execute(f"SHOW {name}").fetchone() or [""])[0]
            for name in ("synchronous_commit", "transaction_isolation", "lock_timeout",
                         "tcp_keepalives_idle", "idle_in_transaction_session_timeout")
        }  # fmt: skip
    assert shown["synchronous_commit"] == "on"
    assert shown["transaction_isolation"] == "read committed"
    assert shown["lock_timeout"] == "1min"
    assert shown["idle_in_transaction_session_timeout"] == "1min"


def test_a_database_of_another_encoding_is_refused(running: Server) -> None:
    with running.connect() as connection:
        connection.execute("DROP DATABASE IF EXISTS latin")
        connection.execute(
            "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
        )
    address = running.address().replace("/postgres?", "/latin?")
    with pytest.raises(LedgerError, match="encoded in LATIN1"):
        Ledger(address, Budget(1))
