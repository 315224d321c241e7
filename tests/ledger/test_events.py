"""What happened, in order or from the end: the same events, read in portions."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.ledger.damage import charge
from tests.ledger.requests import open_ledger, request
from tests.ledger.tampering import tamper

from privopt.errors import LedgerError
from privopt.ledger import Budget, Ledger, events


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    made = open_ledger(folder, 9, releaser="anna")
    for number in range(4):
        charge(made, f"key {number}")
    with pytest.raises(ZeroDivisionError):
        made.charge(request("0.1"), lambda _: bytes(1 // 0))
    made.set_quota(Budget(3), releaser="ben")
    made.set_limit(Budget(8))
    return made


@pytest.mark.parametrize("portion", [1, 2, 3, 5, 100])
def test_portions_of_any_size_show_the_same(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, portion: int
) -> None:
    whole = ledger.events
    assert [event.row for event in whole] == [1, 2, 4, 6, 8, 10, 11, 12]
    assert [event.released for event in whole] == [False, *[True] * 4, False, False, False]
    monkeypatch.setattr(events, "PORTION", portion)
    assert tuple(ledger.history()) == whole
    for last in range(1, 9):
        assert ledger.recent(last) == whole[-last:]


def test_an_output_that_comes_later_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two releases at once: both charges come before both outputs."""
    made, both = open_ledger(folder, 9), threading.Barrier(2)

    def release() -> None:
        Ledger(made.path).charge(request("0.1"), lambda _: b"%d" % both.wait())

    threads = [threading.Thread(target=release) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    monkeypatch.setattr(events, "PORTION", 2)
    assert [(event.row, event.released) for event in made.history()] == [
        (1, False), (2, True), (3, True)
    ]  # fmt: skip


def test_what_is_appended_meanwhile_is_not_seen(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "PORTION", 3)
    seen = ledger.history()
    first = next(seen)
    ledger.set_limit(Budget(7))
    assert [first.row, *(event.row for event in seen)] == [1, 2, 4, 6, 8, 10, 11, 12]


def test_what_an_event_says(ledger: Ledger) -> None:
    charged, quota = ledger.events[1], ledger.events[6]
    assert (charged.releaser, charged.quota) == ("anna", None)
    assert (quota.kind, quota.releaser, quota.quota) == ("quota", "ben", Budget(3))
    assert quota.to_dict()["quota"] == {"epsilon": "3", "delta": "0"}
    assert quota.limit == Budget(9)


def test_a_row_that_is_lost_is_named(ledger: Ledger) -> None:
    tamper(ledger, lambda connection: connection.execute("DELETE FROM entries WHERE seq = 5"))
    for look in (lambda: list(ledger.history()), lambda: ledger.recent(6)):
        with pytest.raises(LedgerError, match="lost its row 5"):
            look()
