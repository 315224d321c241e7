"""The file of a ledger: what SQLite was told about disks.

That a commit survives a power cut cannot be tested by killing processes; that it was asked for can.
"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.ledger.descriptors import needs_proc, open_files
from tests.ledger.requests import fork, join, open_ledger, request

from privopt.ledger import Budget, Ledger


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


@pytest.mark.long
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
