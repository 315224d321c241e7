"""The ledger's file, held open: which file it is, a lock on it, and its first bytes.

SQLite locks a file with POSIX locks, and the system drops these when *any* descriptor of the file
is closed in the same process: a copy of the ledger made while it is written would unlock it. So on
Linux every transaction also holds a `flock`, which belongs to one open descriptor and to the file
itself, under whatever name: shared to read, exclusive to write. (Elsewhere the two kinds of lock
may block each other, and SQLite's stand alone.)
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

try:
    import fcntl
except ImportError:  # pragma: no cover -- Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["HEADER", "HeldFile", "make_file"]

HEADER = 100  # bytes of a database's header
_PAUSE = 0.001
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class HeldFile:
    """An open descriptor of the file. It is closed between transactions only."""

    def __init__(self, path: Path, *, write: bool) -> None:
        self.descriptor = os.open(path, _FLAGS | (os.O_RDWR if write else os.O_RDONLY))
        self.file = os.fstat(self.descriptor)

    def lock(self, *, exclusive: bool, until: float) -> bool:
        """Wait for the lock; False if it was not to be had in time."""
        if fcntl is None or sys.platform != "linux":
            return True
        kind = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        while True:
            try:
                fcntl.flock(self.descriptor, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    return False
                time.sleep(_PAUSE)
            else:
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
