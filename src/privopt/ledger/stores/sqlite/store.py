"""A ledger in a file of SQLite, and its transactions: on the disk when they end, or not at all.

Each waits for its turn (`visits`), makes sure that everything around the file is in order (`file`),
and compares the tables with a ledger's (`schema`) before it reads a row. One that writes takes the
only write lock at its beginning, and its end returns when the data are on the disk. Any failure
rolls back and becomes a `LedgerError`.

A signal handler that looks in the middle of a transaction sees the state before it, through a
connection of its own; one that wants to write is refused.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
from contextlib import AbstractContextManager
from types import FrameType, TracebackType

from privopt.ledger.stores.protocol import First, missing, taken
from privopt.ledger.stores.sqlite import schema, visits
from privopt.ledger.stores.sqlite.connecting import (
    FAILURES,
    Connection,
    failure,
)
from privopt.ledger.stores.sqlite.file import File
from privopt.ledger.stores.sqlite.locks import turn
from privopt.ledger.stores.sqlite.place import check_drive, check_name, is_blank, resolved
from privopt.ledger.stores.sqlite.rows import StoredRows

__all__ = ["FileTransaction", "SqliteStore"]

_OWN = 1 << 50  # bytes: the size that stands for a file which is being made


class FileTransaction:
    """A `with` block around statements: committed at its end, rolled back if anything is raised."""

    def __init__(
        self, file: File, *, write: bool, may_be_empty: bool = False, begin: bool = False
    ) -> None:
        self._file, self._write, self._may_be_empty = file, write, may_be_empty
        self._begin = begin  # whether to make the tables, where nothing may be
        self._visit: visits.Visit | None = None
        self._connection: Connection | None = None

    def __enter__(self) -> StoredRows:
        file = self._file
        try:
            self._connection = self._ready(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
            self._connection.execute("BEGIN IMMEDIATE" if self._write else "BEGIN")
            file.check_inside(self._connection, write=self._write)
            if self._begin:
                self._make_tables(self._connection)
            elif not self._may_be_empty:
                schema.check_schema(self._connection)
        except BaseException as error:
            self._end()
            if isinstance(error, FAILURES):
                raise failure(file.path, error) from None
            raise
        return StoredRows(self._connection, file.path)

    def _make_tables(self, connection: Connection) -> None:
        path = self._file.path
        if schema.is_begun(connection, path):
            raise taken(str(path))
        schema.create(connection)
        connection.size = _OWN  # the bound is for files of others

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


class SqliteStore:
    """One file on a local drive: a `stores.protocol.Store`."""

    def __init__(self, place: str | os.PathLike[str], *, read_only: bool, timeout: float) -> None:
        path = resolved(place)
        if not read_only:
            check_name(path)
        self.place, self.name, self.drive = str(path), path.stem, check_drive(path)
        self.read_only, self.timeout = read_only, timeout
        self.file = File(path, read_only=read_only, timeout=timeout)

    @property
    def releaser(self) -> None:
        """A file does not know who writes to it."""
        return

    @property
    def home(self) -> bytes:
        """A digest of the name and the inode under which the file is open."""
        return self.file.home

    @property
    def blank(self) -> bool:
        """Whether there is no file, or one that holds nothing."""
        return is_blank(self.file.path)

    def prepare(self, first: First | None) -> None:
        """Make the tables and the first row, if there are none."""
        if first is None and self.blank:  # SQLite would begin a database
            raise missing(self.place, empty=self.file.path.exists())
        self.file.make = first is not None
        with FileTransaction(self.file, write=False, may_be_empty=True) as rows:
            begun = schema.is_begun(rows.connection, self.file.path)
        if begun:
            return
        if first is None:
            raise missing(self.place, empty=True)
        with FileTransaction(self.file, write=True, may_be_empty=True) as rows:
            if not schema.is_begun(rows.connection, self.file.path):
                schema.create(rows.connection)
                rows.append(first(self.home))

    def beginning(self) -> FileTransaction:
        """A transaction that makes the tables, in a file that holds nothing."""
        if self.read_only:
            raise failure(self.file.path, "SQLITE_READONLY")
        self.file.make = True
        return FileTransaction(self.file, write=True, begin=True)

    def reading(self) -> FileTransaction:
        """A transaction that sees one state of the file."""
        return FileTransaction(self.file, write=False)

    def writing(self) -> FileTransaction:
        """A transaction that holds the write lock; on the disk when the block ends."""
        if self.read_only:
            raise failure(self.file.path, "SQLITE_READONLY")
        return FileTransaction(self.file, write=True)

    def turn(self, key: str | None) -> AbstractContextManager[None]:
        """The turn of a key, by a lock on a small file beside the ledger."""
        return turn(self.file.path, key, self.timeout)

    def close(self) -> None:
        """Close the file; it opens again when next used."""
        self.file.close()
