"""Quotas divide the limit: a charge fits both or is refused, whoever asks and in whatever order."""

from __future__ import annotations

import os
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.ledger.forging import forge, rows_of
from tests.ledger.requests import fork, join, never, open_ledger, request
from tests.ledger.tampering import tamper

from privopt.errors import BudgetExceededError, InputError, LedgerError
from privopt.ledger import Budget, Ledger, share
from privopt.ledger.row import SHARE, Share


@pytest.fixture
def path(folder: Path) -> Path:
    """A limit of 1, of which anna may spend 0.5 and ben 0.7."""
    with open_ledger(folder, 1, "1e-6") as made:
        made.set_quota(Budget("0.5"), releaser="anna")
        made.set_quota(Budget("0.7", "1e-6"), releaser="ben")
        return made.path


def charge(
    path: Path, epsilon: str, delta: str = "0", key: str | None = None, **names: str
) -> bytes:
    with Ledger(path, **names) as ledger:
        return ledger.charge(request(epsilon, delta), lambda _: b"out", key)


def refused(path: Path, match: str, epsilon: str, delta: str = "0", **names: str) -> None:
    with Ledger(path, **names) as ledger:
        before = ledger.head
        for attempt in (ledger.charge, lambda asked, _: ledger.rehearse(asked)):
            with pytest.raises(BudgetExceededError, match=match):
                attempt(request(epsilon, delta), never)
        assert ledger.head == before


def test_a_charge_must_fit_its_quota_and_the_limit(path: Path) -> None:
    charge(path, "0.5", releaser="anna")
    refused(path, r"epsilon 0 is left of epsilon 0\.5, the quota of the releaser 'anna'", "1e-30",
            releaser="anna")  # fmt: skip
    refused(path, r"epsilon 0\.5.* is left of epsilon 1, delta 1e-6\.", "0.6", releaser="ben")
    charge(path, "0.5", "1e-6", releaser="ben")
    refused(path, "is left of epsilon 1, delta 1e-6", "0.1", releaser="ben")
    shown = [(quota.releaser, str(quota.spent), str(quota.left)) for quota in Ledger(path).quotas]
    assert shown == [
        ("anna", "epsilon 0.5", "epsilon 0"),
        ("ben", "epsilon 0.5, delta 1e-6", "epsilon 0.2"),
    ]
    assert Ledger(path).verify().spent == Budget(1, "1e-6")


def test_a_quota_is_not_evaded_by_naming_nobody_or_somebody_else(path: Path) -> None:
    refused(path, "no releaser was named", "0.1")
    refused(path, "the releaser 'carl' has no quota", "0.1", releaser="carl")
    charge(path, "0.1", releaser="anna")
    assert Ledger(path).verify().charges == 1


def test_what_costs_nothing_always_fits(path: Path) -> None:
    for names in ({}, {"releaser": "carl"}, {"releaser": "anna"}):
        charge(path, "0", **names)
    assert Ledger(path).verify().charges == 3


def test_what_was_spent_before_a_quota_counts(folder: Path) -> None:
    path = open_ledger(folder, 1).path
    charge(path, "0.3", releaser="anna")
    charge(path, "0.2", releaser="ben")
    with Ledger(path) as ledger:
        assert ledger.quotas == ()
        ledger.set_quota(Budget("0.2"), releaser="anna")  # less than is spent: nothing more
        assert [(quota.spent, quota.left) for quota in ledger.quotas] == [
            (Budget("0.3"), Budget(0))
        ]
    refused(path, "epsilon 0 is left", "0.1", releaser="anna")
    refused(path, "'ben' has no quota", "0.1", releaser="ben")
    with Ledger(path) as ledger:
        ledger.set_quota(Budget(5), releaser="anna")  # more than the limit, which still decides
    refused(path, "0.5 is left of epsilon 1\\.", "0.6", releaser="anna")
    charge(path, "0.5", releaser="anna")
    kinds = [event.kind for event in Ledger(path).events]
    assert kinds == ["opened", "charge", "charge", "quota", "quota", "charge"]
    assert Ledger(path).verify().spent == Budget(1)


def test_another_releaser_replays_a_key_free(path: Path) -> None:
    charge(path, "0.5", key="may", releaser="anna")
    for names in ({}, {"releaser": "ben"}, {"releaser": "carl"}):
        with Ledger(path, **names) as ledger:
            assert ledger.charge(request("0.5"), never, "may") == b"out"
            assert ledger.rehearse(request("0.5"), "may")
    assert Ledger(path).spent == Budget("0.5")


