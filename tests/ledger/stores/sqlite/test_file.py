"""One file, one name: a second name is refused, and a move is on record."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.ledger.damage import (
    PAGE,
    charge,
)
from tests.ledger.requests import never, open_ledger, request, sqlite

from privopt.errors import LedgerError
from privopt.ledger import Budget, Ledger


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    made = open_ledger(folder, 1)
    charge(made, "first", 3 * PAGE)
    made.close()
    return made


def test_a_second_name_is_refused_when_opening_and_while_open(ledger: Ledger) -> None:
    other = ledger.path.with_name("other")
    charge(ledger)
    os.link(ledger.path, other)
    for path in (ledger.path, other):
        for read_only in (False, True):
            with pytest.raises(LedgerError, match="2 names"):
                Ledger(path, read_only=read_only)
    with pytest.raises(LedgerError, match="2 names"):
        ledger.charge(request("0.1"), never)
    other.unlink()
    charge(ledger)
    assert ledger.spent == Budget("0.3")


def test_a_name_that_comes_while_the_lock_is_awaited_is_refused(ledger: Ledger) -> None:
    """Also inside of the transaction is it looked for."""
    execute = sqlite(ledger).file.check_inside

    def check(connection: sqlite3.Connection, *, write: bool) -> None:
        os.link(ledger.path, ledger.path.with_name("other"))
        execute(connection, write=write)

    sqlite(ledger).file.check_inside = check
    with pytest.raises(LedgerError, match="2 names"):
        ledger.charge(request("0.1"), never)


def test_a_move_is_on_record_once_and_checked_in_full(ledger: Ledger) -> None:
    new = ledger.path.rename(ledger.path.with_name("new"))
    moved = Ledger(new)
    for _ in range(3):
        charge(moved)
    kinds = [event.kind for event in moved.events]
    assert kinds == ["opened", "charge", "moved", "charge", "charge", "charge"]
    moved.close()
    copy = Path(shutil.copy(new, new.with_name("copy")))
    with sqlite3.connect(copy) as connection:
        connection.execute("DROP TRIGGER never_changed")
        connection.execute("UPDATE entries SET time = '' WHERE seq = 5")
        sql = "SELECT sql FROM sqlite_master WHERE name = 'never_changed'"
        with sqlite3.connect(new) as whole:
            connection.execute(whole.execute(sql).fetchone()[0])
    assert Ledger(copy).spent == Budget("0.4")  # the last row is whole
    with pytest.raises(LedgerError, match="row 5 .* altered"):
        Ledger(copy).charge(request("0.1"), never)


def test_a_ledger_that_was_turned_to_keep_a_log_is_refused_until_it_is_turned_back(
    ledger: Ledger,
) -> None:
    connection = sqlite3.connect(ledger.path)
    assert connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal"
    connection.close()
    for look in (lambda: Ledger(ledger.path, read_only=True), lambda: charge(ledger)):
        with pytest.raises(LedgerError, match="write-ahead log.*PRAGMA journal_mode = DELETE"):
            look()
    assert sorted(path.name for path in ledger.path.parent.iterdir()) == ["loads.ledger"]
    connection = sqlite3.connect(ledger.path)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    charge(ledger)
    assert ledger.verify().spent == Budget("0.2")


BIND = """
import os, sys
from pathlib import Path
from tests.ledger.damage import charge
from privopt.ledger import Budget, Ledger
from privopt.errors import LedgerError
a, b = Path(sys.argv[1]), Path(sys.argv[2])
first, second = Ledger(a), Ledger(b)
made = 0
for number in range(8):
    try:
        charge((first, second)[number % 2])
        made += 1
    except LedgerError as error:
        print(error)
assert made == 4, made
for ledger in (first, second):
    assert ledger.spent == ledger.limit
    ledger.verify()
"""


def test_a_file_bound_to_a_second_name_is_the_same_ledger(folder: Path) -> None:
    ledger = open_ledger(folder, "0.4")
    ledger.close()
    other = folder / "x" / "b.ledger"
    other.parent.mkdir()
    other.touch()
    if shutil.which("unshare") is None:
        pytest.skip("no unshare")
    line = 'mount --bind "$1" "$2" && exec "$3" -c "$4" "$1" "$2"'
    command = ["unshare", "-m", "sh", "-c", line, "sh", ledger.path, other, sys.executable, BIND]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if "mount:" in run.stderr or "unshare" in run.stderr:
        pytest.skip(f"no file can be bound here: {run.stderr:.80}")
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("Nothing was charged or released") == 4


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
def test_no_ledger_takes_the_name_of_what_belongs_to_another(ledger: Ledger, end: str) -> None:
    path = Path(f"{ledger.path}{end}")
    with pytest.raises(LedgerError, match="keeps beside another ledger"):
        Ledger(path, limit=Budget(1))
    assert not path.exists()
    assert ledger.verify()
