"""The file of a ledger: what SQLite was told about disks.

That a commit survives a power cut cannot be tested by killing processes; that it was asked for can.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.ledger.requests import fork, join, never, open_ledger, request, sqlite

from privopt.errors import LedgerError
from privopt.ledger import Budget, Ledger, chain
from privopt.ledger.stores.sqlite.connecting import Connection
from privopt.ledger.stores.sqlite.schema import STATEMENTS

needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")


def open_files(folder: Path) -> list[str]:
    """Files of a folder that this process has open."""
    found: list[str] = []
    for each in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # the listing itself
            found.append(os.readlink(f"/proc/self/fd/{each}"))
    return [path for path in found if path.startswith(str(folder))]


def test_a_commit_waits_for_the_disk(folder: Path) -> None:
    ledger = open_ledger(folder)
    ledger.charge(request(0.1), lambda _: b"")
    with sqlite(ledger).reading() as rows:
        asked = {
            name: rows.connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "fullfsync", "trusted_schema")
        }
    assert asked == {
        "journal_mode": "delete",
        "synchronous": 3,
        "fullfsync": 1,
        "trusted_schema": 0,
    }


def test_a_scan_that_failed_locks_nobody_out(folder: Path) -> None:
    """Also while someone holds the scan; or the error, and with it the frames of the scan."""
    ledger = open_ledger(folder)
    for _ in range(3):
        ledger.charge(request(0.1), lambda _: b"")
    with contextlib.closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        other.execute("DROP TRIGGER never_changed")
        other.execute("UPDATE entries SET time = 'x' WHERE seq = 4")
        other.execute(STATEMENTS[1])
        for look in (ledger.verify, lambda: ledger.events):
            with pytest.raises(LedgerError, match="row 4") as kept:
                look()
            other.execute("PRAGMA busy_timeout = 0")
            other.execute("BEGIN EXCLUSIVE")
            other.execute("ROLLBACK")
            assert kept.value.row == 4
        with sqlite(ledger).reading() as rows:
            held = rows.rows(1)
            first = next(held)
        other.execute("BEGIN EXCLUSIVE")
        other.execute("ROLLBACK")
        assert first.seq == 1


@pytest.mark.parametrize("sql", ["PRAGMA journal_mode", "COMMIT", "PRAGMA user_version"])
def test_a_statement_that_an_interrupt_cut_off_is_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    """Also while someone holds the interrupt: the next transaction ends as ever."""
    ledger, real = open_ledger(folder), sqlite3.Cursor.execute

    class Struck(sqlite3.Cursor):
        def execute(self, given: str, *parameters: object) -> sqlite3.Cursor:  # type: ignore[override]
            real(self, given, *parameters)  # pyright: ignore[reportArgumentType]
            if given == sql:
                raise KeyboardInterrupt
            return self

    with monkeypatch.context() as patched:
        patched.setattr(Connection, "cursor", lambda self: sqlite3.Connection.cursor(self, Struck))
        with pytest.raises(KeyboardInterrupt) as kept:
            ledger.charge(request(0.1), lambda _: b"")
    assert ledger.charge(request(0.1), lambda _: b"x") == b"x"
    assert kept.value is not None


@needs_proc
def test_no_open_file_is_carried_across_a_fork(folder: Path) -> None:
    """SQLite forbids it: what goes wrong is rare and silent, so the file itself is looked at."""
    ledger = open_ledger(folder)
    ledger.charge(request(0.1), lambda _: b"")

    def work() -> None:
        assert not open_files(folder)
        ledger.charge(request(0.1), lambda _: b"")

    assert join([fork(work)]) == [0]
    ledger.charge(request(0.1), lambda _: b"")
    assert ledger.verify().charges == 3


@needs_proc
def test_no_file_that_other_threads_open_is_carried_across_a_fork(folder: Path) -> None:
    """Threads make, open, charge and close ledgers all the time; no child sees one of them."""
    stop, made = threading.Event(), [0]

    def churn(number: int) -> None:
        while not stop.is_set():
            path = folder / f"{number}-{made[0]}"
            with Ledger(path, Budget(1)) as ledger:
                ledger.charge(request(0.1), lambda _: b"", "k")
            made[0] += 1

    threads = [threading.Thread(target=churn, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()

    def work() -> None:
        seen = open_files(folder)
        assert not seen, seen

    codes = [join([fork(work)])[0] for _ in range(20)]
    stop.set()
    for thread in threads:
        thread.join()
    assert codes == [0] * 20
    assert made[0] > 0


@needs_proc
def test_a_child_that_is_forked_while_a_release_is_made_holds_no_lock(folder: Path) -> None:
    ledger = open_ledger(folder)

    def work() -> None:
        assert not open_files(folder)

    def make(_: object) -> bytes:
        assert join([fork(work)]) == [0]
        assert [path.name for path in folder.glob("*-key-*")]  # the parent still has its turn
        return b"x"

    assert ledger.charge(request(0.1), make, "k") == b"x"
    assert [path.name for path in folder.iterdir()] == ["loads.ledger"]


@pytest.fixture
def on_signal() -> Callable[[Callable[[], object]], list[object]]:
    """Let a signal handler do something now; what it got, or what it raised."""

    def run(work: Callable[[], object]) -> list[object]:
        got: list[object] = []

        def handler(*_: object) -> None:
            try:
                got.append(work())
            except LedgerError as error:
                got.append(error)

        before = signal.signal(signal.SIGUSR1, handler)
        os.kill(os.getpid(), signal.SIGUSR1)
        signal.signal(signal.SIGUSR1, before)
        return got

    return run


def test_a_signal_handler_that_looks_leaves_the_transaction_alone(
    folder: Path, on_signal: Callable[[Callable[[], object]], list[object]]
) -> None:
    ledger = open_ledger(folder)
    with sqlite(ledger).writing() as rows:
        head = chain.last(rows)
        rows.append(head.after("limit", limit=Budget(7).limit))
        assert on_signal(lambda: (ledger.limit, ledger.spent)) == [(Budget(1), Budget(0))]
        refused = on_signal(lambda: ledger.charge(request(0.1), never))
        assert "Nothing was released" in str(refused[0])
        assert on_signal(ledger.close) == [None]
    assert ledger.limit == Budget(7)
    ledger.charge(request(0.1), lambda _: b"")
    ledger.verify()


def test_a_second_thread_that_looks_waits_for_the_transaction(folder: Path) -> None:
    ledger, seen = open_ledger(folder), list[Budget]()
    thread = threading.Thread(target=lambda: seen.append(ledger.limit))
    with sqlite(ledger).writing() as rows:
        head = chain.last(rows)
        rows.append(head.after("limit", limit=Budget(7).limit))
        thread.start()
        thread.join(0.05)
        assert not seen
    thread.join()
    assert seen == [Budget(7)]


@pytest.mark.parametrize("late", [False, True])
def test_a_transaction_that_an_interrupt_cut_off_is_over(folder: Path, late: bool) -> None:
    """Also while the exception, and with it the frame, is still held by someone."""
    ledger = open_ledger(folder)

    def broken() -> None:
        transaction = sqlite(ledger).writing()
        rows = transaction.__enter__()
        head = chain.last(rows)
        rows.append(head.after("limit", limit=Budget(7).limit))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        broken()
    held = [] if late else [caught]
    del caught
    ledger.charge(request(0.1), lambda _: b"")
    assert ledger.limit == Budget(1)
    assert ledger.verify().rows == 3
    held.clear()  # the transaction that is over does not touch what came after it
    ledger.charge(request(0.1), lambda _: b"")


def test_a_fork_in_the_middle_of_a_transaction_ends_it(
    folder: Path, on_signal: Callable[[Callable[[], object]], list[object]]
) -> None:
    """Only a signal handler can do that; nothing is written, and it is said."""
    ledger = open_ledger(folder)

    def limited() -> None:
        with sqlite(ledger).writing() as rows:
            head = chain.last(rows)
            rows.append(head.after("limit", limit=Budget(7).limit))
            assert on_signal(lambda: join([fork(lambda: None)])) == [[0]]

    with pytest.raises(LedgerError, match="Nothing was released"):
        limited()
    assert ledger.limit == Budget(1)
    ledger.charge(request(0.1), lambda _: b"")
