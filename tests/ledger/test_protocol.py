"""A redacted charge stays charged, its key stays used, and the chain holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.ledger.requests import BOTH, FILE, PRIVATE, never, open_ledger, request

from privopt.errors import (
    BudgetExceededError,
    BurntError,
    InputError,
    KeyUsedError,
    LedgerError,
)
from privopt.ledger import Budget, Ledger, compose
from privopt.ledger.request import private_set

IN_STORES = BOTH


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    """Rows: opened, charge and output "may", charge and output "secret key", charge "burnt"."""
    made = open_ledger(folder, 1)
    for key in ("may", "secret key"):
        made.charge(request("0.1", subject="secret subject"), lambda _: b"secret output", key)
    with pytest.raises(ZeroDivisionError):
        made.charge(request("0.2"), lambda _: bytes(1 // 0), "burnt")
    return made


@FILE
def test_what_is_redacted_is_gone_and_the_ledger_is_whole(ledger: Ledger) -> None:
    head = ledger.head
    ledger.redact(4)
    ledger.close()
    content = ledger.path.read_bytes()
    assert b"secret key" not in content
    assert content.count(b"secret output") == content.count(b"secret subject") == 1  # of "may"
    report = ledger.verify(head)
    assert (report.charges, report.released, report.redacted) == (3, 2, 2)
    assert "2 rows are redacted" in report.summary()
    assert ledger.spent == Budget("0.4")
    event = ledger.events[2]
    assert (event.key, event.request, event.released, event.redacted) == (None, None, True, True)
    assert [event.kind for event in ledger.events][-1] == "redacted"


def test_a_redacted_key_stays_used_and_is_not_charged_again(ledger: Ledger) -> None:
    ledger.redact(4)
    with pytest.raises(LedgerError, match="was redacted: it cannot be given again. Nothing was"):
        ledger.charge(request("0.1", subject="secret subject"), never, "secret key")
    with pytest.raises(KeyUsedError, match="the request was redacted"):
        ledger.charge(request("0.3"), never, "secret key")
    with pytest.raises(LedgerError, match="was redacted"):
        ledger.fetch(row=4)
    assert ledger.released("secret key")
    assert ledger.spent == Budget("0.4")
    ledger.redact(6)
    with pytest.raises(BurntError, match="never stored"):
        ledger.charge(request("0.2"), never, "burnt")


def test_the_charge_that_says_what_neighbours_are_keeps_its_request(ledger: Ledger) -> None:
    ledger.redact(2)
    assert ledger.events[1].request is not None
    assert ledger.events[1].key is None
    with pytest.raises(LedgerError, match="alpha is 0.7"):
        ledger.charge(request("0.1", alpha=0.7), never)
    assert ledger.verify().redacted == 2


def test_where_the_curator_said_it_nothing_must_stay(folder: Path) -> None:
    ledger = open_ledger(folder, 1, alpha=0.1, private=["north", "south"])
    ledger.charge(request("0.1"), lambda _: b"x", "k")
    ledger.redact(2)
    assert ledger.events[1].request is None
    assert ledger.subject.private == PRIVATE
    ledger.charge(request("0.1"), lambda _: b"x")
    ledger.verify()


def test_a_redacted_charge_counts_in_full_when_charges_are_added_up(ledger: Ledger) -> None:
    before = compose(ledger, 1e-6)
    ledger.redact(4)
    after = compose(ledger, 1e-6)
    assert after.epsilon >= before.epsilon > 0
    assert after.charges["redacted (as charged)"] == 1


@pytest.mark.parametrize("row", [0, 1, 3, 99, -1])
def test_only_charges_are_redacted(ledger: Ledger, row: int) -> None:
    with pytest.raises(InputError, match="is no charge"):
        ledger.redact(row)


def test_a_stored_output_is_fetched_for_nothing(ledger: Ledger) -> None:
    seen = Ledger(ledger.place, read_only=True)
    for given in ({"row": 2}, {"row": 3}, {"key": "may"}):
        assert seen.fetch(**given) == b"secret output"
    assert ledger.spent == Budget("0.4")
    with pytest.raises(BurntError, match="never stored"):
        seen.fetch(key="burnt")
    for given in ({"row": 1}, {"row": 99}, {"key": "none"}, {}, {"row": 2, "key": "may"}):
        with pytest.raises(InputError):
            seen.fetch(**given)


def test_delta_has_its_own_limit(folder: Path) -> None:
    ledger = open_ledger(folder, 100, 1e-5)
    for _ in range(10):
        ledger.charge(request(0.1, 1e-6), lambda _: b"")
    with pytest.raises(BudgetExceededError):
        ledger.charge(request(0.1, "1e-60"), never)
    ledger.charge(request(0.1, 0), lambda _: b"")


def test_what_costs_nothing_always_fits(folder: Path) -> None:
    ledger = open_ledger(folder, 1)
    ledger.charge(request(1), lambda _: b"")
    ledger.set_limit(Budget("0.5"))
    assert ledger.charge(request(0), lambda _: b"constant") == b"constant"
    assert ledger.left == Budget(0)
    ledger.verify()


def test_another_request_under_a_key_is_refused_and_the_difference_named(folder: Path) -> None:
    ledger = open_ledger(folder)
    ledger.charge(request(0.1), lambda _: b"1", key="may")
    with pytest.raises(KeyUsedError, match=r"in epsilon, the program.* Nothing was charged\."):
        ledger.charge(request(0.2, subject="other"), never, key="may")
    assert ledger.spent == Budget("0.1")


def test_one_alpha_and_one_private_set(folder: Path) -> None:
    ledger = open_ledger(folder, alpha=0.1, private=["south", "north"], dataset="loads 2026")
    ledger.charge(request(0.1), lambda _: b"")
    with pytest.raises(LedgerError, match="alpha is 0.2; the ledger counts for alpha = 0.1"):
        ledger.charge(request(0.1, alpha=0.2), never)
    with pytest.raises(LedgerError, match="private set is 1 names"):
        ledger.charge(request(0.1, private=private_set(["north"])), never)
    assert ledger.spent == Budget("0.1")
