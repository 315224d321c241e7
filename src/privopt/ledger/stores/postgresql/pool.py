"""The open connections of a store in this process: one for each transaction that is under way.

A transaction takes one that is idle, or a new one, and gives it back. So threads do not wait for
each other here (writers queue at the server), and a signal handler that looks in the middle of a
transaction has a connection of its own.

After a fork the connections belong to the parent. The child closes its descriptors of them, without
a word to the server: otherwise the locks of a parent that dies would live on in the child.
"""

from __future__ import annotations

import contextlib
import os
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any

from privopt.ledger.stores.postgresql.address import Address
from privopt.ledger.stores.postgresql.connecting import connect, driver
from privopt.ledger.stores.postgresql.inventory import Seen

if TYPE_CHECKING:
    import psycopg

__all__ = ["Pool"]

_MOST = 4  # idle ones that are kept
_pools: weakref.WeakSet[Pool] = weakref.WeakSet()
_inherited: list[Any] = []  # of the parent: never closed here, which would end its sessions


class Pool:
    """Connections to one address. No locks: a signal handler may be in the middle of anything."""

    def __init__(self, address: Address, timeout: float) -> None:
        self.address, self.timeout = address, timeout
        self._idle: deque[psycopg.Connection[Any]] = deque()
        self._all: dict[psycopg.Connection[Any], Seen] = {}
        _pools.add(self)
        weakref.finalize(self, _close, self._all)  # at the end of the process too

    def idle(self) -> psycopg.Connection[Any] | None:
        """One that was used before, and may have been lost since."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return None
            if not connection.closed:
                return connection
            self._all.pop(connection, None)

    def fresh(self) -> psycopg.Connection[Any]:
        """A new one."""
        connection = connect(self.address, self.timeout)
        self._all[connection] = Seen()
        return connection

    def give(self, connection: psycopg.Connection[Any]) -> None:
        """Take back one whose transaction has ended; others are closed."""
        idle = driver().pq.TransactionStatus.IDLE
        usable = self.holds(connection) and connection.info.transaction_status == idle
        if usable and len(self._idle) < _MOST:
            self._idle.append(connection)
        else:
            self.drop(connection)

    def drop(self, connection: psycopg.Connection[Any]) -> None:
        """Close one; the server undoes what it did not commit."""
        if self.holds(connection):
            self._all.pop(connection, None)
            with contextlib.suppress(Exception):
                connection.close()

    def holds(self, connection: psycopg.Connection[Any]) -> bool:
        """Whether it is open, and of this process."""
        return connection in self._all

    def seen(self, connection: psycopg.Connection[Any]) -> Seen:
        """What it found when it last looked at the schema."""
        return self._all[connection]

    def close(self) -> None:
        """Close those that are idle."""
        while (connection := self.idle()) is not None:
            self.drop(connection)

    def leave(self) -> None:
        """In a forked child: forget all connections."""
        for connection in self._all:
            with contextlib.suppress(Exception):
                os.close(connection.fileno())
            _inherited.append(connection)
        self._all.clear()
        self._idle.clear()


def _close(connections: dict[psycopg.Connection[Any], Seen]) -> None:
    while connections:
        with contextlib.suppress(Exception):
            connections.popitem()[0].close()


def _leave() -> None:
    for pool in list(_pools):
        pool.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave)
