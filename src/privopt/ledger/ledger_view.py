"""A ledger as it shows itself: its events in a table, and what was spent row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privopt.ledger.inspection import Event
from privopt.show.figures import BLUE, ORANGE, figure, titled
from privopt.show.view import Fact, Table, View

if TYPE_CHECKING:
    from privopt.ledger.ledger import Ledger

__all__ = ["plot", "view"]


def view(ledger: Ledger, last: int = 0) -> View:
    """What was spent, and the events; only the last ones, where a number is given."""
    events, subject = ledger.recent(last) if last else ledger.events, ledger.subject
    spent, limit = events[-1].spent, events[-1].limit
    return View(
        f"Ledger of {subject.dataset}",
        _table(events),
        (
            Fact("spent", str(spent)),
            Fact("limit", str(limit)),
            Fact("left", str(limit.limit.minus(spent.charge).budget)),
            Fact("neighbours", subject.neighbours),
        ),
        (f"file: {ledger.place}",),
        tail=True,
    )


def _table(events: tuple[Event, ...]) -> Table:
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
