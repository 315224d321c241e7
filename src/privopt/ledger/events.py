"""What happened to a ledger, event by event: all of it in order, or the last things.

Rows are read in portions, each in a transaction of its own: a reader holds up whoever charges. No
more is kept of a ledger of any length than one portion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from privopt.ledger import chain
from privopt.ledger.budget import Budget
from privopt.ledger.form import lost
from privopt.ledger.request import Request
from privopt.ledger.row import Row
from privopt.ledger.stores.protocol import Reading, Transaction

__all__ = ["PORTION", "Event", "history", "recent"]

PORTION = 2000


@dataclass(frozen=True)
class Event:
    """One thing that happened to a ledger.

    Attributes
    ----------
    row, time, kind
        Row number, when (UTC), and "opened", "limit", "quota", "moved" (opened under another name,
        or as another file), "redacted", "closed" (it goes on elsewhere) or "charge".
    key, request, charge
        Of a charge: its key, its public parameters (None where they were blanked), and its cost.
    released
        Whether its output was stored. If not, it is burnt, or being made right now.
    redacted
        Whether key or request were blanked.
    spent, limit
        After the event.
    releaser
        Of a charge: by whom, if it was said. Of a quota: for whom.
    quota
        The quota that was set.
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
    releaser: str | None = None
    quota: Budget | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; amounts as exact decimals in strings."""
        return {
            "row": self.row,
            "time": self.time,
            "kind": self.kind,
            "key": self.key,
            "request": None if self.request is None else self.request.to_dict(),
            "released": self.released,
            "redacted": self.redacted,
            "releaser": self.releaser,
            "quota": None if self.quota is None else self.quota.to_dict(),
            "charge": self.charge.to_dict(),
            "spent": self.spent.to_dict(),
            "limit": self.limit.to_dict(),
        }


def history(reading: Reading) -> Iterator[Event]:
    """Everything that happened, in order; outputs are part of their charge.

    Read in portions, each in a transaction of its own, and no more is kept than one of them. What
    others append meanwhile is not seen.
    """
    with reading() as transaction:
        end, after = chain.last(transaction).seq, 0
    while after < end:
        with reading() as transaction:
            found = chain.rows(transaction, after + 1, light=True)
            rows = list(islice(found, min(PORTION, end - after)))
            if not rows:
                raise lost(after + 1)
            near = {row.of for row in rows if row.kind == "output"}
            events = [
                _event(row, row.seq in near or _has_output(transaction, row))
                for row in rows
                if row.kind != "output"
            ]
            after = rows[-1].seq
        yield from events


def _has_output(transaction: Transaction, row: Row) -> bool:
    """Whether a charge has an output further on."""
    return row.kind == "charge" and chain.output_of(transaction, row.seq) is not None


def recent(reading: Reading, last: int) -> tuple[Event, ...]:
    """The last things that happened, in order.

    Read from the end: what came before them is not read, and an output is met before its charge.
    """
    events: list[Event] = []
    released: set[int | None] = set()
    with reading() as transaction:
        left = chain.last(transaction).seq
    while left > 0 and len(events) != last:
        with reading() as transaction:
            for row in islice(chain.rows(transaction, left, back=True, light=True), PORTION):
                left = row.seq - 1
                if row.kind == "output":
                    released.add(row.of)
                else:
                    events.append(_event(row, row.seq in released))
                if len(events) == last:
                    break
    return tuple(reversed(events))


def _event(row: Row, released: bool) -> Event:
    share = row.share if row.kind == "quota" else None
    return Event(
        row=row.seq,
        time=row.time or "",
        kind=row.kind,
        key=row.key,
        request=row.asked,
        charge=row.charge.budget,
        released=released,
        redacted=row.redacted,
        spent=row.spent.budget,
        limit=row.limit.budget,
        releaser=row.releaser,
        quota=share.limit.budget if share is not None and share.limit is not None else None,
    )
