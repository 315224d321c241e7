"""What a failure is called: our words, the server's code, no statement and no value."""

from __future__ import annotations

import psycopg
import pytest

from privopt.ledger.stores.postgresql import failures
from privopt.ledger.stores.postgresql.address import Address

ADDRESS = Address.read("postgresql://anna:c4n4ry@db/power")


def test_no_password_that_is_known_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "other-canary")
    said = psycopg.OperationalError("failed: c4n4ry and other-canary\n\tand more")
    assert "(failed: *** and ***; and more)" in str(failures.failure(ADDRESS, said))
    assert "c4n4ry" not in str(failures.unsettled(ADDRESS, 3))
