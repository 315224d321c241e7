"""The chain: rows that can be appended and never changed unnoticed.

    digest_n = SHA-256(canonical text of row n without its digest),   row n holds digest_(n-1)

Each row also carries what is spent and the limit after it, so the last row is the whole state. A
value that is missing (None) does not enter the text: columns added by a later version leave the
digests of old rows as they were.

The chain finds damage and careless edits. Whoever can write the file can also compute a new chain;
against that, keep the head (row number and digest of the last row) somewhere else and compare.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import dataclass, fields, replace
from types import NoneType
from typing import Any

from privopt.accounting.budget import Units
from privopt.errors import LedgerError

__all__ = ["COLUMNS", "Row", "append", "check_digest", "last", "read", "strange"]

START = b"\0" * 32
_AMOUNTS = ("epsilon", "delta", "spent_epsilon", "spent_delta", "limit_epsilon", "limit_delta")
_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("time", "key", "request"), (str, NoneType)),
    "kind": (str,),
    "of": (int, NoneType),
    "output": (bytes, NoneType),
    "previous": (bytes,),
}
_DIGITS = 100  # of an amount in units; a budget has 60 at most


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row, as it is stored.

    Attributes
    ----------
    seq
        1, 2, 3, ... without holes.
    kind
        "opened", "limit", "migrated", "charge" or "output".
    time
        When (UTC). An output has none: how long it took to make may depend on d.
    key, request
        Idempotency key and canonical request of a charge; what an opened ledger is about.
    of, output
        Of an output: the row of its charge, and the released bytes.
    epsilon, delta
        The charge, in units (text: they do not fit 64 bits).
    spent_epsilon, spent_delta, limit_epsilon, limit_delta
        Sum of the charges and limit after this row, in units.
    previous, digest
        The chain.
    """

    seq: int
    kind: str
    time: str | None = None
    key: str | None = None
    request: str | None = None
    of: int | None = None
    output: bytes | None = None
    epsilon: str = "0"
    delta: str = "0"
    spent_epsilon: str = "0"
    spent_delta: str = "0"
    limit_epsilon: str = "0"
    limit_delta: str = "0"
    previous: bytes = START
    digest: bytes = b""

    @property
    def charge(self) -> Units:
        """What this row charges."""
        return Units(int(self.epsilon), int(self.delta))

    @property
    def spent(self) -> Units:
        """What is spent after this row."""
        return Units(int(self.spent_epsilon), int(self.spent_delta))

    @property
    def limit(self) -> Units:
        """The limit after this row."""
        return Units(int(self.limit_epsilon), int(self.limit_delta))

    def sealed(self) -> Row:
        """The same row with its digest."""
        return replace(self, digest=_digest(self))

    def after(
        self,
        kind: str,
        *,
        charge: Units = Units(0, 0),  # noqa: B008 -- a tuple
        limit: Units | None = None,
        time: str | None = None,
        key: str | None = None,
        request: str | None = None,
        of: int | None = None,
        output: bytes | None = None,
    ) -> Row:
        """The row that follows this one: sums carried on, chain carried on."""
        spent, limit = self.spent.plus(charge), self.limit if limit is None else limit
        return Row(
            seq=self.seq + 1,
            kind=kind,
            time=time,
            key=key,
            request=request,
            of=of,
            output=output,
            epsilon=str(charge.epsilon),
            delta=str(charge.delta),
            spent_epsilon=str(spent.epsilon),
            spent_delta=str(spent.delta),
            limit_epsilon=str(limit.epsilon),
            limit_delta=str(limit.delta),
            previous=self.digest,
        ).sealed()


COLUMNS = tuple(item.name for item in fields(Row))
_INSERT = f"INSERT INTO entries ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608
_EVER = "(SELECT seq FROM sqlite_sequence WHERE name = 'entries')"  # the largest row ever written
_LAST = f"SELECT {', '.join(COLUMNS)}, {_EVER} FROM entries ORDER BY seq DESC LIMIT 1"  # noqa: S608
_ONE = f"SELECT {', '.join(COLUMNS)} FROM entries WHERE seq = ?"  # noqa: S608


def _digest(row: Row) -> bytes:
    held = {name: getattr(row, name) for name in COLUMNS if name != "digest"}
    held = {name: value for name, value in held.items() if value is not None}
    text = json.dumps(held, sort_keys=True, separators=(",", ":"), default=_hex)
    return hashlib.sha256(text.encode()).digest()


def _hex(value: object) -> dict[str, str]:
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    raise TypeError


def check_digest(row: Row) -> None:
    """Refuse a row that is not what its digest says, or that no ledger writes."""
    if row.digest != _digest(row):
        raise LedgerError(
            f"row {row.seq} of the ledger is not what its digest says: it was altered or damaged.",
            "the file as privopt wrote it.",
            "restore the file from a backup; make no release until then.",
            row.seq,
        )
    if not _has_form(row):
        raise strange(row.seq)


def strange(seq: int) -> LedgerError:
    """The error of a row that fits its digest, and that no ledger writes."""
    return LedgerError(
        f"row {seq} of the ledger does not say what a ledger writes.",
        "the file as privopt wrote it.",
        "restore the file from a backup; make no release until then.",
        seq,
    )


def _has_form(row: Row) -> bool:
    """Whether the values of a row are of their kinds: SQLite takes any kind in any column."""
    held: dict[str, Any] = {name: getattr(row, name) for name in COLUMNS}
    amounts = [held[name] for name in _AMOUNTS]
    return all(isinstance(held[name], kinds) for name, kinds in _KINDS.items()) and all(
        isinstance(x, str) and x.isdecimal() and len(x) <= _DIGITS for x in amounts
    )


def append(connection: sqlite3.Connection, row: Row) -> None:
    """Write a sealed row."""
    connection.execute(_INSERT, tuple(getattr(row, name) for name in COLUMNS))


def last(connection: sqlite3.Connection) -> Row:
    """The last row, checked against its digest: the state of the ledger.

    It is the last that was ever written: without the rows after it, less would count as spent.
    """
    *found, ever = connection.execute(_LAST).fetchone() or (None,)
    row = _checked(tuple(found) or None, 1)
    if ever != row.seq:
        raise _lost(row.seq + 1)
    return row


def read(connection: sqlite3.Connection, seq: int) -> Row:
    """A row that must be there, checked against its digest."""
    return _checked(connection.execute(_ONE, (seq,)).fetchone(), seq)


def _checked(values: tuple[Any, ...] | None, seq: int) -> Row:
    if values is None:
        raise _lost(seq)
    row = Row(**dict(zip(COLUMNS, values, strict=True)))
    check_digest(row)
    return row


def _lost(seq: int) -> LedgerError:
    return LedgerError(
        f"the ledger has lost its row {seq}.",
        "the file as privopt wrote it.",
        "restore the file from a backup; make no release until then.",
        seq,
    )
