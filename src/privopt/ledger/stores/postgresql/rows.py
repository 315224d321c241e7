"""The rows of a ledger on PostgreSQL: how they are written and found.

The last row must be the last that was ever written: `head`, which every new row changes in the same
transaction, has its number and digest. Long listings are read in portions that grow, so a look
at the first rows is cheap and a look at all of them takes little memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from privopt.ledger.form import damaged, lost
from privopt.ledger.row import COLUMNS, Row
from privopt.ledger.stores.postgresql.address import Address
from privopt.ledger.stores.postgresql.connecting import driver
from privopt.ledger.stores.postgresql.failures import failure

if TYPE_CHECKING:
    import psycopg

__all__ = ["ServerRows"]

_NAMES = ", ".join(f'"{name}"' for name in COLUMNS)
_LIGHT = ", ".join("NULL" if name == "output" else f'"{name}"' for name in COLUMNS)
_LAST = ", ".join("NULL" if name == "output" else f'found."{name}"' for name in COLUMNS)
_FEW, _MANY = 4, 256  # rows of a portion
_END = 2**63 - 1  # no row has this number


@dataclass(eq=False)
class ServerRows:
    """The rows, inside a transaction: a `stores.protocol.Transaction`.

    Attributes
    ----------
    written
        The last row that this transaction appended.
    """

    connection: psycopg.Connection[Any]
    address: Address
    waits: bool = True
    written: Row | None = field(default=None, init=False)
    _head: tuple[int, bytes] | None = field(default=None, init=False)

    def append(self, row: Row) -> None:
        """Let the server check and keep a sealed row."""
        values = tuple(getattr(row, name) for name in COLUMNS)
        self._one(f"SELECT SCHEMA.append({', '.join(['%s'] * len(COLUMNS))})", values)
        self.written, self._head = row, (row.seq, row.digest)

    def blank(self, seq: int, *things: str) -> None:
        """Empty things of a row; older versions of it stay in the server's files for a while."""
        emptied = ", ".join(f'"{name}" = NULL' for name in things)
        self._run(f"UPDATE SCHEMA.entries SET {emptied} WHERE seq = %s", (seq,))  # noqa: S608

    def last(self) -> Row | None:
        """The row of the largest number, without its output."""
        if self.written is not None:  # by this transaction, and checked by the server
            return replace(self.written, output=None)
        sql = (
            f"SELECT head.seq, head.digest, {_LAST} FROM SCHEMA.head LEFT JOIN "  # noqa: S608
            "(SELECT * FROM SCHEMA.entries ORDER BY seq DESC LIMIT 1) AS found ON true"
        )
        found = self._one(sql)
        if found is None or found[2] is None:
            return None
        self._head = (int(found[0]), bytes(found[1]))
        return _row(found[2:])

    def _named_last(self) -> tuple[int, bytes]:
        """Number and digest of the last row, as the head has them."""
        if self._head is None:
            found = self._one("SELECT seq, digest FROM SCHEMA.head")
            self._head = (0, b"") if found is None else (int(found[0]), bytes(found[1]))
        return self._head

    def largest(self) -> int:
        """The number that the head names."""
        return self._named_last()[0]

    def row(self, seq: int) -> Row | None:
        """The row of a number."""
        return self._named("seq", seq)

    def kind(self, seq: int) -> str | None:
        """The kind of a row."""
        found = self._one("SELECT kind FROM SCHEMA.entries WHERE seq = %s", (seq,))
        return None if found is None else str(found[0])

    def row_of_key(self, digest: bytes) -> Row | None:
        """The charge that the index of keys names."""
        return self._named("key_digest", digest)

    def output_of(self, charge: int) -> Row | None:
        """The output that the index of charges names."""
        return self._named("of", charge)

    def last_of(self, releaser: str, before: int | None = None) -> Row | None:
        """The last row that the index of releasers names."""
        sql = (
            f"SELECT {_LIGHT} FROM SCHEMA.entries WHERE releaser = %s AND seq < %s "  # noqa: S608
            "ORDER BY seq DESC LIMIT 1"
        )
        return _row(self._one(sql, (releaser, _END if before is None else before)))

    def releasers(self) -> Iterator[str]:
        """Each name in the index of releasers; one look for each."""
        name, sql = "", "SELECT min(releaser) FROM SCHEMA.entries WHERE releaser > %s"
        while True:
            found = self._one(sql, (name,))
            if found is None or found[0] is None:
                return
            name = str(found[0])
            yield name

    def rows(self, first: int, *, back: bool = False, light: bool = False) -> Iterator[Row]:
        """Rows from a number on, or back from it, in portions."""
        sql = (
            f"SELECT {_LIGHT if light else _NAMES} FROM SCHEMA.entries "  # noqa: S608
            f"WHERE seq {'<=' if back else '>='} %s ORDER BY seq {'DESC' if back else ''} LIMIT %s"
        )
        portion = _FEW
        while True:
            try:
                found = self._run(sql, (first, portion)).fetchall()
            except driver().Error as error:
                raise failure(self.address, error) from None
            for values in found:
                yield Row(**dict(zip(COLUMNS, values, strict=True)))
            if len(found) < portion:
                return
            first = found[-1][0] + (-1 if back else 1)
            portion = min(2 * portion, _MANY)

    def check_last(self, row: Row) -> None:
        """Refuse a last row that the head does not name."""
        if self._named_last() != (row.seq, row.digest):
            raise lost(row.seq + 1)

    def check_whole(self, row: Row) -> None:
        """Refuse indexes that do not name as many rows as there are."""
        counts = "SELECT count(*), count(DISTINCT seq), max(seq) FROM SCHEMA.entries"
        found = self._one(counts)
        if found != (row.seq, row.seq, row.seq):
            raise damaged("the rows and the indexes of the ledger do not fit together", row.seq)

    def _named(self, name: str, value: bytes | int) -> Row | None:
        sql = f'SELECT {_NAMES} FROM SCHEMA.entries WHERE "{name}" = %s LIMIT 1'  # noqa: S608
        return _row(self._one(sql, (value,)))

    def _one(self, sql: str, given: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
        return self._run(sql, given).fetchone()

    def _run(self, sql: str, given: tuple[Any, ...] = ()) -> psycopg.Cursor[Any]:
        # The name of a schema is a plain word: `address` takes no other.
        text: Any = sql.replace("SCHEMA.", f"{self.address.quoted}.")
        return self.connection.execute(text, given or None)


def _row(values: tuple[Any, ...] | None) -> Row | None:
    return None if values is None else Row(**dict(zip(COLUMNS, values, strict=True)))
