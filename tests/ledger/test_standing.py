"""A Ctrl-C around a charge: whatever it strikes, it says whether the charge stands."""

from __future__ import annotations

import signal
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.ledger.requests import open_ledger, request

from privopt.ledger import Budget, Ledger
from privopt.ledger.stores.sqlite.connecting import Connection

OUTPUT = b"output"


@pytest.fixture(autouse=True)
def default() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def stopped(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, presses: set[int], *, late: bool
) -> str:
    """The note of a charge in which Ctrl-C is pressed at some COMMITs, before or after them."""
    real, seen = Connection.execute, [0]

    def execute(self: Connection, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        seen[0] += sql == "COMMIT"
        pressed = sql == "COMMIT" and seen[0] in presses
        if pressed and not late:
            signal.raise_signal(signal.SIGINT)
        begun = real(self, sql, parameters)
        if pressed:  # as one that comes while the disk is waited for
            signal.raise_signal(signal.SIGINT)
        return begun

    with monkeypatch.context() as patched:
        patched.setattr(Connection, "execute", execute)
        with pytest.raises(KeyboardInterrupt) as stop:
            ledger.charge(request("0.1"), lambda _: OUTPUT, "k")
    (note,) = stop.value.__notes__
    return note


def test_while_the_charge_is_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = open_ledger(folder, 1)
    note = stopped(ledger, monkeypatch, {1}, late=True)
    assert note.startswith("Row 2 of the ledger was charged; the charge stays. No output")
    assert ledger.spent == Budget("0.1")


def test_before_the_charge_is_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = open_ledger(folder, 1)
    assert stopped(ledger, monkeypatch, {1}, late=False) == "Nothing was charged."
    assert ledger.spent == Budget(0)
    assert ledger.charge(request("0.1"), lambda _: OUTPUT, "k") == OUTPUT


def test_while_the_output_is_stored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = open_ledger(folder, 1)
    note = stopped(ledger, monkeypatch, {2}, late=True)
    assert note.startswith("Row 2 of the ledger was charged, and keeps the release.")
    assert note.endswith(f"privopt ledger fetch {ledger.path} --row 2")
    assert ledger.fetch(row=2) == OUTPUT


def test_before_the_output_is_stored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = open_ledger(folder, 1)
    note = stopped(ledger, monkeypatch, {2}, late=False)
    assert note.startswith("Row 2 of the ledger was charged; the charge stays. No output")


def test_one_more_while_the_ledger_is_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = open_ledger(folder, 1)
    note = stopped(ledger, monkeypatch, {1, 2}, late=True)
    assert note.startswith("Whether row 2 of the ledger was charged could not be seen.")
    assert note.endswith(f"privopt ledger show {ledger.path} --last 1")
    assert ledger.spent == Budget("0.1")


def test_another_charge_in_the_same_row_is_not_taken_for_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was rolled back, and before the ledger is asked someone else charges."""
    ledger, other = open_ledger(folder, 1), Ledger(folder / "loads.ledger")
    find = ledger.find

    def late(row: int) -> Any:
        other.charge(request("0.2"), lambda _: OUTPUT, "other")
        return find(row)

    monkeypatch.setattr(ledger, "find", late)
    assert stopped(ledger, monkeypatch, {1}, late=False) == "Nothing was charged."
    assert ledger.spent == Budget("0.2")


def test_of_a_replay_nothing_is_said(folder: Path) -> None:
    ledger = open_ledger(folder, 1)
    ledger.charge(request("0.1"), lambda _: OUTPUT, "k")
    ledger.charge(request("0.1"), lambda _: OUTPUT, "k")
    stop = KeyboardInterrupt()
    ledger.tell(stop)
    assert not hasattr(stop, "__notes__")


@pytest.mark.parametrize("nested", [False, True], ids=["another thread", "inside of it"])
def test_the_row_is_that_of_the_charge_itself(
    folder: Path, monkeypatch: pytest.MonkeyPatch, nested: bool
) -> None:
    """Another charge of the same ledger comes between, and is not the one that is stopped."""
    ledger = open_ledger(folder, 1)

    def other() -> None:
        ledger.charge(request("0.1"), lambda _: b"other", "other")

    def make(_: object) -> bytes:
        if nested:
            other()
        else:
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
        monkeypatch.setattr(ledger.store, "writing", pressed)
        return OUTPUT

    def pressed(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as stop:
        ledger.charge(request("0.1"), make, "k")
    (note,) = stop.value.__notes__
    assert note.startswith("Row 2 of the ledger was charged; the charge stays. No output")
