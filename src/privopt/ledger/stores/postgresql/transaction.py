"""A transaction on the server: kept when its block ends, or not at all.

Before a row is read, the schema is compared with what privopt makes (`inventory`). One that writes
then takes the row lock of the head, and sees what was committed before it; one that reads sees one
snapshot. Failures become a `LedgerError`, and their connection is closed: the server undoes what
was not committed. Where privopt itself refuses something, the connection is kept.

If the connection is lost during COMMIT, nobody has told whether it happened. So another
connection takes the same lock, which is to be had only when the lost transaction has ended, and
looks whether its row is there. If it is, the block ends as if nothing had been lost; if it is not,
nothing was written. If no connection is to be had within the timeout, the error says that it could
not be seen.
"""

from __future__ import annotations

import threading
import time
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Any

from privopt.errors import LedgerError, PrivoptError
from privopt.ledger.stores.postgresql import failures
from privopt.ledger.stores.postgresql.connecting import check_kept, driver
from privopt.ledger.stores.postgresql.failures import failure
from privopt.ledger.stores.postgresql.pool import Pool
from privopt.ledger.stores.postgresql.rows import ServerRows

if TYPE_CHECKING:
    import psycopg

__all__ = ["ServerTransaction"]

_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
_PAUSE = 0.1
# Codes of a schema or a function that is not there: a ledger whose making was cut off.
_MISSING = ("3F000", "42883", "42P01")
_writers: dict[tuple[int, str], weakref.ref[ServerTransaction]] = {}  # by thread and ledger


class ServerTransaction:
    """A `with` block around statements.

    Attributes
    ----------
    any_schema
        Whether the schema may be missing: for who makes one.
    """

    def __init__(self, pool: Pool, *, write: bool, any_schema: bool = False) -> None:
        self._pool, self._write, self.any_schema = pool, write, any_schema
        self._rows: ServerRows | None = None
        self._mine, self._marked = (0, ""), False

    def __enter__(self) -> ServerRows:
        try:
            if self._write:
                self._mark()
            self._rows = self._begin()
            if not self.any_schema:
                self._look(self._rows.connection)
        except BaseException as error:
            self._end(keep=False)
            told = self._told(error)
            if told is not None:
                raise told from None
            raise
        return self._rows

    def _mark(self) -> None:
        """Refuse a second write by the same thread: it would wait for itself."""
        self._mine = (threading.get_ident(), self._pool.address.place)
        other = _writers.get(self._mine)
        there = None if other is None else other()
        if there is not None:
            same = there._pool is self._pool
            raise failure(self._pool.address, failures.NESTED if same else failures.BUSY)
        _writers[self._mine], self._marked = weakref.ref(self), True  # pyright: ignore[reportArgumentType] -- no class is derived

    def _begin(self) -> ServerRows:
        """Begin on an idle connection; if it was lost since its last use, on a new one."""
        while True:
            connection = self._pool.idle()
            if connection is None:
                connection = self._pool.fresh()
                connection.execute(_WRITE if self._write else _READ)
                return ServerRows(connection, self._pool.address)
            try:
                connection.execute(_WRITE if self._write else _READ)
                return ServerRows(connection, self._pool.address)
            except driver().OperationalError:
                self._pool.drop(connection)
            except BaseException:
                self._pool.drop(connection)
                raise

    def _look(self, connection: psycopg.Connection[Any]) -> None:
        """Compare the schema; to write, see how the server writes, and wait for the lock."""
        kept = self._pool.seen(connection).look(connection, self._pool.address.schema)
        if self._write:
            check_kept(kept)
            text: Any = f"SELECT {self._pool.address.quoted}.lock()"
            connection.execute(text)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        rows, failed, whole = self._rows, error, False
        try:
            if kind is None and rows is not None:
                failed = self._commit(rows)
                whole = failed is None
            elif isinstance(error, PrivoptError) and rows is not None:
                whole = self._undone(rows)
        finally:
            self._end(keep=whole)
        told = self._told(failed)
        if told is not None:
            raise told from None
        if failed is not None and failed is not error:
            raise failed

    def _told(self, error: BaseException | None) -> LedgerError | None:
        """What a failure of the server means; None for other errors."""
        errors: type[psycopg.Error] = driver().Error
        return failure(self._pool.address, error) if isinstance(error, errors) else None

    def _commit(self, rows: ServerRows) -> Exception | None:
        """End it for good; what went wrong, if anything did."""
        if not self._pool.holds(rows.connection):
            return failure(self._pool.address, failures.FORKED)
        try:
            ended = rows.connection.execute("COMMIT").statusmessage
        except driver().Error as error:
            if not self._write:
                return None  # what was read was read
            self._pool.drop(rows.connection)
            return self._settled(rows, error)
        return None if ended == "COMMIT" else failure(self._pool.address, "25P02")

    def _undone(self, rows: ServerRows) -> bool:
        """Whether what was begun could be undone in order: a refusal costs no new connection."""
        try:
            return self._pool.holds(rows.connection) and (
                rows.connection.execute("ROLLBACK").statusmessage == "ROLLBACK"
            )
        except driver().Error:
            return False

    def _settled(self, rows: ServerRows, error: Exception) -> Exception | None:
        """None if the row that was written last is there; else the error to raise."""
        row, until = rows.written, time.monotonic() + self._pool.timeout
        if row is None:
            return error
        while True:
            try:
                there = self._has(row.seq, row.digest)
            except driver().Error as again:
                if again.sqlstate in _MISSING:
                    return error
            else:
                return None if there else error
            if time.monotonic() > until:
                return failures.unsettled(self._pool.address, row.seq)
            time.sleep(_PAUSE)

    def _has(self, seq: int, digest: bytes) -> bool:
        """Whether a row is there, asked when nobody can be writing it any more."""
        connection, schema = self._pool.fresh(), self._pool.address.quoted
        asked: Any = f"SELECT digest FROM {schema}.entries WHERE seq = %s"  # noqa: S608
        lock: Any = f"SELECT {schema}.lock()"
        try:
            connection.execute(_WRITE)
            connection.execute(lock)
            return connection.execute(asked, (seq,)).fetchone() == (digest,)
        finally:
            self._pool.drop(connection)

    def _end(self, *, keep: bool) -> None:
        """Let others in; a connection that was not ended in order is closed."""
        rows, self._rows = self._rows, None
        if rows is not None:
            (self._pool.give if keep else self._pool.drop)(rows.connection)
        if self._marked:
            self._marked = False
            _writers.pop(self._mine, None)

    def __del__(self) -> None:
        if hasattr(self, "_marked"):
            self._end(keep=False)
