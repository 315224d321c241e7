"""The file of a ledger, made ready for a transaction.

Before any row is read, `ready` waits for the file's lock (`locks`), and makes sure that the path
still names the file that is open, that the file has no other name (a hard link), and that what lies
beside it is its own (`journal`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import sys
import time
from pathlib import Path

from privopt.errors import LedgerError
from privopt.ledger.stores.sqlite import visits
from privopt.ledger.stores.sqlite.connecting import (
    Connection,
    connect,
    failure,
    size_of,
)
from privopt.ledger.stores.sqlite.journal import check_beside, has_journal, remove_journal
from privopt.ledger.stores.sqlite.locks import HeldFile, make_file

__all__ = ["File"]


class File:
    """One ledger file by its resolved path, opened when first used; the rest is as in `Store`."""

    def __init__(self, path: Path, *, read_only: bool, timeout: float) -> None:
        self.path, self.read_only, self.timeout = path, read_only, timeout
        self.make = False  # whether the first opening may make the file
        self._connection: Connection | None = None
        self._held: HeldFile | None = None
        self._file: os.stat_result | None = None
        visits.register(self)

    @property
    def home(self) -> bytes:
        """A digest of the name and the inode under which the file is open."""
        inode = 0 if self._file is None else self._file.st_ino
        return hashlib.sha256(os.fsencode(self.path) + b"\0%d" % inode).digest()[:16]

    def close(self) -> None:
        """Close the file; it opens again when next used."""
        if visits.inside(self) is not None:
            return  # asked for in the middle of a transaction, by a signal handler
        visit = visits.enter(self, sys._getframe(), self.timeout)  # pyright: ignore[reportPrivateUsage]
        if visit is None:
            raise failure(self.path, "SQLITE_BUSY")
        visits.leave(self, visit, self.drop)

    def drop(self) -> None:
        """Close at once. A transaction that is under way is rolled back and says so."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):
                connection.close()
        held, self._held = self._held, None
        if held is not None:
            held.close()

    def __del__(self) -> None:
        if hasattr(self, "_held"):
            self.drop()

    def ready(self, *, write: bool) -> Connection:
        """The connection, with the lock held and everything around the file in order."""
        until = time.monotonic() + self.timeout
        if self._held is None:
            self._check_same_file()
            if self.make and self._file is None:
                make_file(self.path)
            self._held = HeldFile(self.path, write=not self.read_only)
        held = self._held
        if not held.lock(exclusive=write, until=until):
            raise failure(self.path, "SQLITE_BUSY")
        self._file = self._file or held.file
        self._check_same_file()
        header = held.header()
        self._check_beside(held, header, until, write=write)
        if self._connection is None:
            self._connection = connect(self.path, self._mode, self.timeout)
            self._check_same_file()
        self._connection.size = size_of(self.path)
        self._connection.finish()
        if self._connection.in_transaction:  # left by an interrupt
            self._connection.execute("ROLLBACK")
        return self._connection

    def second(self) -> Connection:
        """A connection that only looks, beside a transaction of this thread."""
        return connect(self.path, "ro", self.timeout)

    def check_inside(self, connection: sqlite3.Connection, *, write: bool) -> None:
        """Once more, now that nobody else can write; and how the transaction will be kept."""
        self._check_same_file()
        if write and connection.execute("PRAGMA journal_mode").fetchone()[0] != "delete":
            raise failure(self.path, "SQLITE_BUSY")  # turned to a log just now, by someone else

    def release(self) -> None:
        """Let others in."""
        if self._held is not None:
            self._held.unlock()

    @property
    def _mode(self) -> str:
        return "ro" if self.read_only else "rw"

    def _check_beside(self, held: HeldFile, header: bytes, until: float, *, write: bool) -> None:
        if sys.platform != "linux":  # a journal may be that of a transaction under way
            soon = min(until, time.monotonic() + 1)
            while has_journal(self.path) and time.monotonic() < soon:
                time.sleep(0.01)
            header = held.header()
        complete = check_beside(self.path, header, self.home)
        if complete or (self.read_only and has_journal(self.path)):
            self._settle(held, until, write=write)

    def _settle(self, held: HeldFile, until: float, *, write: bool) -> None:
        """End an interrupted write, where this process may: undone, or its journal removed."""
        if not (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)):
            raise failure(self.path, "SQLITE_READONLY_ROLLBACK")
        if not held.lock(exclusive=True, until=until):
            raise failure(self.path, "SQLITE_BUSY")
        if check_beside(self.path, held.header(), self.home):
            remove_journal(self.path)
        with contextlib.closing(connect(self.path, "rw", self.timeout)) as connection:
            connection.execute("SELECT name FROM sqlite_master LIMIT 1").fetchone()
        held.lock(exclusive=write, until=until)

    def _check_same_file(self) -> None:
        """The path names the file that was opened first, and nothing else does."""
        if self._file is None:
            return
        try:
            now = self.path.lstat()
            same = os.path.samestat(self._file, now) and (
                self._held is None or os.path.samestat(self._held.file, now)
            )
        except OSError:
            same, now = False, self._file
        if not same:
            raise LedgerError(
                f"{self.path} was moved, removed or replaced while it was in use. Nothing was "
                "released.",
                "the same file as before.",
                "put the file back and open the ledger again.",
            )
        if now.st_nlink > 1:
            raise LedgerError(
                f"{self.path} has {now.st_nlink} names (hard links). Nothing was released.",
                "one name for one ledger: under two, one name's interrupted write would not be "
                "undone under the other.",
                f"keep one of the names (find the others with: find / -inum {now.st_ino}), and "
                "copy the file where a copy is wanted.",
            )
