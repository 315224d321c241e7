"""Looking at a ledger: what happened, all of it or the last things, and what was spent row by row.

Nothing here writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from privopt.ledger import chain
from privopt.ledger.budget import Budget
from privopt.ledger.request import Request
from privopt.ledger.row import Row
from privopt.ledger.stores.protocol import Reading
from privopt.show.figures import BLUE, ORANGE, figure, titled
from privopt.show.view import Fact, Table, View

if TYPE_CHECKING:
    from privopt.ledger.ledger import Ledger

__all__ = ["Event", "events_of", "plot", "table", "view"]

_PORTION = 2000


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
        return {
            "row": self.row,
            "time": self.time,
            "kind": self.kind,
            "key": self.key,
            "request": None if self.request is None else self.request.to_dict(),
            "released": self.released,
            "redacted": self.redacted,
            "charge": self.charge.to_dict(),
            "spent": self.spent.to_dict(),
            "limit": self.limit.to_dict(),
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


def events_of(reading: Reading, last: int | None = None) -> tuple[Event, ...]:
    """Everything that happened, in order, or the last things; outputs are part of their charge.

    Read from the end: what came before the last things is not read, and an output is met before its
    charge. What others append meanwhile is not seen. No row is kept, the events are.
    """
    events: list[Event] = []
    released: set[int | None] = set()
    with reading() as transaction:
        left = chain.last(transaction).seq
    while left > 0 and len(events) != last:
        with reading() as transaction:
            for row in islice(chain.rows(transaction, left, back=True, light=True), _PORTION):
                left = row.seq - 1
                if row.kind == "output":
                    released.add(row.of)
                else:
                    events.append(_event(row, row.seq in released))
                if len(events) == last:
                    break
    return tuple(reversed(events))


def _event(row: Row, released: bool) -> Event:
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
    )


def view(ledger: Ledger, last: int = 0) -> View:
    """What was spent, and the events; only the last ones, where a number is given."""
    events, subject = ledger.recent(last) if last else ledger.events, ledger.subject
    spent, limit = events[-1].spent, events[-1].limit
    return View(
        f"Ledger of {subject.dataset}",
        _exact(events),
        (
            Fact("spent", str(spent)),
            Fact("limit", str(limit)),
            Fact("left", str(limit.limit.minus(spent.charge).budget)),
            Fact("neighbours", subject.neighbours),
        ),
        (f"file: {ledger.place}",),
        tail=True,
    )


def _exact(events: tuple[Event, ...]) -> Table:
    """A row for each event; amounts as exact decimals."""
    cells = zip(*map(_cells, events), strict=True)
    headings = ("time", "key", "mechanism", "privacy", "charge", "output")
    return Table("row", [event.row for event in events], dict(zip(headings, cells, strict=True)))


def _cells(event: Event) -> tuple[str, ...]:
    time, key = event.time.replace("T", " "), event.key or ""
    if event.kind != "charge":
        return time, "", event.kind, "", f"limit {event.limit}", ""
    of = ("redacted", "") if event.request is None else (
        event.request.mechanism, event.request.provenance
    )  # fmt: skip
    return time, key, *of, str(event.charge), "released" if event.released else "without output"


def plot(ledger: Ledger) -> Any:  # noqa: ANN401 -- a plotly figure; plotly has no types
    """What was spent, row by row, below the limit."""
    events = ledger.events
    rows = [event.row for event in events]
    lines = (
        ("spent", [event.spent.epsilon for event in events], BLUE),
        ("limit", [event.limit.epsilon for event in events], ORANGE),
    )
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": rows,
            "y": values,
            "name": label,
            "line": {"shape": "hv", "color": colour},
            "hovertemplate": f"row %{{x}}: {label} %{{y:.6g}}<extra></extra>",
        }
        for label, values, colour in lines
    ]
    return figure(
        data,
        f"Ledger of {ledger.dataset}",
        f"spent {events[-1].spent} of {events[-1].limit}",
        xaxis=titled("row", rangemode="tozero"),
        yaxis=titled("epsilon", rangemode="tozero"),
    )
