"""Ledgers that were killed, half written, moved: how the tests make them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
from tests.ledger.requests import fork, join, request, sqlite

from privopt.ledger import Ledger

PAGE = 4096


def charge(ledger: Ledger, key: str | None = None, size: int = 1) -> bytes:
    """A release at a price of a tenth."""
    return ledger.charge(request("0.1"), lambda _: b"x" * size, key)


def kill_in_transaction(path: Path, *, spill: bool = True) -> None:
    """A process dies in the middle of a transaction; its journal is hot.

    With `spill` the small cache makes SQLite write pages of the transaction into the file before
    its end, after the journal is on the disk.
    """

    def work() -> None:
        store = sqlite(Ledger(path))
        with store.writing() as rows:
            if spill:
                rows.connection.execute("PRAGMA cache_size = 1")
                rows.connection.execute("PRAGMA cache_spill = 1")
            rows.connection.execute("UPDATE entries SET output = NULL")
            rows.connection.execute("UPDATE entries SET request = NULL")
            rows.connection.execute("PRAGMA user_version = 77")
            os.kill(os.getpid(), signal.SIGKILL)

    assert join([fork(work)]) == [-signal.SIGKILL]


def killed_in_commit(path: Path, size: int) -> bool:
    """A process dies while its COMMIT writes a charge: the system ends who writes beyond a size.

    Returns whether it died; what fits the size is written.
    """
    import resource

    def work() -> None:
        ledger = Ledger(path)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        charge(ledger, size=3 * PAGE)

    return join([fork(work)]) == [-signal.SIGXFSZ]


def half_written(before: bytes, after: bytes, rng: np.random.Generator) -> Iterator[bytes]:
    """The file with some of a transaction's pages written: all beginnings, and any others."""
    count = max(len(before), len(after)) // PAGE
    old = [before[i * PAGE : (i + 1) * PAGE] for i in range(count)]
    new = [after[i * PAGE : (i + 1) * PAGE] for i in range(count)]
    changed = [i for i in range(count) if old[i] != new[i]]
    beginnings = {tuple(changed[:n]) for n in range(len(changed) + 1)}
    ones = set(combinations(changed, 1)) | set(combinations(changed, len(changed) - 1))
    others = {tuple(i for i in changed if rng.random() < 0.5) for _ in range(20)}
    for written in sorted(beginnings | ones | others):
        pages = [new[i] if i in written else old[i] for i in range(count)]
        while pages and not pages[-1]:
            pages.pop()
        yield b"".join(page or bytes(PAGE) for page in pages)


def as_nobody(work: Callable[[], None]) -> int:
    """Run work in a child without rights of its own."""

    def child() -> None:
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        work()

    return join([fork(child)])[0]
