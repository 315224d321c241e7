"""Looking at a ledger: its events, and whether it is whole. Nothing here writes.

`verify` reads every row once and checks the chain, the sums, the limit at each charge, that each
charge is what its request costs, that all requests speak of the same neighbours, and the tables.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from privopt.accounting import schema
from privopt.accounting.budget import Budget
from privopt.accounting.chain import COLUMNS, START, Row, check_digest
from privopt.accounting.request import Request
from privopt.accounting.subject import Subject, check_subject
from privopt.errors import LedgerError, PrivoptError
from privopt.showing.view import Table

__all__ = ["Event", "Report", "events_of", "table", "verify"]


@dataclass(frozen=True)
class Event:
    """One thing that happened to a ledger.

    Attributes
    ----------
    row, time, kind
        Row number, when (UTC), and "opened", "limit", "migrated" or "charge".
    key, request, charge
        Of a charge: its key, its public parameters, and what it cost.
    released
        Whether its output was stored. If not, it is burnt, or being made right now.
    spent, limit
        After the event.
    """

    row: int
    time: str
    kind: str
    key: str | None
    request: Request | None
    charge: Budget
    released: bool
    spent: Budget
    limit: Budget

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; amounts as exact decimals in strings."""
        amounts = {"charge": self.charge, "spent": self.spent, "limit": self.limit}
        return {
            "row": self.row,
            "time": self.time,
            "kind": self.kind,
            "key": self.key,
            "request": None if self.request is None else self.request.to_dict(),
            "released": self.released,
            **{
                name: dict(zip(("epsilon", "delta"), value.charge.texts, strict=True))
                for name, value in amounts.items()
            },
        }


@dataclass(frozen=True)
class Report:
    """What `verify` found: every row is as it was written, and the sums are right.

    Attributes
    ----------
    dataset, rows, charges, released
        Name, and how many rows, charges, and charges whose output was stored.
    spent, limit
        Now.
    head
        Row number and digest of the last row. Kept elsewhere and given to `verify` later, it shows
        that nothing before it was rewritten.
    drive
        Where the file lies, or that this was not checked.
    """

    dataset: str
    rows: int
    charges: int
    released: int
    spent: Budget
    limit: Budget
    head: tuple[int, str]
    drive: str

    @property
    def unfinished(self) -> int:
        """Charges without output: burnt, or being made right now."""
        return self.charges - self.released

    def summary(self) -> str:
        """The report in words."""
        return (
            f"Ledger of {self.dataset}: {self.rows} rows, chain whole. {self.charges} charges, "
            f"{self.released} released, {self.unfinished} without output.\n"
            f"  spent {self.spent}\n  limit {self.limit}\n"
            f"  head  row {self.head[0]}, {self.head[1]}\n  {self.drive}"
        )


def table(events: tuple[Event, ...]) -> Table:
    """A row for each event; amounts as floats."""
    requests = [event.request for event in events]
    return Table(
        "row",
        [event.row for event in events],
        {
            "time": [event.time for event in events],
            "kind": [event.kind for event in events],
            "key": [event.key for event in events],
            "mechanism": [None if one is None else one.mechanism for one in requests],
            "privacy": [None if one is None else one.provenance for one in requests],
            "epsilon": [event.charge.epsilon for event in events],
            "delta": [event.charge.delta for event in events],
            "released": [event.released for event in events],
        },
    )


_ROWS = f"SELECT {', '.join(COLUMNS)} FROM entries ORDER BY seq"  # noqa: S608


def events_of(connection: sqlite3.Connection) -> tuple[Event, ...]:
    """Everything that happened, in order; outputs are part of their charge."""
    rows: list[Row] = []
    released: set[int | None] = set()
    for row in _rows(connection):
        check_digest(row)
        if row.kind == "output":
            released.add(row.of)
        else:
            rows.append(row)
    return tuple(
        Event(
            row=row.seq,
            time=row.time or "",
            kind=row.kind,
            key=row.key,
            request=Request.read(row.request) if row.kind == "charge" and row.request else None,
            charge=row.charge.budget,
            released=row.seq in released,
            spent=row.spent.budget,
            limit=row.limit.budget,
        )
        for row in rows
    )


