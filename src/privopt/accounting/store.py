"""The file of a ledger: transactions that are on the disk when they end, or did not happen.

SQLite with a write-ahead log and synchronous=FULL: `writing` takes the only write lock at its
beginning (BEGIN IMMEDIATE) and its COMMIT returns when the data is on the disk. Any failure rolls
back and becomes a `LedgerError`.

An open SQLite file must not be carried across a fork: its locks would be lost without a word. So
every store closes before this process forks and opens again when next used, on both sides.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Generator
from pathlib import Path
from urllib.parse import quote

from privopt.errors import LedgerError

__all__ = ["Store"]

_NOTHING = "Nothing was released."
# How SQLite names a failure, and what it means here: got, needed, remedy.
_MEANING = {
    "SQLITE_FULL": ("the disk is full", "room for a few kilobytes.", "make room."),
    "SQLITE_READONLY": (
        "it may only be read", "a file that may be written to.",
        "check the rights of the file and of its folder.",
    ),
    "SQLITE_CANTOPEN": (
        "it could not be opened", "a file and a folder that may be written to.",
        "check path and rights; to look at a ledger that may only be read, read_only=True.",
    ),
    "SQLITE_BUSY": (
        "others kept it locked for too long", "the write lock within the timeout.",
        "try again, or set a longer timeout.",
    ),
    "SQLITE_NOTADB": ("it is no database", "a ledger written by privopt.", "check the path."),
    "SQLITE_CORRUPT": ("it is damaged", "the file as privopt wrote it.", "restore a backup."),
}  # fmt: skip
_OTHER = ("the system failed to read or write it", "a disk that works.", "check the disk.")


class Store:
    """One ledger file, opened when first used."""

    def __init__(self, path: Path, *, read_only: bool, timeout: float) -> None:
        self.path, self.read_only, self.timeout = path, read_only, timeout
        self._connection: sqlite3.Connection | None = None
        self._file: os.stat_result | None = None
        self._lock = threading.RLock()
        _STORES.add(self)

    @contextlib.contextmanager
    def writing(self) -> Generator[sqlite3.Connection]:
        """A transaction that holds the write lock; on the disk when the block ends."""
        if self.read_only:
            raise self._error("SQLITE_READONLY")
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextlib.contextmanager
    def reading(self) -> Generator[sqlite3.Connection]:
        """A transaction that sees one state of the file."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Generator[sqlite3.Connection]:
        with self._lock:
            try:
                connection = self._open()
                if connection.in_transaction:  # left by an interrupt
                    self._roll_back(connection)
                try:
                    connection.execute(begin)
                    yield connection
                    connection.execute("COMMIT")
                finally:
                    if connection.in_transaction:
                        self._roll_back(connection)
            except UnicodeDecodeError:  # text that is none, in the file or in SQLite's message
                raise self._error("SQLITE_CORRUPT") from None
            except sqlite3.Error as error:
                raise self._error(getattr(error, "sqlite_errorname", None) or "") from None

    def close(self) -> None:
        """Close the file; it opens again when next used."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                with contextlib.suppress(sqlite3.Error):
                    connection.close()

    def pause(self) -> None:
        """Close the file and keep it closed until `resume`."""
        self._lock.acquire()
        self.close()

    def resume(self) -> None:
        """Let the file be opened again."""
        self._lock.release()

    def __del__(self) -> None:
        if hasattr(self, "_lock"):
            self.close()

    def _open(self) -> sqlite3.Connection:
        if self._file is not None:
            self._check_same_file()
        if self._connection is None:
            # Only the first opening may make the file.
            write = "rwc" if self._file is None else "rw"
            self._connection = self._connect("ro" if self.read_only else write)
            self._file = self.path.stat()
        return self._connection

    def _connect(self, mode: str) -> sqlite3.Connection:
        until = time.monotonic() + self.timeout
        while True:
            connection = sqlite3.connect(
                f"file:{quote(os.fsencode(self.path))}?mode={mode}",
                uri=True,
                timeout=self.timeout,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                _prepare(connection, write=not self.read_only)
            except sqlite3.OperationalError as error:
                connection.close()
                name = str(getattr(error, "sqlite_errorname", ""))
                # The first to open a new file turns on the log; the others must wait for that.
                if name.startswith("SQLITE_BUSY") and time.monotonic() < until:
                    time.sleep(0.005)
                    continue
                # A folder that may not be written to: right as it stands if no log is left.
                if mode == "ro" and not _has_log(self.path):
                    mode = "ro&immutable=1"
                    continue
                raise
            except BaseException:
                connection.close()
                raise
            return connection

    def _check_same_file(self) -> None:
        try:
            same = self._file is None or os.path.samestat(self._file, self.path.stat())
        except OSError:
            same = False
        if not same:
            raise LedgerError(
                f"{self.path} was moved, removed or replaced while it was in use. {_NOTHING}",
                "the same file as before.",
                "put the file back and open the ledger again.",
            )

    def _roll_back(self, connection: sqlite3.Connection) -> None:
        try:
            connection.execute("ROLLBACK")
        except sqlite3.Error:
            self.close()

    def _error(self, name: str) -> LedgerError:
        kind = next((kind for kind in _MEANING if name.startswith(kind)), None)
        what, needed, remedy = _OTHER if kind is None else _MEANING[kind]
        shown = f" ({name})" if name else ""
        return LedgerError(
            f"the ledger {self.path} was not used: {what}{shown}. {_NOTHING}", needed, remedy
        )


def _prepare(connection: sqlite3.Connection, *, write: bool) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    if write:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise sqlite3.OperationalError("no write-ahead log here")
        connection.execute("PRAGMA synchronous = FULL")
        # macOS: without these a write may stay in the drive's own memory.
        connection.execute("PRAGMA fullfsync = ON")
        connection.execute("PRAGMA checkpoint_fullfsync = ON")
    else:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _has_log(path: Path) -> bool:
    log = path.with_name(path.name + "-wal")
    return log.exists() and log.stat().st_size > 0


_STORES: weakref.WeakSet[Store] = weakref.WeakSet()
_forking = threading.Lock()
_paused: list[Store] = []


def _before_fork() -> None:
    """Close every store, and keep other threads from opening one until the fork is done."""
    _forking.acquire()
    for store in list(_STORES):
        store.pause()
        _paused.append(store)


def _after_fork() -> None:
    while _paused:
        _paused.pop().resume()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )
