"""An anchor in a PostgreSQL database: one row of one table, which only moves forward.

    postgresql://user@host:port/database?ledger=NAME

NAME is a schema of its own (`anchor` unless given); keep it on another server than the ledger, or
at least under another owner. Whoever writes to the ledger holds the lock of the row and moves it:
a trigger refuses a smaller row number, and that the row is removed. The owner of the schema lets
releasers in (`GRANT` in docs/howto/team.md).
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privopt.errors import LedgerError
from privopt.ledger.anchors.protocol import Mark, unreadable
from privopt.ledger.stores.postgresql.address import Address
from privopt.ledger.stores.postgresql.connecting import connect, driver
from privopt.ledger.stores.postgresql.failures import BUSY, failure

if TYPE_CHECKING:
    import psycopg

__all__ = ["PostgresqlAnchor"]

_LOOKING = 10.0  # seconds
_THERE = "SELECT FROM pg_tables WHERE schemaname = %s AND tablename = 'anchor'"
_SELECT = "SELECT row, digest FROM SCHEMA.anchor"
_FORWARD = """
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.one AND NEW.row >= OLD.row THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'PV001', MESSAGE = 'an anchor only moves forward';
END
"""
_MAKE = (
    "CREATE SCHEMA IF NOT EXISTS NAME",
    "CREATE TABLE SCHEMA.anchor (one boolean PRIMARY KEY, row bigint NOT NULL, "
    'digest text COLLATE "C" NOT NULL)',
    "INSERT INTO SCHEMA.anchor VALUES (true, 0, '')",
    "CREATE FUNCTION SCHEMA.forward() RETURNS trigger LANGUAGE plpgsql "
    f"SET search_path = pg_catalog, pg_temp AS $privopt${_FORWARD}$privopt$",
    "CREATE TRIGGER moves_forward BEFORE INSERT OR UPDATE OR DELETE ON SCHEMA.anchor "
    "FOR EACH ROW EXECUTE FUNCTION SCHEMA.forward()",
    "CREATE TRIGGER never_emptied BEFORE TRUNCATE ON SCHEMA.anchor "
    "FOR EACH STATEMENT EXECUTE FUNCTION SCHEMA.forward()",
    "REVOKE ALL ON SCHEMA NAME FROM PUBLIC",
    "REVOKE ALL ON SCHEMA.anchor FROM PUBLIC",
    "REVOKE ALL ON FUNCTION SCHEMA.forward() FROM PUBLIC",
)


class PostgresqlAnchor:
    """A row with the head of a ledger: an `anchors.protocol.Anchor`."""

    def __init__(self, place: str) -> None:
        driver()
        named = Address.read(place, "anchor")
        self.address, self.place, self.source = named, named.place, named.place

    def look(self) -> Mark | None:
        """What the row says; None if it was not begun."""
        with self._connected(_LOOKING) as connection:
            return self._mark(connection)

    @contextmanager
    def hold(self, timeout: float) -> Generator[_HeldRow]:
        """Hold the lock of the row."""
        with self._connected(timeout) as connection:
            connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
            if self._there(connection):
                self.run(connection, f"{_SELECT} FOR UPDATE")
            yield _HeldRow(self, connection, self._mark(connection))

    @contextmanager
    def _connected(self, timeout: float) -> Generator[psycopg.Connection[Any]]:
        """A connection, closed at the end; its failures are ours."""
        psycopg, connection = driver(), None
        try:
            connection = connect(self.address, timeout)
            connection.execute("SET idle_in_transaction_session_timeout = 0")
            yield connection
        except psycopg.Error as error:
            if error.sqlstate == BUSY:
                raise LedgerError(
                    f"others kept the anchor {self.place} locked for too long. Nothing was charged "
                    "or released.",
                    "the lock of the anchor within the timeout.",
                    "try again, or set a longer timeout.",
                ) from None
            raise failure(self.address, error) from None
        finally:
            if connection is not None:
                connection.close()

    def _there(self, connection: psycopg.Connection[Any]) -> bool:
        return connection.execute(_THERE, (self.address.schema,)).fetchone() is not None

    def _mark(self, connection: psycopg.Connection[Any]) -> Mark | None:
        if not self._there(connection):
            return None
        found = self.run(connection, _SELECT).fetchone()
        if found is None:
            raise unreadable(self.place, "its row is gone")
        if found[0] == 0:
            return None
        mark = Mark.read(f"{found[0]}:{found[1]}")
        if mark is None:
            raise unreadable(self.place, "it holds something else")
        return mark

    def run(self, connection: psycopg.Connection[Any], sql: str, *given: Any) -> Any:  # noqa: ANN401
        """A statement about the anchor's schema."""
        name = self.address.quoted
        text: Any = sql.replace("SCHEMA.", f"{name}.").replace("NAME", name)
        return connection.execute(text, given or None)

    def begin(self, connection: psycopg.Connection[Any]) -> None:
        """Make the table, where there is none."""
        if not self._there(connection):
            for sql in _MAKE:
                self.run(connection, sql)


@dataclass
class _HeldRow:
    """The row, while its lock is held."""

    anchor: PostgresqlAnchor
    connection: psycopg.Connection[Any]
    mark: Mark | None

    def advance(self, mark: Mark) -> None:
        """Move the row, and end the transaction: others may then write."""
        if mark == self.mark:
            return
        psycopg = driver()
        try:
            self.anchor.begin(self.connection)
            moved = "UPDATE SCHEMA.anchor SET row = %s, digest = %s"
            self.anchor.run(self.connection, moved, mark.row, mark.digest)
            self.connection.execute("COMMIT")
        except psycopg.Error as error:
            told = failure(self.anchor.address, error)
            raise LedgerError(
                f"the anchor {self.anchor.place} could not be moved to row {mark.row}: {told.got}",
                told.needed,
                f"{told.remedy} Then ask again: the anchor follows the ledger.",
            ) from None
        self.mark = mark
