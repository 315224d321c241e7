"""A database made to deceive: code in its tables, values that no ledger writes."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.ledger.requests import never, open_ledger, request

from privopt.errors import LedgerError, PrivoptError
from privopt.ledger import Ledger
from privopt.ledger.row import COLUMNS, START, Row
from privopt.ledger.stores.sqlite import connecting
from privopt.ledger.stores.sqlite.schema import STATEMENTS, mark

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


def looks(path: Path) -> list[Callable[[], object]]:
    def opened(**given: bool) -> Ledger:
        return Ledger(path, **given)

    return [
        lambda: opened().charge(request("0.1"), never),
        lambda: opened().charge(request("0.1"), never, "k"),
        lambda: opened(read_only=True).spent,
        lambda: opened(read_only=True).events,
        lambda: opened(read_only=True).recent(5),
        lambda: opened(read_only=True).fetch(row=2),
        lambda: opened(read_only=True).verify(),
        lambda: opened(read_only=True).rehearse(request("0.1")),
    ]


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


HUGE: dict[str, object] = {
    "request": "[" * 2_000_000,
    "key": "k" * 100_000,
    "spent_epsilon": "9" * 1_000_000,
    "limit_epsilon": "٣",  # a digit, and none of ours
    "home": b"x" * 1000,
    "output": 3.5,
    "of": "x",
    "time": b"3",
    "kind": b"charge",
}


@pytest.mark.parametrize("column", HUGE)
@pytest.mark.parametrize("row", [1, 2, 3])
def test_values_that_no_ledger_writes_are_our_errors(ledger: Ledger, column: str, row: int) -> None:
    """Also with digests that fit again: what is not refused is as it was."""
    connection = sqlite3.connect(ledger.path)
    connection.execute("DROP TRIGGER never_changed")
    connection.execute(f"UPDATE entries SET {column} = ? WHERE seq = ?", (HUGE[column], row))  # noqa: S608
    previous = START
    for values in connection.execute("SELECT * FROM entries ORDER BY seq").fetchall():
        held = dict(zip(COLUMNS, values, strict=True))
        try:
            sealed = Row(**{**held, "previous": previous}).sealed()
        except (AttributeError, TypeError):
            pytest.skip("no digest can be made of it")
        sql = "UPDATE entries SET previous = ?, digest = ?, {0}_digest = ? WHERE seq = ?"
        name = column if f"{column}_digest" in COLUMNS else "key"
        digest = getattr(sealed, f"{name}_digest")
        connection.execute(sql.format(name), (previous, sealed.digest, digest, sealed.seq))
        previous = sealed.digest
        connection.execute(f"PRAGMA user_version = {mark(sealed)}")
    connection.execute(STATEMENTS[1])
    connection.commit()
    connection.close()
    with pytest.raises(LedgerError):
        Ledger(ledger.path, read_only=True).verify()
    for look in looks(ledger.path):
        with contextlib.suppress(PrivoptError, AssertionError):  # `never` was called: as it was
            look()


def test_a_value_beyond_all_sizes_is_our_error(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.charge(request("0.1"), lambda _: b"x" * 10_000)
    ledger.close()
    monkeypatch.setattr(connecting, "LARGEST", 5_000)
    with pytest.raises(LedgerError, match="larger than any ledger holds"):
        Ledger(ledger.path, read_only=True).fetch(row=4)
    with pytest.raises(LedgerError, match="cannot be read|larger than"):
        Ledger(ledger.path, read_only=True).verify()
