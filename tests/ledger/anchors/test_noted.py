"""A head that was noted, given as text: older, rewritten and other ledgers are refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.ledger.damage import charge
from tests.ledger.forging import forge
from tests.ledger.requests import never, open_ledger, request

from privopt.errors import LedgerError
from privopt.ledger import Budget, Ledger

OLD = Path(__file__).parents[2] / "fixtures" / "v0_1_0" / "ledgers"


@pytest.fixture
def path(folder: Path) -> Path:
    with open_ledger(folder, 1) as made:
        charge(made)
        charge(made)
        return made.path


def noted(path: Path) -> str:
    return "{}:{}".format(*Ledger(path, read_only=True).head)


def test_a_ledger_that_went_on_from_it_is_used_and_an_older_one_refused(path: Path) -> None:
    older, first = path.read_bytes(), noted(path)
    with Ledger(path, anchor=first) as ledger:
        charge(ledger)
        second = noted(path)
        assert Ledger(path, anchor=f" {second}\n", read_only=True).spent == Budget("0.3")
    assert Ledger(path, anchor=first).spent == Budget("0.3")
    path.write_bytes(older)
    with pytest.raises(LedgerError, match="ends at row 5, and its anchor 7:"):
        Ledger(path, anchor=second)
    with Ledger(path, anchor=first) as ledger:
        ledger.charge(request("0.2"), lambda _: b"x")
        with pytest.raises(LedgerError, match="charged beside its original"):
            Ledger(path, anchor=second)


def test_a_rewritten_ledger_is_refused_at_each_write(path: Path) -> None:
    ledger = Ledger(path, anchor=noted(path))
    forge(path, 1, time="2000-01-01T00:00:00Z")
    with pytest.raises(LedgerError, match="was rewritten"):
        ledger.charge(request("0.1"), never)
    assert Ledger(path).verify().charges == 2  # the chain itself is right


def test_a_head_noted_in_0_1_0_still_counts(folder: Path) -> None:
    path = folder / "old.ledger"
    shutil.copy(OLD / "closed.ledger", path)
    with Ledger(path, read_only=True) as seen:
        events = seen.events
    with Ledger(path) as ledger:
        row, _ = ledger.find(events[0].row)
    assert row is not None
    assert row.legacy is not None
    assert Ledger(path, anchor=f"1:{row.legacy.hex()}").verify().charges == 10
    with pytest.raises(LedgerError, match="another ledger"):
        Ledger(path, anchor=f"1:{'0' * 64}")
