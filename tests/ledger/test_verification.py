"""Verification: wrong sums, lost rows and rewritten heads are found."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.ledger.requests import open_ledger, request
from tests.ledger.tampering import resealed, tamper

from privopt.errors import LedgerError
from privopt.ledger import Budget, Ledger
from privopt.ledger.row import Row
from privopt.ledger.stores.sqlite.schema import mark

ROWS = 7


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    """Rows: opened, charge, output, limit, charge (burnt), charge, output."""
    made = open_ledger(folder, 1, 1e-5)
    made.charge(request(0.1), lambda _: b"first", key="first")
    made.set_limit(Budget(2, 1e-5))
    with pytest.raises(ZeroDivisionError):
        made.charge(request(0.2), lambda _: b"%d" % (1 // 0), key="burnt")
    made.charge(request(0.3, 1e-6), lambda _: b"last", key="last")
    assert made.verify().rows == ROWS
    made.close()
    return made


def edit(seq: int, **values: object) -> Callable[[list[Row]], list[Row]]:
    return lambda rows: [Row(**{**vars(r), **values}) if r.seq == seq else r for r in rows]


@pytest.mark.parametrize(
    ("seq", "values"),
    [
        (2, {"epsilon": "1"}),
        (6, {"spent_epsilon": "1"}),
        (6, {"spent_delta": "0"}),
        (6, {"limit_epsilon": str(10**40)}),
        (3, {"of": 5}),
        (3, {"kind": "note"}),
        (3, {"epsilon": "-5"}),
        (7, {"of": 4}),
        (7, {"output": None, "output_digest": None}),
        (7, {"home": b"y" * 16}),
        (2, {"request": None}),  # what the first charge settles cannot be blanked
        (4, {"kind": "opened"}),
        (5, {"request": request(0.2, alpha=0.5).text}),
        (5, {"request": request(0.1).text}),
        (5, {"request": None, "request_digest": None}),
        (2, {"epsilon": "0" + str(10**29)}),
    ],
)
def test_a_new_chain_over_wrong_sums_is_found(
    ledger: Ledger, seq: int, values: dict[str, object]
) -> None:
    tamper(ledger, resealed(edit(seq, **values)))
    with pytest.raises(LedgerError):
        ledger.verify()


def test_a_chain_computed_anew_over_sound_rows_needs_the_head_kept_elsewhere(
    ledger: Ledger,
) -> None:
    head = ledger.head
    assert ledger.verify(head).head == head
    tamper(ledger, resealed(edit(3, output=b"forged")))
    ledger.verify()
    with pytest.raises(LedgerError, match="it was rewritten") as caught:
        ledger.verify(head)
    assert caught.value.row == ROWS


def test_rows_cut_off_everywhere_need_the_head_kept_elsewhere(ledger: Ledger) -> None:
    head, fourth = ledger.head, ledger.find(4)[0]
    assert fourth is not None

    def cut(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM entries WHERE seq > 4")
        connection.execute("UPDATE sqlite_sequence SET seq = 4")
        connection.execute(f"PRAGMA user_version = {mark(fourth)}")

    tamper(ledger, cut)
    assert ledger.verify().rows == 4
    with pytest.raises(LedgerError, match="row 5 is missing"):
        ledger.verify(head)


def test_an_older_head_still_holds(ledger: Ledger) -> None:
    head = ledger.head
    ledger.charge(request(0.1), lambda _: b"")
    assert ledger.verify(head).rows == ROWS + 2
