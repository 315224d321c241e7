"""Locks: kept where a copy is made, dropped where a process ends, and files for their owner."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.ledger.damage import (
    PAGE,
    charge,
)
from tests.ledger.descriptors import needs_proc, open_files
from tests.ledger.requests import fork, join, open_ledger, request, sqlite

from privopt.ledger import Budget, Ledger


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


def beside(path: Path, ending: str = "-journal") -> Path:
    return path.with_name(path.name + ending)


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    made = open_ledger(folder, 1)
    charge(made, "first", 3 * PAGE)
    made.close()
    return made


def test_a_copy_made_in_the_same_process_does_not_unlock_the_ledger(ledger: Ledger) -> None:
    """Closing any descriptor of a file drops the POSIX locks on it that SQLite holds."""
    if sys.platform != "linux":
        pytest.skip("flock and POSIX locks are one kind here")

    with sqlite(ledger).writing() as rows:
        rows.connection.execute("UPDATE entries SET output = NULL")
        shutil.copy(ledger.path, ledger.path.with_name("copy"))
        run = subprocess.run(  # it does not fork as Python does: the store stays open
            [sys.executable, "-c", LATE, ledger.path], capture_output=True, text=True, check=False
        )
    assert "locked for too long" in run.stderr
    charge(ledger)
    assert ledger.verify().spent == Budget("0.2")


LATE = """
import sys
from tests.ledger.damage import charge
from privopt.ledger import Ledger
charge(Ledger(sys.argv[1], timeout=0.2))
"""


def test_only_its_owner_can_read_a_new_ledger_and_rights_stay(folder: Path) -> None:
    old = os.umask(0)
    try:
        ledger = open_ledger(folder)
        charge(ledger)
        with sqlite(ledger).writing() as rows:
            rows.connection.execute("UPDATE entries SET output = NULL")
            assert beside(ledger.path).stat().st_mode & 0o777 == 0o600
        charge(ledger)
    finally:
        os.umask(old)
    assert ledger.path.stat().st_mode & 0o777 == 0o600
    ledger.path.chmod(0o640)
    charge(ledger)
    Ledger(ledger.path).close()
    assert ledger.path.stat().st_mode & 0o777 == 0o640
