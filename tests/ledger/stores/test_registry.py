"""A store is one file and one line: one in memory is added, and a ledger works in it."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.ledger.requests import never, open_ledger, request
from tests.ledger.stores.toy import SHELVES, ToyRows, ToyStore

import privopt as po
from privopt.errors import BudgetExceededError, BurntError, InputError, KeyUsedError, LedgerError
from privopt.ledger import Budget, Ledger, compose
from privopt.ledger.stores.registry import STORES

PLACE = "toy://shelf/loads"


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    monkeypatch.setitem(STORES, "toy", ToyStore)
    yield Ledger(PLACE, Budget(1))
    SHELVES.clear()


def test_a_charge_is_made_replayed_and_refused_over_the_limit(ledger: Ledger) -> None:
    assert ledger.charge(request("0.6"), lambda _: b"out", "may") == b"out"
    assert ledger.charge(request("0.6"), never, "may") == b"out"
    assert ledger.rehearse(request("0.6"), "may")
    with pytest.raises(KeyUsedError, match="stands for another request"):
        ledger.charge(request("0.1"), never, "may")
    with pytest.raises(BudgetExceededError, match=r"epsilon 0\.4 is left"):
        ledger.charge(request("0.5"), never)
    with pytest.raises(ZeroDivisionError) as stopped:
        ledger.charge(request("0.1"), lambda _: bytes(1 // 0), "burnt")
    assert stopped.value.__notes__ == [
        "Row 4 of the ledger was charged; the charge stays. No output of it was stored."
    ]
    with pytest.raises(BurntError, match="still being made"):  # this store does not wait
        ledger.charge(request("0.1"), never, "burnt")
    assert (ledger.spent, ledger.left) == (Budget("0.7"), Budget("0.3"))
    assert ledger.released("may")
    assert not ledger.released("burnt")
    assert ledger.fetch(row=3) == ledger.fetch(key="may") == b"out"


def test_what_happened_is_shown_checked_and_redacted(ledger: Ledger) -> None:
    ledger.charge(request("0.1"), lambda _: b"first", "a")
    ledger.charge(request("0.2"), lambda _: b"second", "b")
    ledger.set_limit(Budget(2))
    head = ledger.head
    ledger.redact(4)
    assert [event.kind for event in ledger.events] == [
        "opened", "charge", "charge", "limit", "redacted"
    ]  # fmt: skip
    assert [event.row for event in ledger.recent(2)] == [6, 7]
    assert (ledger.events[2].key, ledger.events[2].request) == (None, None)
    report = ledger.verify(head)
    assert (report.rows, report.charges, report.released, report.redacted) == (7, 2, 2, 2)
    assert report.drive == "in memory"
    with pytest.raises(LedgerError, match="redacted"):
        ledger.charge(request("0.2"), never, "b")
    assert ledger.dataset == "loads"
    assert PLACE in repr(ledger)
    assert "spent epsilon 0.3 of epsilon 2" in repr(ledger)
    shown = [line.split() for line in ledger.summary().splitlines()]
    assert ["spent", "epsilon", "0.3"] in shown
    assert ["limit", "epsilon", "2"] in shown
    assert compose(ledger).spent == Budget("0.3")


def test_a_row_that_was_altered_or_lost_is_found(ledger: Ledger) -> None:
    ledger.charge(request("0.1"), lambda _: b"first", "a")
    whole = SHELVES[PLACE]
    SHELVES[PLACE] = [*whole[:1], replace(whole[1], epsilon="0"), *whole[2:]]
    with pytest.raises(LedgerError, match="altered") as found:
        ledger.verify()
    assert found.value.row == 2
    SHELVES[PLACE] = whole[1:]
    with pytest.raises(LedgerError, match="lost its row") as found:
        ledger.verify()
    assert found.value.row == 1


def test_a_store_that_finds_the_wrong_row_is_not_believed(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("a", "b"):
        ledger.charge(request("0.1"), lambda _, key=key: key.encode(), key)
    for name, wrong in (("row_of_key", 2), ("output_of", 3)):
        with monkeypatch.context() as patched:
            patched.setattr(ToyRows, name, lambda rows, _, wrong=wrong: rows.row(wrong))
            with pytest.raises(LedgerError, match="altered"):
                ledger.charge(request("0.1"), never, "b")
    assert ledger.charge(request("0.1"), never, "b") == b"b"


def test_rows_that_were_brought_elsewhere_are_on_record(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ToyStore, "home", b"elsewhere".ljust(16, b"\0"))
    ledger.charge(request("0.1"), lambda _: b"first")
    assert [event.kind for event in ledger.events] == ["opened", "moved", "charge"]


def test_it_is_opened_again_looked_at_and_carried_to_other_processes(ledger: Ledger) -> None:
    ledger.charge(request("0.1"), lambda _: b"first")
    seen = Ledger(PLACE, read_only=True)
    assert seen.spent == Budget("0.1")
    with pytest.raises(LedgerError, match="may only be read"):
        seen.charge(request("0.1"), never)
    assert pickle.loads(pickle.dumps(ledger)).head == ledger.head  # noqa: S301
    with pytest.raises(LedgerError, match="the ledger's limit is epsilon 1"):
        Ledger(PLACE, Budget(2))
    with pytest.raises(LedgerError, match=r"there is no ledger at toy://other\."):
        Ledger("toy://other")


def test_a_plan_releases_through_it(ledger: Ledger) -> None:
    program = po.ConvexProgram(linear=[1.0, 2.0], G=[[1, 1]], d=[1.0], lower=-9, upper=9)
    noise = po.Laplace(epsilon=0.5, alpha=0.1)
    plan = po.solve(program, po.Identity([0]), noise, po.ExactBox(eta=0.1))
    first, again = plan.release(ledger, "may"), plan.release(ledger, "may")
    np.testing.assert_array_equal(first.values, again.values)
    assert ledger.spent == Budget("0.5")


def test_a_scheme_that_nobody_knows_is_refused_and_named(folder: Path) -> None:
    for place in ("other://host/db", "Other://host/secret"):
        with pytest.raises(InputError, match=r"no store of ledgers is called other://") as refused:
            Ledger(place, Budget(1))
        assert "secret" not in str(refused.value)  # an address may hold a password
    assert isinstance(open_ledger(folder).path, Path)  # a plain path is a file