def test_names_that_are_none_are_refused(path: Path) -> None:
    for name in ("", "x" * 201, "a\nb", "\x1b[31m", 3, b"x"):
        with pytest.raises(InputError, match="releaser is"):
            Ledger(path, releaser=name)  # pyright: ignore[reportArgumentType]
        with pytest.raises(InputError, match="releaser is"):
            Ledger(path).set_quota(Budget(1), releaser=name)  # pyright: ignore[reportArgumentType]
    with Ledger(path) as ledger, pytest.raises(InputError, match="quota is 1"):
        ledger.set_quota(1, releaser="anna")  # pyright: ignore[reportArgumentType]


def test_the_releaser_goes_along_to_other_processes(path: Path) -> None:
    carried = pickle.loads(pickle.dumps(Ledger(path, releaser="anna")))  # noqa: S301
    assert carried.releaser == "anna"


def test_processes_that_race_for_a_quota_spend_it_and_no_more(path: Path) -> None:
    """Six processes ask for ten twentieths each: anna gets ten, ben fourteen of which ten fit."""

    def work(name: str) -> None:
        with Ledger(path, releaser=name) as ledger:
            for _ in range(10):
                try:
                    ledger.charge(request("0.05"), lambda _: b"%d" % os.getpid())
                except BudgetExceededError:
                    continue

    assert join([fork(lambda n=name: work(n)) for name in ("anna", "ben") * 3]) == [0] * 6
    with Ledger(path) as ledger:
        assert ledger.verify().spent == Budget(1)
        spent = {quota.releaser: quota.spent.exact[0] for quota in ledger.quotas}
        assert spent["anna"] <= Budget("0.5").exact[0]
        assert sum(spent.values()) == 1


UNIT = 10**29  # a tenth of epsilon


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    """Two releasers with quotas: opened, quota, quota, then charges.

    Rows 4 (anna), 6 (ben), 8 (anna, a quota raised), 9 (anna), 11 (without cost).
    """
    with open_ledger(folder, 9) as made:
        made.set_quota(Budget("0.5", "1e-6"), releaser="anna")
        made.set_quota(Budget("0.5"), releaser="ben")
    for name in ("anna", "ben"):
        with Ledger(made.path, releaser=name) as one:
            one.charge(request("0.1"), lambda _: b"x")
    made.set_quota(Budget("0.9"), releaser="anna")
    with Ledger(made.path, releaser="anna") as one:
        one.charge(request("0.3"), lambda _: b"x")
        one.charge(request("0"), lambda _: b"x")
    made.close()
    return made


def test_the_rows_say_what_was_spent_by_whom(ledger: Ledger) -> None:
    rows = {row.seq: row for row in rows_of(ledger.path)}
    units = {number: Budget(f"0.{number}").charge for number in range(1, 10)}
    assert rows[4].share == Share(units[1], Budget("0.5", "1e-6").limit)
    assert rows[6].share == Share(units[1], Budget("0.5").limit)
    assert rows[8].share == Share(units[1], units[9])
    assert rows[9].share == Share(units[4], units[9])
    assert [rows[seq].releasers for seq in (1, 2, 3, 5, 11)] == [None, 1, 2, 2, 2]
    assert rows[5].share is None  # of an output its charge says it


@pytest.mark.parametrize("column", ["releaser", "releasers", *SHARE])
@pytest.mark.parametrize("row", [2, 4, 8, 9])
def test_a_change_of_any_of_its_columns_is_found(ledger: Ledger, row: int, column: str) -> None:
    """As it is, at the row; with every digest computed anew, there or where the name comes next."""
    other: Any = 7 if column == "releasers" else "7"
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
    (4, {"releaser": None, **dict.fromkeys(SHARE)}),  # under nobody's
    (4, {"releaser_limit_epsilon": str(9 * UNIT)}),
    (4, {"releaser_limit_epsilon": None, "releaser_limit_delta": None}),
    (9, {"releaser_spent_epsilon": str(3 * UNIT)}),  # what was spent before is forgotten
    (8, {"releaser_spent_epsilon": "0"}),
    (8, {"releasers": 3}),
    (3, {"releasers": 1}),
    (2, {"releasers": None}),
    (11, {"releasers": None}),
    (8, {"kind": "limit"}),
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
    for _ in range(3):
        for name in range(6):
            with Ledger(made.path, releaser=f"r{name}") as one:
                one.charge(request("0.1"), lambda _: b"x")
    monkeypatch.setattr(share, "REMEMBERED", 4)
    assert made.verify().charges == 18
    made.close()
    forge(made.path, 32, releaser_spent_epsilon=str(UNIT))
    with pytest.raises(LedgerError) as caught:
        made.verify()
    assert caught.value.row == 32
