"""The rules of rows hold for their owner too. (What releasers try is in `test_tries`.)"""

from __future__ import annotations

import psycopg
import pytest
from tests.ledger.stores.postgresql.server import Server
from tests.ledger.stores.postgresql.team import team


def test_a_last_row_that_was_written_is_never_changed_by_its_owner(running: Server) -> None:
    shared = team(running)
    shared.append("anna", shared.charge("anna", key="owner's"))
    for statement in (
        "UPDATE S.entries SET limit_epsilon = '9'",
        "UPDATE S.entries SET key = 'other' WHERE key IS NOT NULL",
        "UPDATE S.entries SET output = 'x'",
        "DELETE FROM S.entries",
        "TRUNCATE S.entries",
        "UPDATE S.head SET seq = 0",
        "DELETE FROM S.head",
        "TRUNCATE S.head",
        "INSERT INTO S.head VALUES (false, 1, 0, 'x', NULL, NULL, '')",
        "INSERT INTO S.entries SELECT * FROM S.entries LIMIT 1",
    ):
        with shared.sql("olga") as connection, pytest.raises(psycopg.Error) as refused:
            connection.execute(statement.replace("S.", f"{shared.schema}."))
        assert refused.value.sqlstate == "PV001", statement
    with shared.sql("olga") as connection:  # blanking is no change
        blank = "UPDATE S.entries SET key = NULL WHERE kind = 'charge'"
        connection.execute(blank.replace("S.", f"{shared.schema}."))
    assert shared.owner.verify().redacted == 1
