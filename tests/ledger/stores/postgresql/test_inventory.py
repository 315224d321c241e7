"""Whatever is added to a schema, changed or disabled in it is found before a row is read."""

from __future__ import annotations

import pytest
from tests.ledger.requests import never, request
from tests.ledger.stores.postgresql.server import Server
from tests.ledger.stores.postgresql.team import postgresql

from privopt.errors import LedgerError
from privopt.ledger import Budget, Ledger

# What somebody with all rights did, and what undoes it.
CHANGES = [
    (
        "ALTER TABLE S.entries DISABLE TRIGGER checked",
        "ALTER TABLE S.entries ENABLE ALWAYS TRIGGER checked",
    ),
    (
        "ALTER TABLE S.entries ENABLE TRIGGER checked",
        "ALTER TABLE S.entries ENABLE ALWAYS TRIGGER checked",
    ),
    (
        "ALTER TABLE S.entries ADD COLUMN more int",
        "ALTER TABLE S.entries DROP COLUMN more",
    ),
    (
        "ALTER TABLE S.entries ALTER kind DROP NOT NULL",
        "ALTER TABLE S.entries ALTER kind SET NOT NULL",
    ),
    (
        "ALTER TABLE S.entries ALTER time SET DEFAULT ''",
        "ALTER TABLE S.entries ALTER time DROP DEFAULT",
    ),
    (
        "CREATE INDEX more ON S.entries (kind)",
        "DROP INDEX S.more",
    ),
    (
        "ALTER TABLE S.entries ADD CONSTRAINT more CHECK (seq < 999)",
        "ALTER TABLE S.entries DROP CONSTRAINT more",
    ),
    (
        "CREATE TRIGGER more AFTER INSERT ON S.entries EXECUTE FUNCTION S.check_change()",
        "DROP TRIGGER more ON S.entries",
    ),
    (
        "CREATE RULE more AS ON DELETE TO S.head DO INSTEAD NOTHING",
        "DROP RULE more ON S.head; VACUUM S.head",
    ),
    (
        "ALTER TABLE S.head ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE S.head DISABLE ROW LEVEL SECURITY",
    ),
    (
        "ALTER FUNCTION S.lock() SECURITY INVOKER",
        "ALTER FUNCTION S.lock() SECURITY DEFINER",
    ),
    (
        "ALTER FUNCTION S.lock() RESET search_path",
        "ALTER FUNCTION S.lock() RESET ALL; "
        "ALTER FUNCTION S.lock() SET search_path = pg_catalog, pg_temp; "
        "ALTER FUNCTION S.lock() SET standard_conforming_strings = on",
    ),
    (
        "ALTER FUNCTION S.lock() OWNER TO anna",
        "ALTER FUNCTION S.lock() OWNER TO postgres",
    ),
    (
        "GRANT INSERT ON S.entries TO anna",
        "REVOKE INSERT ON S.entries FROM anna",
    ),
    (
        "GRANT TRIGGER ON S.head TO anna",
        "REVOKE TRIGGER ON S.head FROM anna",
    ),
    (
        "GRANT EXECUTE ON FUNCTION S.lock() TO PUBLIC",
        "REVOKE EXECUTE ON FUNCTION S.lock() FROM PUBLIC",
    ),
    (
        "GRANT EXECUTE ON FUNCTION S.cost(text) TO anna",
        "REVOKE EXECUTE ON FUNCTION S.cost(text) FROM anna",
    ),
    (
        "GRANT CREATE ON SCHEMA S TO anna",
        "REVOKE CREATE ON SCHEMA S FROM anna",
    ),
]


def test_a_change_is_found_and_its_undoing_too(running: Server) -> None:
    running.roles("anna")
    ledger = Ledger(running.address(), Budget(1))
    name = ledger.store.name
    postgresql(ledger).grant(releasers=["anna"])
    with running.connect() as connection:
        for change, undoing in CHANGES:
            ledger.charge(request("0.01"), lambda _: b"")
            connection.execute(
                change.replace("S.", f"{name}.").replace("SCHEMA S ", f"SCHEMA {name} ")
            )
            for _ in range(2):
                with pytest.raises(LedgerError, match="added, changed or removed"):
                    ledger.charge(request("0.01"), never)
            with pytest.raises(LedgerError, match="added, changed or removed"):
                _ = Ledger(ledger.place, read_only=True).spent
            for one in undoing.split("; "):
                connection.execute(one.replace("S.", f"{name}.").replace(" S ", f" {name} "))
    assert ledger.verify().charges == len(CHANGES)


def test_a_function_that_was_replaced_is_found(running: Server) -> None:
    ledger = Ledger(running.address(), Budget(1))
    with running.connect() as connection:
        connection.execute(
            f"CREATE OR REPLACE FUNCTION {ledger.store.name}.check_entry() RETURNS trigger "
            "LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp "
            "SET standard_conforming_strings = on AS 'BEGIN RETURN NEW; END'"
        )
    with pytest.raises(LedgerError, match="function check_entry"):
        ledger.charge(request("0.1"), never)


def test_a_table_that_inherits_the_rows_is_found(running: Server) -> None:
    ledger = Ledger(running.address(), Budget(1))
    with running.connect() as connection:
        connection.execute(f"CREATE TABLE heir () INHERITS ({ledger.store.name}.entries)")
        with pytest.raises(LedgerError, match="added, changed or removed"):
            ledger.charge(request("0.1"), never)
        connection.execute("DROP TABLE heir")
