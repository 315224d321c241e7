"""A ledger copied between stores: rows, digests and head stay; only one is charged if closed."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.ledger.damage import charge
from tests.ledger.forging import forge, rows_of
from tests.ledger.requests import fork, join, never, open_ledger, request
from tests.ledger.stores.toy import SHELVES, ToyRows, ToyStore

from privopt.errors import LedgerError
from privopt.ledger import Budget, Ledger, copying
from privopt.ledger.stores.registry import STORES
from privopt.ledger.stores.sqlite.rows import StoredRows

PLACE = "toy://shelf/loads"


@pytest.fixture
def ledger(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    """Charges with and without key and output, names, quotas, a limit, a redacted row."""
    monkeypatch.setitem(STORES, "toy", ToyStore)
    made = open_ledger(folder, 1, "1e-6", releaser="anna")
    charge(made, "first")
    charge(made)
    made.set_quota(Budget(1, "1e-6"), releaser="anna")
    made.set_limit(Budget(2, "1e-6"))
    charge(made, "second")
    with pytest.raises(ZeroDivisionError):
        made.charge(request("0.1", "1e-7"), lambda _: b"%d" % (1 // 0), "burnt")
    made.redact(2)
    yield made
    SHELVES.clear()


def test_rows_digests_and_head_are_kept_there_and_back(ledger: Ledger, folder: Path) -> None:
    rows = rows_of(ledger.path)
    there = ledger.copy(PLACE)
    assert SHELVES[PLACE] == rows
    back = there.copy(folder / "back.ledger")
    assert rows_of(back.path) == rows
    for one in (there, back):
        assert (one.head, one.spent, one.limit, one.quotas) == (
            ledger.head, ledger.spent, ledger.limit, ledger.quotas,
        )  # fmt: skip
        assert one.verify(ledger.head).redacted == 2
        assert one.fetch(key="second") == b"x"
        with pytest.raises(LedgerError, match="may only be read"):
            charge(one)
    with Ledger(back.path, releaser="anna") as used:  # as any copy: on record
        charge(used)
        assert [event.kind for event in used.recent(2)] == ["moved", "charge"]
    charge(ledger)  # and the original goes on, which is why nobody should use both


def test_a_place_that_holds_something_is_refused(ledger: Ledger, folder: Path) -> None:
    ledger.copy(PLACE)
    kept = SHELVES[PLACE]
    other, text = folder / "other.ledger", folder / "text"
    Ledger(other, Budget(1))
    text.write_text("mine")
    for place in (PLACE, other, text, ledger.path):
        before = None if place == PLACE else Path(place).read_bytes()
        for close in (False, True):
            with pytest.raises(LedgerError):
                ledger.copy(place, close=close)
        assert before is None or Path(place).read_bytes() == before
    assert SHELVES[PLACE] == kept
    charge(ledger)  # it was not closed


def test_a_damaged_ledger_is_not_copied(ledger: Ledger, folder: Path) -> None:
    ledger.close()
    forge(ledger.path, 3, of=1)
    with pytest.raises(LedgerError, match="row 3"):
        ledger.copy(folder / "copy.ledger")
    assert not (folder / "copy.ledger").exists()


def test_a_store_that_keeps_something_else_is_found(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = ToyRows.append
    monkeypatch.setattr(
        ToyRows, "append", lambda rows, row: None if row.seq == 5 else append(rows, row)
    )
    with pytest.raises(LedgerError, match="row 5"):
        ledger.copy(PLACE)
    assert PLACE not in SHELVES


@pytest.mark.parametrize("to", ["file", "toy"])
def test_a_closed_ledger_goes_on_in_one_place(ledger: Ledger, folder: Path, to: str) -> None:
    place = str(folder / "new.ledger") if to == "file" else PLACE
    spent, anchor = ledger.spent, folder / "anchor"
    ledger.anchor_at(anchor)
    closing = Ledger(ledger.path, releaser="anna", anchor=anchor)
    there = closing.copy(place, close=True)
    before = ledger.path.read_bytes()
    for attempt in (
        lambda: ledger.charge(request("0.1"), never),
        lambda: ledger.charge(request("0.1"), never, "second"),
        lambda: ledger.set_limit(Budget(3)),
        lambda: ledger.redact(4),
        lambda: ledger.copy(folder / "third.ledger", close=True),
        lambda: Ledger(ledger.path).charge(request("0.1"), never),
    ):
        with pytest.raises(LedgerError, match=r"was closed \(row \d+\): it goes on at .*"):
            attempt()
    assert ledger.path.read_bytes() == before
    assert not (folder / "third.ledger").exists() or not (folder / "third.ledger").stat().st_size
    assert ledger.fetch(key="second") == b"x"
    charge(there)  # with names and anchor of before
    assert there.spent == Budget(spent.exact[0] + Budget("0.1").exact[0], spent.exact[1])
    assert [event.kind for event in there.recent(3)] == ["closed", "moved", "charge"]
    assert there.verify().head == there.head
    assert anchor.read_text() == "{}:{}\n".format(*there.head)
    moved = shutil.copy(ledger.path, folder / "moved.ledger")  # nor can it be charged elsewhere
    with pytest.raises(LedgerError, match="was closed"):
        Ledger(moved, releaser="anna").charge(request("0.1"), never)
    forged = shutil.copy(ledger.path, folder / "forged.ledger")
    with pytest.raises(LedgerError, match="older copy"):
        Ledger(forged, anchor=anchor)


@pytest.mark.parametrize("close", [False, True])
@pytest.mark.parametrize("spill", [False, True])
def test_a_copy_that_is_killed_leaves_no_ledger(
    ledger: Ledger, folder: Path, close: bool, spill: bool
) -> None:
    place = folder / "new.ledger"
    ledger.close()

    def work() -> None:
        append, count = StoredRows.append, 0

        def kill(rows: StoredRows, row: Any) -> None:
            nonlocal count
            if rows.path == place:
                count += 1
                if spill:
                    rows.connection.execute("PRAGMA cache_size = 1")
                if count == 7:
                    os.kill(os.getpid(), signal.SIGKILL)
            append(rows, row)

        StoredRows.append = kill  # type: ignore[method-assign]
        Ledger(ledger.path).copy(place, close=close)

    assert join([fork(work)]) == [-signal.SIGKILL]
    with pytest.raises(LedgerError, match="no ledger|is empty"):
        Ledger(place)
    charge(ledger)
    assert ledger.copy(place, close=close).verify().charges == ledger.verify().charges


def test_a_copy_that_is_killed_when_the_source_is_closed_is_completed_by_another(
    ledger: Ledger, folder: Path
) -> None:
    place = folder / "new.ledger"
    ledger.close()

    def work() -> None:
        copying.take_over = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment]
        Ledger(ledger.path).copy(place, close=True)

    assert join([fork(work)]) == [-signal.SIGKILL]
    with pytest.raises(LedgerError, match="no ledger|is empty"):
        Ledger(place)
    with pytest.raises(LedgerError, match="it goes on at"):
        ledger.charge(request("0.1"), never)
    with pytest.raises(LedgerError, match="it goes on at"):
        ledger.copy(folder / "another.ledger", close=True)
    there = ledger.copy(place, close=True)
    charge(there)
    assert [event.kind for event in there.events].count("closed") == 1
