"""A ledger in a schema of a PostgreSQL database: a `stores.protocol.Store`.

It is opened when first used. Its rows are wherever the server keeps them: `drive` says whether the
server waits for its disk, and a server that does not is not written to. `home` is a digest of the
server's own identifier and of the numbers of database and schema, so a dump that was restored
is another place, which the owner must take over on record. A physical copy of the whole server has
the same identifier, and cannot be told from it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from privopt.errors import LedgerError
from privopt.ledger.stores.postgresql import failures, roles, schema
from privopt.ledger.stores.postgresql.address import Address
from privopt.ledger.stores.postgresql.connecting import driver, words
from privopt.ledger.stores.postgresql.entries import HOME
from privopt.ledger.stores.postgresql.failures import failure
from privopt.ledger.stores.postgresql.pool import Pool
from privopt.ledger.stores.postgresql.rows import ServerRows
from privopt.ledger.stores.postgresql.transaction import ServerTransaction
from privopt.ledger.stores.postgresql.turns import turn
from privopt.ledger.stores.protocol import First, missing, taken

if TYPE_CHECKING:
    import psycopg

__all__ = ["PostgresqlStore"]

# Whether there is the schema, the table of a ledger, anything else, and whose it is.
_STATE = """
SELECT n.oid, EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid AND relname = 'entries'),
    EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid)
        OR EXISTS (SELECT FROM pg_proc WHERE pronamespace = n.oid)
    FROM pg_namespace AS n WHERE n.nspname = %s
"""


class PostgresqlStore:
    """One schema on a server."""

    def __init__(self, place: str | os.PathLike[str], *, read_only: bool, timeout: float) -> None:
        driver()
        self.address = Address.read(str(place))
        self.place, self.name = self.address.place, self.address.schema
        self.drive = "not opened yet"
        self.read_only, self.timeout = read_only, timeout
        self.pool = Pool(self.address, timeout)
        self._home, self._releaser = b"", ""

    @property
    def home(self) -> bytes:
        """A digest of the server's identifier and the numbers of database and schema."""
        return self._home

    @property
    def releaser(self) -> str:
        """The role that logged in."""
        return self._releaser

    @property
    def blank(self) -> bool:
        """Whether no ledger was begun in the schema."""
        with ServerTransaction(self.pool, write=False, any_schema=True) as rows:
            return not self._begun(rows.connection)

    def prepare(self, first: First | None) -> None:
        """Make schema, tables and the first row, if there are none."""
        with ServerTransaction(self.pool, write=False, any_schema=True) as rows:
            begun = self._begun(rows.connection)
            self.drive = words(rows.connection)
            self._know(rows.connection)
        if not begun:
            if first is None:
                raise missing(self.place, empty=False)
            self._make(first)

    def _make(self, first: First) -> None:
        with ServerTransaction(self.pool, write=True, any_schema=True) as rows:
            self._create(rows.connection)
            if rows.largest() == 0:
                rows.append(first(self._home))

    def beginning(self) -> AbstractContextManager[ServerRows]:
        """A transaction that makes the schema, where no ledger is."""
        if self.read_only:
            raise failure(self.address, failures.READ_ONLY)
        return self._beginning()

    @contextmanager
    def _beginning(self) -> Generator[ServerRows]:
        with ServerTransaction(self.pool, write=True, any_schema=True) as rows:
            if self._begun(rows.connection):
                raise taken(self.place)
            self._create(rows.connection)
            if rows.largest() != 0:  # by another, just now
                raise taken(self.place)
            yield rows

    def _create(self, connection: psycopg.Connection[Any]) -> None:
        """Make the schema, if nobody did meanwhile; then the rows are for this transaction."""
        name = self.address.schema
        number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (number,))
        if not self._begun(connection):
            there = connection.execute(_STATE, (name,)).fetchone()  # made by an administrator
            begun = () if there else (f"CREATE SCHEMA {self.address.quoted}",)
            for sql in (*begun, *schema.statements(name)):
                text: Any = sql
                connection.execute(text)
        self._know(connection)

    def _know(self, connection: psycopg.Connection[Any]) -> None:
        """Where the rows are, and who asks."""
        home = HOME.replace("'NAME'", f"'{self.name}'")
        text: Any = f"SELECT session_user::text, {home}"
        self._releaser, self._home = connection.execute(text).fetchone() or ("", b"")

    def _begun(self, connection: psycopg.Connection[Any]) -> bool:
        """Whether the schema holds a ledger; refuse one that holds something else."""
        found = connection.execute(_STATE, (self.address.schema,)).fetchone()
        if found is None:
            return False
        _, ledger, anything = found
        if anything and not ledger:
            raise LedgerError(
                f"the schema {self.address.schema} of the database holds something else than a "
                "ledger.",
                "a schema that is not there yet, or an empty one.",
                "choose another name: ?ledger=NAME.",
            )
        return bool(ledger)

    def reading(self) -> AbstractContextManager[ServerRows]:
        """A transaction that sees one snapshot."""
        return ServerTransaction(self.pool, write=False)

    def writing(self) -> AbstractContextManager[ServerRows]:
        """A transaction that holds the row lock of the head."""
        if self.read_only:
            raise failure(self.address, failures.READ_ONLY)
        return ServerTransaction(self.pool, write=True)

    def turn(self, key: str | None) -> AbstractContextManager[None]:
        """The turn of a key, by an advisory lock."""
        return turn(self.pool, self._home, key)

    def grant(self, releasers: Sequence[str] = (), readers: Sequence[str] = ()) -> None:
        """Let roles in, as releasers or readers; for the owner."""
        with self.writing() as rows:
            self._check_owner(rows)
            roles.grant(rows.connection, self.address.schema, releasers, readers)

    def revoke(self, names: Sequence[str]) -> None:
        """Take all rights from roles; for the owner."""
        with self.writing() as rows:
            self._check_owner(rows)
            roles.revoke(rows.connection, self.address.schema, names)

    def roles(self) -> dict[str, str]:
        """Roles that were let in, and as what."""
        with ServerTransaction(self.pool, write=False) as rows:
            return roles.roles(rows.connection, self.address.schema)

    def _check_owner(self, rows: ServerRows) -> None:
        if not roles.is_owner(rows.connection, self.name):
            raise failure(self.address, failures.NO_RIGHT)

    def check_roles(self, names: Sequence[str]) -> None:
        """Refuse names that are no roles of the server, before anything is made."""
        with ServerTransaction(self.pool, write=False, any_schema=True) as rows:
            roles.check_roles(rows.connection, names)

    def close(self) -> None:
        """Close the idle connections; they open again when next used."""
        self.pool.close()
