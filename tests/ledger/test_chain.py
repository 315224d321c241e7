"""Whatever is altered in a ledger is found, and the first bad row is named."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest
from tests.ledger.requests import never, open_ledger, request
from tests.ledger.tampering import resealed, tamper

from privopt.errors import LedgerError, PrivoptError
from privopt.ledger import Budget, Ledger
from privopt.ledger.row import COLUMNS, SHARE, Row
from privopt.ledger.stores.sqlite.schema import STATEMENTS

# What each column is changed to; no row holds these.
OTHER: dict[str, object] = {
    "seq": 99, "kind": "other", "time": "2000-01-01T00:00:00Z", "key": "other", "request": "{}",
    "of": 77, "output": b"other", "epsilon": "7", "delta": "7", "spent_epsilon": "7",
    "spent_delta": "7", "limit_epsilon": "7", "limit_delta": "7", "previous": b"x" * 32,
    "digest": b"x" * 32, "key_digest": b"y" * 32, "request_digest": b"y" * 32,
    "output_digest": b"y" * 32, "home": b"y" * 16, "releasers": 7,
}  # fmt: skip
OTHER |= dict.fromkeys(("releaser", *SHARE), "7")


ROWS = 7


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    """Rows: opened, charge, output, limit, charge (burnt), charge, output."""
    made = open_ledger(folder, 1, 1e-5, releaser="anna")
    made.charge(request(0.1), lambda _: b"first", key="first")
    made.set_limit(Budget(2, 1e-5))
    with pytest.raises(ZeroDivisionError):
        made.charge(request(0.2), lambda _: b"%d" % (1 // 0), key="burnt")
    made.charge(request(0.3, 1e-6), lambda _: b"last", key="last")
    assert made.verify().rows == ROWS
    made.close()
    return made


def test_the_columns_are_all_covered() -> None:
    assert set(OTHER) == set(COLUMNS)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("row", range(1, ROWS + 1))
def test_a_change_of_any_column_of_any_row_is_found(ledger: Ledger, row: int, column: str) -> None:
    sql = f"UPDATE entries SET {column} = ? WHERE seq = ?"  # noqa: S608
    tamper(ledger, lambda connection: connection.execute(sql, (OTHER[column], row)))
    with pytest.raises(LedgerError, match="What to do: restore") as caught:
        ledger.verify()
    assert caught.value.row == row


@pytest.mark.parametrize("value", [None, 3, 0.5, "text", b"bytes", float("inf")])
def test_values_of_any_type_are_found(ledger: Ledger, value: object) -> None:
    sql = "UPDATE entries SET request = ? WHERE seq = 2"
    tamper(ledger, lambda connection: connection.execute(sql, (value,)))
    with pytest.raises(LedgerError) as caught:
        ledger.verify()
    assert caught.value.row == 2


def test_text_that_cannot_be_decoded_is_found(ledger: Ledger) -> None:
    sql = "UPDATE entries SET request = CAST(x'ff80' AS TEXT) WHERE seq = 6"
    tamper(ledger, lambda connection: connection.execute(sql))
    with pytest.raises(LedgerError) as caught:
        ledger.verify()
    assert caught.value.row == 6


@pytest.mark.parametrize("row", range(1, ROWS + 1))
def test_a_removed_row_is_found(ledger: Ledger, row: int) -> None:
    tamper(ledger, lambda c: c.execute("DELETE FROM entries WHERE seq = ?", (row,)))
    with pytest.raises(LedgerError, match="missing|lost its row") as caught:
        ledger.verify()
    assert caught.value.row == row
    with pytest.raises(LedgerError, match="lost its row"):
        _ = ledger.events


def test_a_damaged_last_row_stops_every_charge(ledger: Ledger) -> None:
    sql = "UPDATE entries SET spent_epsilon = '0' WHERE seq = 7"
    tamper(ledger, lambda connection: connection.execute(sql))
    with pytest.raises(LedgerError, match="row 7 .* altered or damaged"):
        ledger.charge(request(0.1), never)


def test_a_damaged_output_is_not_replayed(ledger: Ledger) -> None:
    sql = "UPDATE entries SET output = x'00' WHERE seq = 3"
    tamper(ledger, lambda connection: connection.execute(sql))
    with pytest.raises(LedgerError, match="row 3 .* altered or damaged"):
        ledger.charge(request(0.1), never, key="first")


def test_rows_are_not_changed_or_removed_by_accident(ledger: Ledger) -> None:
    connection = sqlite3.connect(ledger.path)
    for sql in ("UPDATE entries SET key = 'x'", "DELETE FROM entries"):
        with pytest.raises(sqlite3.IntegrityError, match="rows of a ledger are never"):
            connection.execute(sql)
    connection.close()


@pytest.mark.parametrize(
    "sql", ["DROP TRIGGER never_changed", "CREATE TABLE x (y)", "CREATE INDEX i ON entries (time)"]
)
def test_other_tables_are_found(ledger: Ledger, sql: str) -> None:
    connection = sqlite3.connect(ledger.path)
    connection.execute(sql)
    connection.commit()
    connection.close()
    for look in (ledger.verify, lambda: ledger.spent, lambda: ledger.charge(request(0.1), never)):
        with pytest.raises(LedgerError, match="tables"):
            look()


def test_every_byte_of_the_file_matters_or_does_no_harm(ledger: Ledger) -> None:
    """Flipped bits: found, or the ledger reads exactly as before."""
    whole, report = ledger.path.read_bytes(), ledger.verify()
    ledger.close()
    for position in range(0, len(whole), 97):
        broken = bytearray(whole)
        broken[position] ^= 1 << (position % 8)
        path = ledger.path.with_name(f"flipped-{position}")
        path.write_bytes(broken)
        try:
            flipped = Ledger(path, read_only=True)
            assert flipped.verify() == report
            flipped.close()
        except LedgerError:
            pass
        path.unlink()


@pytest.mark.parametrize("kept", range(1, ROWS))
def test_lost_last_rows_stop_every_charge(ledger: Ledger, kept: int) -> None:
    """What they charged is still spent: without them more than the limit would fit."""
    tamper(ledger, lambda c: c.execute("DELETE FROM entries WHERE seq > ?", (kept,)))
    with pytest.raises(LedgerError, match=f"lost its row {kept + 1}"):
        ledger.charge(request(0.1), never)
    with pytest.raises(LedgerError, match="lost its row"):
        _ = ledger.spent


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("spent_epsilon", "x"),
        ("limit_epsilon", "9" * 5000),
        ("request", "[1]"),
        ("request", "[" * 3000),
    ],
)
@pytest.mark.parametrize("row", [1, 2, 6])
def test_rows_that_no_ledger_writes_are_our_error(
    ledger: Ledger, row: int, column: str, value: str
) -> None:
    """Also under a chain that was computed anew."""

    def change(rows: list[Row]) -> list[Row]:
        held = {**vars(rows[row - 1]), column: value}
        return [*rows[: row - 1], Row(**held), *rows[row:]]

    tamper(ledger, resealed(change))
    seen = Ledger(ledger.path, read_only=True)
    with pytest.raises(LedgerError, match=f"row {row} "):
        seen.verify()
    for look in (lambda: seen.events, lambda: seen.subject, lambda: seen.spent):
        with contextlib.suppress(PrivoptError):
            look()


def test_a_key_whose_row_is_gone_is_not_taken_for_a_new_one(folder: Path) -> None:
    """Half of a write is lost: the row is gone, and the index of keys still names it."""
    ledger = open_ledger(folder, alpha=0.1, private=["north", "south"])  # no row is looked for
    for key in ("a", "b"):
        ledger.charge(request("0.1"), lambda _: b"", key)
    ledger.close()
    indexes = "FROM sqlite_master WHERE name LIKE 'sqlite_autoindex%'"
    with contextlib.closing(sqlite3.connect(ledger.path)) as connection:
        held = connection.execute(f"SELECT * {indexes}").fetchall()
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(f"DELETE {indexes}")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, ' UNIQUE', '')")
        connection.commit()
    with contextlib.closing(sqlite3.connect(ledger.path)) as connection:
        for name in ("never_changed", "never_removed"):
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM entries WHERE seq = 2")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = ? WHERE name = 'entries'", STATEMENTS[:1]
        )
        connection.executemany("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", held)
        connection.commit()
    with contextlib.closing(sqlite3.connect(ledger.path)) as connection:
        for statement in STATEMENTS[1:3]:
            connection.execute(statement)
    with pytest.raises(LedgerError, match="lost its row 2"):
        ledger.charge(request("0.1"), never, "a")
