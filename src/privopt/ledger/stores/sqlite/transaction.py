"""Transactions: on the disk when they end, or they did not happen.

Each waits for its turn (`visits`), makes sure that everything around the file is in order (`file`),
and compares the tables with a ledger's (`schema`) before it reads a row. One that writes takes the
only write lock at its beginning, and its end returns when the data are on the disk. Any failure
rolls back and becomes a `LedgerError`.

A signal handler that looks in the middle of a transaction sees the state before it, through a
connection of its own; one that wants to write is refused.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
from types import FrameType, TracebackType

from privopt.ledger.stores.sqlite import visits
from privopt.ledger.stores.sqlite.connecting import FAILURES, Connection, failure
from privopt.ledger.stores.sqlite.file import File
from privopt.ledger.stores.sqlite.rows import StoredRows
from privopt.ledger.stores.sqlite.schema import check_schema

__all__ = ["FileTransaction"]


class FileTransaction:
    """A `with` block around statements: committed at its end, rolled back if anything is raised."""

    def __init__(self, file: File, *, write: bool, any_format: bool = False) -> None:
        self._file, self._write, self._any_format = file, write, any_format
        self._visit: visits.Visit | None = None
        self._connection: Connection | None = None

    def __enter__(self) -> StoredRows:
        file = self._file
        try:
            self._connection = self._ready(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
            self._connection.execute("BEGIN IMMEDIATE" if self._write else "BEGIN")
            file.check_inside(self._connection, write=self._write)
            if not self._any_format:
                check_schema(self._connection)
        except BaseException as error:
            self._end()
            if isinstance(error, FAILURES):
                raise failure(file.path, error) from None
            raise
        return StoredRows(self._connection, file.path)

    def _ready(self, frame: FrameType) -> Connection:
        file = self._file
        if visits.inside(file) is None:
            self._visit = visits.enter(file, frame, file.timeout)
            if self._visit is not None:
                return file.ready(write=self._write)
        elif not self._write:
            return file.second()
        raise failure(file.path, "SQLITE_BUSY")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None and self._connection is not None:
                self._connection.execute("COMMIT")
        except sqlite3.Error as failed:
            error = failed
        finally:
            self._end()
        if isinstance(error, (sqlite3.Error, UnicodeDecodeError)):
            raise failure(self._file.path, error) from None

    def _end(self) -> None:
        """Undo what was not committed, and let others in."""
        if self._visit is not None:
            visits.leave(self._file, self._visit, self._undo)
            self._visit = None
        elif self._connection is not None:  # the second one, of a signal handler
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None

    def _undo(self) -> None:
        try:
            if self._connection is not None:
                self._connection.finish()
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            self._file.drop()
        self._file.release()

    def __del__(self) -> None:
        if hasattr(self, "_connection"):
            self._end()
