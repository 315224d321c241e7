"""Shares of releasers and purposes that do not follow from the rows: found, with digests right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.ledger.forging import forge, rows_of
from tests.ledger.requests import open_ledger, request
from tests.ledger.tampering import tamper

from privopt.errors import LedgerError
from privopt.ledger import Budget, Ledger, shares
from privopt.ledger.row import COUNTS, NEW_IN_3, SHARES, Share

UNIT = 10**29  # a tenth of epsilon


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    """Two releasers with quotas and a purpose without: opened, quota, quota, then charges.

    Rows 4 (anna), 6 (ben), 8 (anna, a quota raised), 9 (anna), 11 (without cost).
    """
    with open_ledger(folder, 9) as made:
        made.set_quota(Budget("0.5", "1e-6"), releaser="anna")
        made.set_quota(Budget("0.5"), releaser="ben")
    for name in ("anna", "ben"):
        with Ledger(made.path, releaser=name, purpose="planning") as one:
            one.charge(request("0.1"), lambda _: b"x")
    made.set_quota(Budget("0.9"), releaser="anna")
    with Ledger(made.path, releaser="anna", purpose="planning") as one:
        one.charge(request("0.3"), lambda _: b"x")
        one.charge(request("0"), lambda _: b"x")
    made.close()
    return made


def test_the_rows_say_what_was_spent_by_whom(ledger: Ledger) -> None:
    rows = {row.seq: row for row in rows_of(ledger.path)}
    units = {number: Budget(f"0.{number}").charge for number in range(1, 10)}
    assert rows[4].share("releaser") == Share(units[1], Budget("0.5", "1e-6").limit)
    assert rows[6].share("purpose") == Share(units[2], None)
    assert rows[8].share("releaser") == Share(units[1], units[9])
    assert rows[9].share("releaser") == Share(units[4], units[9])
    assert rows[9].share("purpose") == Share(units[5], None)
    assert [rows[seq].releasers for seq in (1, 2, 3, 5, 11)] == [None, 1, 2, 2, 2]
    assert rows[5].share("releaser") is None  # of an output its charge says it


@pytest.mark.parametrize("column", NEW_IN_3)
@pytest.mark.parametrize("row", [2, 4, 8, 9])
def test_a_change_of_any_new_column_is_found(ledger: Ledger, row: int, column: str) -> None:
    """As it is, at the row; with every digest computed anew, there or where the name comes next."""
    other: Any = 7 if column in COUNTS else "7"
    sql = f"UPDATE entries SET {column} = ? WHERE seq = ?"  # noqa: S608
    whole, held = ledger.path.read_bytes(), getattr(rows_of(ledger.path)[row - 1], column)
    for value in [other] + [None] * (held is not None):
        tamper(ledger, lambda connection, v=value: connection.execute(sql, (v, row)))
        with pytest.raises(LedgerError) as caught:
            ledger.verify()
        assert caught.value.row == row
    ledger.path.write_bytes(whole)
    forge(ledger.path, row, **{column: other})
    with pytest.raises(LedgerError) as caught:
        ledger.verify()
    assert caught.value.row in range(row, 12)


FORGED: list[tuple[int, dict[str, Any]]] = [
    (4, {"releaser": "ben"}),  # a charge under the quota of somebody else
    (4, {"releaser": None, **dict.fromkeys(SHARES[:4])}),  # under nobody's
    (4, {"releaser_limit_epsilon": str(9 * UNIT)}),
    (4, {"releaser_limit_epsilon": None, "releaser_limit_delta": None}),
    (9, {"releaser_spent_epsilon": str(3 * UNIT)}),  # what was spent before is forgotten
    (9, {"purpose_spent_epsilon": str(3 * UNIT)}),
    (9, {"purpose": "other"}),
    (8, {"releaser_spent_epsilon": "0"}),
    (8, {"releasers": 3}),
    (3, {"releasers": 1}),
    (2, {"releasers": None}),
    (11, {"releasers": None}),
    (8, {"kind": "limit"}),
    (8, {"purpose": "x", "purpose_spent_epsilon": "0", "purpose_spent_delta": "0"}),
    (5, {"releaser": "anna", "releaser_spent_epsilon": "0", "releaser_spent_delta": "0"}),
    (2, {"releaser_limit_epsilon": str(UNIT // 2)}),  # then the charge of row 4 does not fit
]


@pytest.mark.parametrize(("row", "changes"), FORGED)
def test_a_forged_share_is_found(ledger: Ledger, row: int, changes: dict[str, Any]) -> None:
    forge(ledger.path, row, **changes)
    with pytest.raises(LedgerError) as caught:
        ledger.verify()
    assert caught.value.row in (row, 4)


def test_a_charge_beyond_its_quota_is_found(ledger: Ledger) -> None:
    """Every digest and sum is right; the quota alone is too small."""
    rows = rows_of(ledger.path)
    for number, row in enumerate(rows):
        if row.releaser == "anna" and row.releaser_limit_epsilon is not None:
            rows[number] = replace(row, releaser_limit_epsilon=str(UNIT * 3))
    for row in rows:
        if row.releaser == "anna":
            forge(ledger.path, row.seq, releaser_limit_epsilon=row.releaser_limit_epsilon)
    with pytest.raises(LedgerError, match="row 9 ") as caught:
        ledger.verify()
    assert caught.value.row == 9


def test_more_names_than_are_remembered_are_looked_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = open_ledger(folder, 99)
    for turn in range(3):
        for name in range(6):
            with Ledger(made.path, releaser=f"r{name}", purpose=f"p{turn}") as one:
                one.charge(request("0.1"), lambda _: b"x")
    monkeypatch.setattr(shares, "MOST", 4)
    assert made.verify().charges == 18
    made.close()
    forge(made.path, 32, releaser_spent_epsilon=str(UNIT))
    with pytest.raises(LedgerError) as caught:
        made.verify()
    assert caught.value.row == 32
