"""Looking at a ledger: what happened, all of it or the last things. Nothing here writes."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from privopt.accounting import chain
from privopt.accounting.budget import Budget
from privopt.accounting.request import Request
from privopt.accounting.row import Row, check_row
from privopt.accounting.verification import Reading
from privopt.showing.view import Table

__all__ = ["Event", "count_events", "events_of", "table"]


@dataclass(frozen=True)
class Event:
    """One thing that happened to a ledger.

    Attributes
    ----------
    row, time, kind
        Row number, when (UTC), and "opened", "limit", "migrated", "moved" (opened under another
        name, or as another file), "redacted" or "charge".
    key, request, charge
        Of a charge: its key, its public parameters (None where they were blanked), and its cost.
    released
        Whether its output was stored. If not, it is burnt, or being made right now.
    redacted
        Whether key or request were blanked.
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
    redacted: bool
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
            "redacted": self.redacted,
            **{
                name: dict(zip(("epsilon", "delta"), value.charge.texts, strict=True))
                for name, value in amounts.items()
            },
        }


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


_START = """SELECT min(seq) FROM
    (SELECT seq FROM entries WHERE kind <> 'output' ORDER BY seq DESC LIMIT ?)"""
_PORTION = 2000
_MOST = 2**62  # rows; SQLite knows no larger numbers


def count_events(connection: sqlite3.Connection) -> int:
    """How many events there are: rows that are no outputs."""
    return int(connection.execute("SELECT count(*) - count(of) FROM entries").fetchone()[0])


def events_of(reading: Reading, last: int | None = None) -> tuple[Event, ...]:
    """Everything that happened, in order, or the last things; outputs are part of their charge.

    The last things are found from the end: what came before them is not read.
    """
    after = 0
    if last is not None:
        with reading() as connection:
            after = int(connection.execute(_START, (min(last, _MOST),)).fetchone()[0] or 1) - 1
    held: list[Row] = []
    released: set[int | None] = set()
    more = True
    while more:
        with reading() as connection:
            portion = list(chain.rows(connection, after, _PORTION, light=True))
        for row in portion:
            check_row(row)
            if row.kind == "output":
                released.add(row.of)
            else:
                held.append(row)
        after += len(portion)
        more = len(portion) == _PORTION
    return tuple(_event(row, row.seq in released) for row in held)


def _event(row: Row, released: bool) -> Event:
    return Event(
        row=row.seq,
        time=row.time or "",
        kind=row.kind,
        key=row.key,
        request=Request.read(row.request) if row.kind == "charge" and row.request else None,
        charge=row.charge.budget,
        released=released,
        redacted=row.redacted,
        spent=row.spent.budget,
        limit=row.limit.budget,
    )
