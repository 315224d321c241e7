"""What a ledger needs of a store, by one in memory: whatever it gives back is checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.ledger.requests import never, request
from tests.ledger.stores.toy import SHELVES, USER, ToyRows, ToyStore

from privopt.errors import BudgetExceededError, LedgerError
from privopt.ledger import Budget, Ledger, compose
from privopt.ledger.stores.registry import STORES

PLACE = "toy://shelf/loads"


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    monkeypatch.setitem(STORES, "toy", ToyStore)
    yield Ledger(PLACE, Budget(1))
    SHELVES.clear()


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
    assert compose(ledger, 0.0).epsilon == 0.3


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


def test_a_releaser_is_the_one_that_the_store_knows(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.set_quota(Budget("0.5"), releaser="anna")
    monkeypatch.setitem(USER, "name", "anna")
    for given in (None, "anna"):
        Ledger(PLACE, releaser=given).charge(request("0.2"), lambda _: b"x")
    with pytest.raises(BudgetExceededError, match="quota of the releaser 'anna'"):
        ledger.charge(request("0.2"), never)
    with pytest.raises(LedgerError, match="releaser is 'ben'; .* knows this user as 'anna'"):
        Ledger(PLACE, releaser="ben")
    assert [event.releaser for event in ledger.events] == [None, "anna", "anna", "anna"]


def test_a_store_that_finds_the_wrong_row_of_a_name_is_not_believed(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.set_quota(Budget("0.5"), releaser="anna")
    ledger.set_quota(Budget("0.5"), releaser="ben")
    anna = Ledger(PLACE, releaser="anna")
    monkeypatch.setattr(ToyRows, "last_of", lambda rows, *_: rows.row(3))  # ben's
    for attempt in (lambda: anna.charge(request("0.1"), never), lambda: ledger.quotas):
        with pytest.raises(LedgerError, match="altered"):
            attempt()
