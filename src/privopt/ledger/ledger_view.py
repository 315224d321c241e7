"""A ledger as it shows itself: its events in a table, and what was spent row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privopt.ledger import inspection
from privopt.show.figures import BLUE, ORANGE, figure, titled
from privopt.show.view import Note, View

if TYPE_CHECKING:
    from privopt.ledger.ledger import Ledger

__all__ = ["plot", "view"]


def view(ledger: Ledger) -> View:
    """Title, table and notes."""
    events, subject = ledger.events, ledger.subject
    spent, limit = events[-1].spent, events[-1].limit
    return View(
        f"Ledger of {subject.dataset}: spent {spent} of {limit}",
        inspection.table(events),
        (
            Note(f"left: {limit.limit.minus(spent.charge).budget}"),
            Note(f"neighbours: {subject.neighbours}"),
            Note(f"file: {ledger.place}"),
        ),
        tail=True,
    )


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