def verify(
    connection: sqlite3.Connection, drive: str, head: tuple[int, str] | None = None
) -> Report:
    """Check every row; raise a `LedgerError` that names the first bad one."""
    if not schema.has_schema(connection):
        raise _bad(0, "the tables of the ledger are not those that privopt makes")
    open_charges: set[int] = set()
    before, subject, charges = None, None, 0
    for row in _rows(connection):
        _follows(before, row)
        try:
            if before is None:
                subject = Subject.read(row.request or "")
            elif subject is not None:
                subject = _sound(before, row, subject, open_charges)
        except (PrivoptError, ValueError, TypeError, KeyError, AttributeError):
            raise _bad(row.seq, f"row {row.seq} does not say what a ledger writes") from None
        charges += row.kind == "charge"
        if head is not None and row.seq == head[0] and row.digest.hex() != head[1]:
            raise _bad(row.seq, f"row {row.seq} is not the head that was noted: it was rewritten")
        before = row
    largest = connection.execute("SELECT seq FROM sqlite_sequence WHERE name='entries'").fetchone()
    rows = 0 if before is None else before.seq
    expected = max(0 if largest is None else largest[0], 1 if head is None else head[0])
    if before is None or subject is None or rows < expected:
        raise _bad(rows + 1, f"row {rows + 1} is missing: the ledger once had {expected} rows")
    return Report(
        dataset=subject.dataset,
        rows=rows,
        charges=charges,
        released=charges - len(open_charges),
        spent=before.spent.budget,
        limit=before.limit.budget,
        head=(rows, before.digest.hex()),
        drive=drive,
    )


def _rows(connection: sqlite3.Connection) -> Iterator[Row]:
    seen = 0
    try:
        for found in connection.execute(_ROWS):
            yield Row(**dict(zip(COLUMNS, found, strict=True)))
            seen += 1
    except sqlite3.Error:
        raise _bad(seen + 1, f"row {seen + 1} cannot be read: the file is damaged") from None


def _follows(before: Row | None, row: Row) -> None:
    """Number and chain: the row comes right after the one before."""
    seq = 1 if before is None else before.seq + 1
    if row.seq != seq:
        raise _bad(seq, f"row {seq} is missing")
    check_digest(row)
    if row.previous != (START if before is None else before.digest):
        raise _bad(seq, f"row {seq} does not continue the chain")
    if (row.kind == "opened") != (before is None):
        raise _bad(seq, f"row {seq} is out of place")


def _sound(before: Row, row: Row, subject: Subject, open_charges: set[int]) -> Subject:
    """Contents: sums, limit, request, and the state of charges. ValueError if not."""
    expected = before.after(
        row.kind,
        charge=row.charge,
        limit=row.limit if row.kind == "limit" else None,
        time=row.time,
        key=row.key,
        request=row.request,
        of=row.of,
        output=row.output,
    )
    if row != expected:
        raise ValueError
    if row.kind == "charge":
        request = Request.read(row.request or "")
        check_subject(subject, dataset=None, alpha=request.alpha, private=request.private)
        free = row.charge == (0, 0)
        if row.charge != request.charge.charge or not (free or row.spent.within(row.limit)):
            raise ValueError
        open_charges.add(row.seq)
        return subject.settled(request)
    if row.charge != (0, 0) or row.kind not in ("limit", "migrated", "output"):
        raise ValueError
    if row.kind == "output":
        if row.of is None or row.output is None:
            raise ValueError
        open_charges.remove(row.of)
    return subject


def _bad(row: int, what: str) -> LedgerError:
    return LedgerError(
        f"{what}.",
        "the file as privopt wrote it.",
        "restore the file from a backup; make no release until then.",
        row,
    )
