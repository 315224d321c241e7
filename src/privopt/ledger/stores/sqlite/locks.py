"""Locks: on the ledger's file for a transaction, and on a small file beside it for a key.

SQLite locks a file with POSIX locks, and the system drops these when *any* descriptor of the file
is closed in the same process: a copy of the ledger made while it is written would unlock it. So on
Linux every transaction also holds a `flock`, which belongs to one open descriptor and to the file
itself, under whatever name: shared to read, exclusive to write. (Elsewhere the two kinds of lock
may block each other, and SQLite's stand alone.)

Of all who ask under one key, one makes the output and the others wait for it. Such a turn is a lock
on a file named after the key (`lockfile`). The system drops it when its holder dies, so whoever
gets the turn and finds a charge without output knows that the output will never come. Without such
locks (Windows) nobody waits: a charge without output is then refused at once, which is safe, and
the message says that it may still be on its way.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path

from privopt.errors import LedgerError
from privopt.ledger import lockfile
from privopt.ledger.lockfile import WAITS

try:
    import fcntl
except ImportError:  # pragma: no cover -- Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["HEADER", "WAITS", "HeldFile", "make_file", "turn"]

HEADER = 100  # bytes of a database's header
_PAUSE = 0.001
_OURS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_FLAGS = _OURS | getattr(os, "O_BINARY", 0)


def _locked(descriptor: int, *, exclusive: bool = True) -> bool:
    """Whether the lock is to be had, and is held now."""
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class HeldFile:
    """An open descriptor of the file. It is closed between transactions only."""

    def __init__(self, path: Path, *, write: bool) -> None:
        self.descriptor = os.open(path, _FLAGS | (os.O_RDWR if write else os.O_RDONLY))
        self.file = os.fstat(self.descriptor)

    def lock(self, *, exclusive: bool, until: float) -> bool:
        """Wait for the lock; False if it was not to be had in time."""
        while sys.platform == "linux" and not _locked(self.descriptor, exclusive=exclusive):
            if time.monotonic() > until:
                return False
            time.sleep(_PAUSE)
        return True

    def unlock(self) -> None:
        """Let others in."""
        if fcntl is not None and sys.platform == "linux":
            with contextlib.suppress(OSError):
                fcntl.flock(self.descriptor, fcntl.LOCK_UN)

    def header(self) -> bytes:
        """The first bytes, as they are in the file now."""
        os.lseek(self.descriptor, 0, os.SEEK_SET)
        return os.read(self.descriptor, HEADER)

    def close(self) -> None:
        """Close the descriptor, and with it the lock."""
        with contextlib.suppress(OSError):
            os.close(self.descriptor)


def make_file(path: Path) -> None:
    """An empty file for the owner's eyes, if there is none: SQLite would let others read it."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, _FLAGS | os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def turn(ledger: Path, key: str | None, timeout: float) -> AbstractContextManager[None]:
    """Hold the turn of a key; without a key there is nobody to wait for."""
    if key is None:
        return contextlib.nullcontext()
    mark = hashlib.sha256(key.encode()).hexdigest()[:24]
    path = ledger.with_name(f"{ledger.name}-key-{mark}")
    return lockfile.held(path, timeout, _late, _impossible)


def _impossible(error: OSError) -> LedgerError:
    return LedgerError(
        f"no lock could be made beside the ledger ({error.strerror}). Nothing was charged "
        "or released.",
        "a folder that may be written to, with room.",
        "check rights and space of the ledger's folder.",
    )


def _late() -> LedgerError:
    return LedgerError(
        "another release under this key has been running for too long.",
        "its end.",
        "wait for it, or use another key.",
    )
