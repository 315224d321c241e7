"""What a failure is called: our words, the server's code, no statement and no value."""

from __future__ import annotations

import re

import psycopg
import pytest

from privopt.ledger.stores.postgresql import failures
from privopt.ledger.stores.postgresql.address import Address

ADDRESS = Address.read("postgresql://anna:c4n4ry@db/power")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (psycopg.errors.LockNotAvailable("x"), r"locked for too long \(55P03\)"),
        (psycopg.errors.InsufficientPrivilege("x"), r"no right to do that \(42501\)"),
        (psycopg.errors.ReadOnlySqlTransaction("x"), r"may only be read \(25006\)"),
        (psycopg.errors.DiskFull("x"), r"no room \(53100\)"),
        (psycopg.errors.UniqueViolation("x"), r"is there already \(23505\)"),
        (psycopg.errors.QueryCanceled("x"), r"took too long \(57014\)"),
        (psycopg.errors.AdminShutdown("x"), r"was lost \(57P01\)"),
        (psycopg.errors.DataCorrupted("x"), r"found it damaged \(XX001\)"),
        (psycopg.errors.SyntaxError("x"), r"refused a statement \(42601\)"),
        (psycopg.OperationalError("no route"), r"was lost \(no route\)"),
        (failures.NESTED, "by the same thread"),
    ],
)
def test_a_failure_in_our_words(error: psycopg.Error | str, words: str) -> None:
    told = failures.failure(ADDRESS, error)

    assert re.search(words + r"\. Nothing was released\.", told.got), told.got


def test_no_password_that_is_known_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "other-canary")
    said = psycopg.OperationalError("failed: c4n4ry and other-canary\n\tand more")
    assert "(failed: *** and ***; and more)" in str(failures.failure(ADDRESS, said))
    assert "c4n4ry" not in str(failures.unsettled(ADDRESS, 3))
