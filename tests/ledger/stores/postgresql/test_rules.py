"""A rule refuses what is not true, and null is not true."""

from __future__ import annotations

import psycopg
import pytest
from tests.ledger.stores.postgresql.server import Server

from privopt.ledger.stores.postgresql.rules import ZERO, amount, must


@pytest.mark.parametrize("holds", ["false", "null", "1 = 2"])
def test_what_is_not_true_is_refused(running: Server, holds: str) -> None:
    rule = f"DO $$ BEGIN {must(holds, 'it does not hold', 'PV002')} END $$"
    with running.connect() as connection, pytest.raises(psycopg.Error, match="not hold") as refused:
        connection.execute(rule)
    assert refused.value.sqlstate == "PV002"


def test_what_is_true_is_not(running: Server) -> None:
    with running.connect() as connection:
        connection.execute(f"DO $$ BEGIN {must('true', 'never')} END $$")


@pytest.mark.parametrize(
    ("text", "sound"),
    [("0", True), ("10", True), (str(10**42), True), (str(10**42 + 1), False), ("01", False),
     ("-1", False), ("", False), (" 1", False), ("1\n", False), ("１", False), ("1e3", False),
     ("9" * 62, False)],
)  # fmt: skip
def test_an_amount_is_written_in_one_way(running: Server, text: str, sound: bool) -> None:
    asked = amount("epsilon").replace("NEW.epsilon", "x")
    with running.connect() as connection:
        found = connection.execute(f"SELECT {asked} FROM (SELECT %s::text AS x) AS it", (text,))  # noqa: S608
        assert found.fetchone() == (sound,)
    assert ZERO == "NEW.epsilon = '0' AND NEW.delta = '0'"
