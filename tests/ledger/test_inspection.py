"""One charge and its output, by row or by key; nothing is written, and keys are checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.ledger.requests import BOTH, open_ledger, request

from privopt.errors import BurntError, InputError, LedgerError
from privopt.ledger import Ledger, inspection

IN_STORES = BOTH


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    """Rows: 1 made, 2 and 3 a charge and its output, 4 burnt, 5 and 6 another, without a key."""
    made = open_ledger(folder)
    made.charge(request("0.1"), lambda _: b"first", "k")
    with pytest.raises(ZeroDivisionError):
        made.charge(request("0.1"), lambda _: bytes(1 // 0), "burnt")
    made.charge(request("0.1"), lambda _: b"second")
    return made


def test_an_output_by_its_key_its_charge_and_its_own_row(ledger: Ledger) -> None:
    with ledger.store.reading() as transaction:
        for given in ({"key": "k", "row": None}, {"key": None, "row": 2}, {"key": None, "row": 3}):
            assert inspection.output(transaction, **given) == b"first"
        assert (
            inspection.output(transaction, 5, None)
            == inspection.output(transaction, 6, None)
            == b"second"
        )


def test_what_is_no_charge_is_refused(ledger: Ledger) -> None:
    with ledger.store.reading() as transaction:
        for row in (-1, 0, 1, 7, 10**30):
            with pytest.raises(InputError, match=f"row {row} is no charge"):
                inspection.output(transaction, row, None)
        with pytest.raises(InputError, match="the key 'K' is no charge"):
            inspection.output(transaction, None, "K")
        for given in ((4, None), (None, "burnt")):
            with pytest.raises(BurntError):
                inspection.output(transaction, *given)


def test_a_redacted_output_is_not_given_again(ledger: Ledger) -> None:
    ledger.redact(2)
    with ledger.store.reading() as transaction, pytest.raises(LedgerError, match="redacted"):
        inspection.output(transaction, 2, None)


def test_what_is_released_under_a_key(ledger: Ledger) -> None:
    assert ledger.released("k")
    assert not ledger.released("burnt")
    assert not ledger.released("K")


def test_a_row_and_that_of_its_output(ledger: Ledger) -> None:
    for row, seen in {2: (2, 3), 4: (4, None), 5: (5, 6), 3: (3, None)}.items():
        assert tuple(None if one is None else one.seq for one in ledger.find(row)) == seen
    for row in (0, 7):
        assert ledger.find(row) == (None, None)


@pytest.mark.parametrize("key", ["", "x" * 201, "a\nb", "\0", 3, b"k", ["k"]])
def test_what_is_no_key(key: Any) -> None:
    with pytest.raises(InputError, match="key is"):
        inspection.check_key(key)
    for sound in (None, "k", "x" * 200, "Mai 2026, ü"):
        inspection.check_key(sound)
