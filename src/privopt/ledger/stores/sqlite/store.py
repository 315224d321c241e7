"""A ledger in a file of SQLite."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager

from privopt.ledger.stores.protocol import First, missing
from privopt.ledger.stores.sqlite import legacy, schema
from privopt.ledger.stores.sqlite.connecting import FAILURES, failure, in_memory, size_of
from privopt.ledger.stores.sqlite.file import File
from privopt.ledger.stores.sqlite.locks import turn
from privopt.ledger.stores.sqlite.place import check_drive, check_name, is_blank, resolved
from privopt.ledger.stores.sqlite.rows import StoredRows
from privopt.ledger.stores.sqlite.schema import Format
from privopt.ledger.stores.sqlite.transaction import FileTransaction

__all__ = ["SqliteStore"]


class SqliteStore:
    """One file on a local drive: a `stores.protocol.Store`."""

    def __init__(self, place: str | os.PathLike[str], *, read_only: bool, timeout: float) -> None:
        path = resolved(place)
        if not read_only:
            check_name(path)
        self.place, self.drive = str(path), check_drive(path)
        self.read_only, self.timeout = read_only, timeout
        self.file = File(path, read_only=read_only, timeout=timeout)

    @property
    def home(self) -> bytes:
        """A digest of the name and the inode under which the file is open."""
        return self.file.home

    @property
    def blank(self) -> bool:
        """Whether there is no file, or one that holds nothing."""
        return is_blank(self.file.path)

    def prepare(self, first: First | None, time: str) -> None:
        """Make the tables and the first row, or bring those of an older format to this one."""
        if first is None and self.blank:  # SQLite would begin a database
            raise missing(self.place, empty=self.file.path.exists())
        self.file.make = first is not None
        with FileTransaction(self.file, write=False, any_format=True) as rows:
            form = schema.format_of(rows.connection, self.file.path)
        if form is Format.EMPTY and first is None:
            raise missing(self.place, empty=True)
        if form is Format.OLDER and self.read_only:
            self._freeze(time)
        elif form is not Format.CURRENT:
            self._bring_forward(first, time)

    def _bring_forward(self, first: First | None, time: str) -> None:
        with FileTransaction(self.file, write=True, any_format=True) as rows:
            form = schema.format_of(rows.connection, self.file.path)
            if form is Format.OLDER:
                legacy.migrate(rows, self.home, time)
            elif form is Format.EMPTY and first is not None:
                schema.create(rows.connection)
                rows.append(first(self.home))

    def _freeze(self, time: str) -> None:
        """Look from now on at a migrated copy in memory, as the file was just now."""
        path = self.file.path
        copy = in_memory(size_of(path))
        with FileTransaction(self.file, write=False, any_format=True) as rows:
            rows.connection.backup(copy)
        try:
            copy.execute("BEGIN")
            legacy.migrate(StoredRows(copy, path), self.home, time)
            copy.execute("COMMIT")
        except FAILURES as error:
            raise failure(path, error) from None
        self.file.frozen = copy

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
