"""A database made to deceive: code in its tables, values that no ledger writes."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest
from tests.ledger.looking import looks
from tests.ledger.requests import open_ledger, request

from privopt.errors import LedgerError, PrivoptError
from privopt.ledger import Ledger
from privopt.ledger.row import COLUMNS, START, Row
from privopt.ledger.stores.sqlite import connecting
from privopt.ledger.stores.sqlite.schema import STATEMENTS, mark


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    made = open_ledger(folder, 1)
    made.charge(request("0.1"), lambda _: b"x", "k")
    made.close()
    return made


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
