"""The tables of a ledger, exactly: whatever else a database carries is refused."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.ledger.looking import looks
from tests.ledger.requests import never, open_ledger, request

from privopt.errors import LedgerError
from privopt.ledger import Ledger

FREE = """
    ALTER TABLE entries RENAME TO hidden;
    CREATE VIEW entries AS SELECT * FROM hidden WHERE seq = 1;
    CREATE TRIGGER quiet INSTEAD OF INSERT ON entries BEGIN SELECT 1; END;
"""


ENDLESS = """
    ALTER TABLE entries RENAME TO hidden;
    CREATE VIEW entries AS WITH RECURSIVE more (seq) AS
        (SELECT 1 UNION ALL SELECT seq + 1 FROM more) SELECT seq, 'charge' AS kind FROM more;
"""


FORGETFUL = """
    CREATE TRIGGER forget AFTER INSERT ON entries BEGIN
        UPDATE entries SET output = NULL WHERE seq = new.seq;
    END;
"""


CHANGES = {
    "a view": FREE,
    "an endless view": ENDLESS,
    "a trigger": FORGETFUL,
    "a table": "CREATE TABLE more (x)",
    "an index": "CREATE INDEX more ON entries (time)",
    "an index of an expression": "CREATE INDEX more ON entries (abs(seq))",
    "a column": "ALTER TABLE entries ADD COLUMN more TEXT",
    "a generated column": "ALTER TABLE entries ADD COLUMN more AS (abs(seq))",
    "no trigger": "DROP TRIGGER never_removed",
    "statistics": "ANALYZE",
}


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    made = open_ledger(folder, 1)
    made.charge(request("0.1"), lambda _: b"x", "k")
    made.close()
    return made


def change(path: Path, sql: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA legacy_alter_table = ON")
    connection.executescript(sql)
    connection.close()


@pytest.mark.parametrize("name", CHANGES)
def test_tables_with_anything_of_others_are_refused(ledger: Ledger, name: str) -> None:
    change(ledger.path, CHANGES[name])
    for look in looks(ledger.path):
        with pytest.raises(LedgerError, match="tables of the ledger are not those"):
            look()


@pytest.mark.parametrize("name", CHANGES)
def test_tables_that_change_while_a_ledger_is_open_are_refused(ledger: Ledger, name: str) -> None:
    assert ledger.events
    change(ledger.path, CHANGES[name])
    for work in (lambda: ledger.charge(request("0.1"), never), lambda: ledger.events):
        with pytest.raises(LedgerError, match="tables of the ledger are not those"):
            work()
