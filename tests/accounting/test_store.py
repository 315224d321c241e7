"""The file of a ledger: what SQLite was told about disks.

That a commit survives a power cut cannot be tested by killing processes; that it was asked for can.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from tests.accounting.requests import fork, join, open_ledger, request


def test_a_commit_waits_for_the_disk(folder: Path) -> None:
    ledger = open_ledger(folder)
    ledger.charge(request(0.1), lambda _: b"")
    with ledger._store.reading() as connection:
        asked = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "fullfsync", "trusted_schema")
        }
    assert asked == {
        "journal_mode": "delete",
        "synchronous": 3,
        "fullfsync": 1,
        "trusted_schema": 0,
    }


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
def test_no_open_file_is_carried_across_a_fork(folder: Path) -> None:
    """SQLite forbids it: what goes wrong is rare and silent, so the file itself is looked at."""
    ledger = open_ledger(folder)
    ledger.charge(request(0.1), lambda _: b"")
    place = str(ledger.path)

    def work() -> None:
        for each in os.listdir("/proc/self/fd"):
            with contextlib.suppress(FileNotFoundError):  # the listing itself
                assert not os.readlink(f"/proc/self/fd/{each}").startswith(place)
        ledger.charge(request(0.1), lambda _: b"")

    assert join([fork(work)]) == [0]
    ledger.charge(request(0.1), lambda _: b"")
    assert ledger.verify().charges == 3
