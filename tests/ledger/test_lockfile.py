"""A lock that is a file: one holds it, it ends with its holder, and nothing is left of it."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from tests.ledger.requests import fork, join

from privopt.errors import LedgerError
from privopt.ledger import lockfile


def late() -> LedgerError:
    return LedgerError("late.", "x.", "y.")


def held(path: Path, timeout: float = 60.0) -> AbstractContextManager[None]:
    return lockfile.held(
        path, timeout, late, lambda error: LedgerError(f"no: {error.strerror}.", "x.", "y.")
    )


def test_the_second_waits_and_the_file_goes(folder: Path) -> None:
    path = folder / "lock"
    with held(path):
        assert path.exists()
        with pytest.raises(LedgerError, match="late"), held(path, 0.02):
            pass
        assert path.exists()
    assert not path.exists()
    with held(path, 0.0):
        pass


def test_it_ends_with_a_process_that_is_killed_and_no_child_holds_it(folder: Path) -> None:
    path = folder / "lock"

    def die() -> None:
        with held(path):
            os.kill(os.getpid(), signal.SIGKILL)

    assert join([fork(die)]) == [-signal.SIGKILL]
    with held(path, 0.0):
        child = fork(lambda: None)
    with held(path, 0.0):  # the child, alive or not, does not hold it
        pass
    assert join([child]) == [0]


def test_threads_and_processes_are_never_inside_together(folder: Path) -> None:
    path, count = folder / "lock", folder / "count"
    count.write_text("0")

    def work() -> None:
        for _ in range(20):
            with held(path):
                count.write_text(str(int(count.read_text()) + 1))

    children = [fork(work) for _ in range(2)]
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert join(children) == [0, 0]
    assert count.read_text() == "80"


def test_a_place_where_no_file_can_be_is_said(folder: Path) -> None:
    with pytest.raises(LedgerError, match="no: No such file"), held(folder / "none" / "lock"):
        pass
    (folder / "link").symlink_to(folder / "elsewhere")
    with pytest.raises(LedgerError, match="no: "), held(folder / "link"):
        pass
    assert not (folder / "elsewhere").exists()
