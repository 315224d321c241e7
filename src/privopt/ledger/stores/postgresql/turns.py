"""The turn of a key: a lock on the server that ends with the connection that holds it.

Of all who ask under one key, on whatever machine, one makes the output and the others wait. The
lock is an advisory one, of 64 bits of a digest of the ledger and the key:

    SHA-256(home, key)

It lives on a connection of its own, so that the server lets it go when its holder dies. Two keys of
the same 64 bits would wait for each other, and no more. If the connection is lost while the output
is made, a waiter may find the charge without output and call it burnt; the maker may still store
it. No output is without its charge either way.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from privopt.errors import LedgerError
from privopt.ledger.stores.postgresql import failures
from privopt.ledger.stores.postgresql.connecting import driver
from privopt.ledger.stores.postgresql.failures import failure
from privopt.ledger.stores.postgresql.pool import Pool

if TYPE_CHECKING:
    import psycopg

__all__ = ["turn"]


@contextmanager
def turn(pool: Pool, home: bytes, key: str | None) -> Generator[None]:
    """Hold the turn of a key; without a key there is nobody to wait for."""
    if key is None:
        yield
        return
    number = int.from_bytes(sha256(home + key.encode()).digest()[:8], "big", signed=True)
    connection = _taken(pool, number)
    try:
        yield
    finally:
        # Closing ends the lock too; in a forked child neither is done.
        if pool.holds(connection):
            try:
                connection.execute("SELECT pg_advisory_unlock_all()")
                pool.give(connection)
            except driver().Error:
                pool.drop(connection)
            except BaseException:
                pool.drop(connection)
                raise


def _taken(pool: Pool, number: int) -> psycopg.Connection[Any]:
    """A connection that holds the lock."""
    errors: type[psycopg.Error] = driver().Error
    lost: type[psycopg.Error] = driver().OperationalError
    while True:
        connection = pool.idle()
        used = connection is not None
        try:
            connection = connection or pool.fresh()
            connection.execute("SELECT pg_advisory_lock(%s)", (number,))
        except BaseException as error:
            if connection is not None:
                pool.drop(connection)
            if not isinstance(error, errors):
                raise
            if error.sqlstate == failures.BUSY:
                raise LedgerError(
                    "another release under this key has been running for too long.",
                    "its end.",
                    "wait for it, or use another key.",
                ) from None
            if not (used and isinstance(error, lost)):
                raise failure(pool.address, error) from None
        else:
            return connection
