"""One ledger, one truth: links, moves, copies, kills and what is left beside the file.

Nothing here may let a charge that was released be forgotten. Where the state cannot be told, the
ledger is refused; what is accepted holds every charge whose release anyone saw.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.ledger.damage import (
    PAGE,
    as_nobody,
    charge,
    half_written,
    kill_in_transaction,
    killed_in_commit,
)
from tests.ledger.requests import fork, join, never, open_ledger, request

from privopt.errors import BudgetExceededError, LedgerError
from privopt.ledger import Budget, Ledger

FOREIGN = "does not belong to it"


def beside(path: Path, ending: str = "-journal") -> Path:
    return path.with_name(path.name + ending)


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    made = open_ledger(folder, 1)
    charge(made, "first", 3 * PAGE)
    made.close()
    return made


def test_a_ledger_that_was_killed_and_moved_has_all_its_charges(folder: Path) -> None:
    path = open_ledger(folder, "0.1").path

    def work() -> None:
        charge(Ledger(path))
        os.kill(os.getpid(), signal.SIGKILL)

    assert join([fork(work)]) == [-signal.SIGKILL]
    (folder / "new").mkdir()
    shutil.move(path, folder / "new" / "a.ledger")
    moved = Ledger(folder / "new" / "a.ledger")
    with pytest.raises(BudgetExceededError):
        moved.charge(request("0.1"), never)
    assert [event.kind for event in moved.events] == ["opened", "charge", "moved"]


@pytest.mark.parametrize("spill", [False, True])
@pytest.mark.parametrize("read_only", [False, True])
def test_an_interrupted_write_is_undone(ledger: Ledger, spill: bool, read_only: bool) -> None:
    before = ledger.path.read_bytes()
    kill_in_transaction(ledger.path, spill=spill)
    assert (ledger.path.read_bytes() != before) == spill
    assert beside(ledger.path).exists()
    assert Ledger(ledger.path, read_only=read_only).verify().spent == Budget("0.1")
    assert ledger.path.read_bytes() == before
    charge(ledger)
    assert not beside(ledger.path).exists()


def test_an_interrupted_write_is_told_to_who_may_not_undo_it(ledger: Ledger) -> None:
    kill_in_transaction(ledger.path)
    ledger.path.parent.chmod(0o755)
    for path in ledger.path.parent.iterdir():
        path.chmod(0o644)

    def work() -> None:
        with pytest.raises(LedgerError, match="must be undone first.*by its owner"):
            Ledger(ledger.path, read_only=True)

    if os.getuid() == 0:
        assert as_nobody(work) == 0
    assert beside(ledger.path).exists()


def test_a_journal_that_moves_along_undoes_the_write(ledger: Ledger) -> None:
    kill_in_transaction(ledger.path)
    new = ledger.path.rename(ledger.path.with_name("new"))
    with pytest.raises(LedgerError):  # half written
        Ledger(new).charge(request("0.1"), never)
    beside(ledger.path).rename(beside(new))
    charge(Ledger(new))
    assert Ledger(new).verify().spent == Budget("0.2")


@pytest.mark.parametrize("charges", [1, 2, 5])
@pytest.mark.parametrize("spill", [False, True])
def test_a_journal_left_behind_undoes_no_charge(ledger: Ledger, charges: int, spill: bool) -> None:
    """Killed here, moved and charged there, moved back: SQLite would play the journal back."""
    whole = ledger.path.read_bytes()
    kill_in_transaction(ledger.path, spill=spill)
    new = ledger.path.with_name("new")
    ledger.path.rename(new)
    if spill:
        new.write_bytes(whole)  # as if the kill had struck before the first page was written
    with Ledger(new) as moved:
        for _ in range(charges):
            charge(moved)
    new.rename(ledger.path)
    for read_only in (False, True):
        if spill:  # otherwise it was never synced, and SQLite leaves it alone
            with pytest.raises(LedgerError, match=FOREIGN):
                Ledger(ledger.path, read_only=read_only)
    if spill:
        beside(ledger.path).rename(new)
    assert Ledger(ledger.path).verify().spent == Budget(f"0.{1 + charges}")
    charge(Ledger(ledger.path))


@pytest.mark.parametrize("what", ["a limit", "a burnt charge"])
def test_a_journal_left_behind_does_not_undo_a_single_write(ledger: Ledger, what: str) -> None:
    whole, new = ledger.path.read_bytes(), ledger.path.with_name("new")
    kill_in_transaction(ledger.path)
    ledger.path.rename(new)
    new.write_bytes(whole)
    with Ledger(new) as moved:
        if what == "a limit":
            moved.set_limit(Budget("0.5"))
        else:
            with pytest.raises(ZeroDivisionError):
                moved.charge(request("0.5"), lambda _: bytes(1 // 0))
    new.rename(ledger.path)
    with pytest.raises(LedgerError, match=FOREIGN):
        Ledger(ledger.path)
    beside(ledger.path).unlink()
    assert Ledger(ledger.path).left == Budget("0.4")


@pytest.mark.parametrize("charges", [0, 1, 2])
def test_a_journal_of_a_first_write_undoes_no_charge(ledger: Ledger, charges: int) -> None:
    """Moved and killed there, moved back and charged here, where no move is put on record."""
    whole, there = ledger.path.read_bytes(), ledger.path.with_name("there")
    ledger.path.rename(there)
    kill_in_transaction(there)
    there.write_bytes(whole)  # as if the kill had struck before the first page was written
    there.rename(ledger.path)
    with Ledger(ledger.path) as here:
        for _ in range(charges):
            with pytest.raises(ZeroDivisionError):  # one transaction, where a release takes two
                here.charge(request("0.1"), lambda _: bytes(1 // 0))
    ledger.path.rename(there)
    if charges > 1:
        with pytest.raises(LedgerError, match=FOREIGN):
            Ledger(there)
        beside(there).unlink()
    assert Ledger(there).verify().spent == Budget(f"0.{1 + charges}")


def test_a_single_row_elsewhere_does_not_spoil_the_file(ledger: Ledger) -> None:
    """The row that says that the file was moved, and nothing more."""
    whole, new = ledger.path.read_bytes(), ledger.path.with_name("new")
    kill_in_transaction(ledger.path)
    ledger.path.rename(new)
    new.write_bytes(whole)
    with Ledger(new) as moved, pytest.raises(BudgetExceededError):
        moved.charge(request(10**9), never)  # refused, once the file is taken over
    after = new.read_bytes()
    new.rename(ledger.path)
    assert Ledger(ledger.path, read_only=True).verify().rows == 4
    assert ledger.path.read_bytes() == after
    assert not beside(ledger.path).exists()
    charge(Ledger(ledger.path))


def test_a_complete_write_that_moves_with_its_journal_stays(ledger: Ledger) -> None:
    """Killed when all is written and the journal is not yet deleted."""
    kill_in_transaction(ledger.path)
    journal = beside(ledger.path).read_bytes()
    assert Ledger(ledger.path).spent == Budget("0.1")  # undone; the journal is that of the state
    with pytest.raises(ZeroDivisionError):
        ledger.charge(request("0.1"), lambda _: bytes(1 // 0))
    ledger.close()
    new = ledger.path.rename(ledger.path.with_name("new"))
    beside(new).write_bytes(journal)
    assert Ledger(new).verify().spent == Budget("0.2")
    charge(Ledger(new))


@pytest.mark.parametrize("what", ["a limit", "a burnt charge"])
def test_a_journal_that_comes_back_undoes_nothing(ledger: Ledger, what: str) -> None:
    """Another write was made in place of the one that was cut off, under the same name."""
    kill_in_transaction(ledger.path)
    journal = beside(ledger.path).read_bytes()
    with Ledger(ledger.path) as here:
        if what == "a limit":
            here.set_limit(Budget("0.3"))
        else:
            with pytest.raises(ZeroDivisionError):
                here.charge(request("0.7"), lambda _: bytes(1 // 0))
    beside(ledger.path).write_bytes(journal)
    assert Ledger(ledger.path).left == Budget("0.2")
    assert not beside(ledger.path).exists()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/null")])
def test_what_is_no_file_in_the_place_of_a_journal_is_refused(
    ledger: Ledger, make: Callable[[Path], None]
) -> None:
    make(beside(ledger.path))
    for read_only in (False, True):
        with pytest.raises(LedgerError, match=FOREIGN):
            Ledger(ledger.path, read_only=read_only)


def test_a_foreign_journal_is_not_played_back(folder: Path, ledger: Ledger) -> None:
    """Two young ledgers with as many writes each: their first pages differ in the mark alone."""
    other = Ledger(folder / "other.ledger", Budget(1))
    charge(other, "another", 3 * PAGE)
    other.close()
    kill_in_transaction(other.path)
    shutil.copy(beside(other.path), beside(ledger.path))
    before = ledger.path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(LedgerError, match=FOREIGN):
            Ledger(ledger.path, read_only=read_only)
    assert ledger.path.read_bytes() == before
    beside(ledger.path).unlink()
    assert ledger.verify().spent == Budget("0.1")


def test_a_journal_of_the_first_write_does_not_empty_a_ledger(folder: Path) -> None:
    path = folder / "a"

    def work() -> None:
        with sqlite3.connect(path, isolation_level=None) as connection:
            connection.execute("PRAGMA cache_size = 1")
            connection.execute("BEGIN IMMEDIATE")
            for number in range(50):
                connection.execute(f"CREATE TABLE t{number} (x)")
            os.kill(os.getpid(), signal.SIGKILL)

    assert join([fork(work)]) == [-signal.SIGKILL]
    journal = beside(path).read_bytes()
    assert journal[:1] == b"\xd9"
    path.unlink()
    beside(path).unlink()
    ledger = Ledger(path, Budget(1))
    charge(ledger)
    ledger.close()
    beside(path).write_bytes(journal)
    with pytest.raises(LedgerError, match=FOREIGN):
        Ledger(path, Budget(1))
    beside(path).unlink()
    assert ledger.spent == Budget("0.1")


def test_a_log_beside_a_ledger_is_not_read(ledger: Ledger) -> None:
    """SQLite reads a -wal wherever it finds one, and a state of long ago may be in it."""
    other = ledger.path.with_name("other")
    shutil.copy(ledger.path, other)
    connection = sqlite3.connect(other)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE x (y)")
    connection.commit()
    shutil.copy(beside(other, "-wal"), beside(ledger.path, "-wal"))
    connection.close()
    for read_only in (False, True):
        with pytest.raises(LedgerError, match=FOREIGN):
            Ledger(ledger.path, read_only=read_only)
    with pytest.raises(LedgerError, match=FOREIGN):
        ledger.charge(request("0.1"), never)


@pytest.mark.long
def test_half_written_transactions_without_their_journal(folder: Path) -> None:
    """Any of a transaction's pages written: the state before, the state after, or refused."""
    path, rng = folder / "a", np.random.default_rng(1)
    ledger = Ledger(path, Budget(1000))
    pairs: list[tuple[int, bytes, bytes]] = []
    before = path.read_bytes()
    for number in range(60):
        charge(ledger, f"key {number}", 700)
        after = path.read_bytes()
        changed = sum(
            before[i : i + PAGE] != after[i : i + PAGE] for i in range(0, len(after), PAGE)
        )
        pairs.append((changed, before, after))
        before = after
    ledger.close()
    pairs.sort(key=lambda pair: -pair[0])
    accepted = refused = 0
    for _, before, after in (*pairs[:3], *pairs[-2:]):
        # Two transactions: a charge and its output.
        spent = []
        for content in (before, after):
            path.write_bytes(content)
            spent.append(Ledger(path, read_only=True).spent)
        for number, content in enumerate(half_written(before, after, rng)):
            for place in (path, folder / f"moved {number}"):
                place.write_bytes(content)
                try:
                    with Ledger(place) as opened:
                        seen = opened.spent
                        assert seen in spent
                        charge(opened)
                        assert opened.spent.exact[0] == seen.exact[0] + Budget("0.1").exact[0]
                    accepted += 1
                except LedgerError:
                    refused += 1
                if place != path:
                    place.unlink(missing_ok=True)
    assert accepted >= 10
    assert refused > accepted


def test_a_kill_while_the_commit_writes(folder: Path) -> None:
    """The file stands between two states; its journal makes it the first one again."""
    ledger = open_ledger(folder, 1000)
    for number in range(5):
        charge(ledger, size=number * PAGE)
    ledger.close()
    whole, spent = ledger.path.read_bytes(), ledger.spent
    ledger.close()
    torn = 0
    for more in range(5):
        ledger.path.write_bytes(whole)
        if not killed_in_commit(ledger.path, len(whole) + more * PAGE):
            continue
        charged = Ledger(ledger.path, read_only=True).spent
        assert charged.exact[0] - spent.exact[0] in (0, Budget("0.1").exact[0])
        torn += ledger.path.read_bytes()[:PAGE] != whole[:PAGE]
        charge(ledger)
        ledger.verify()
        ledger.close()
    assert torn
