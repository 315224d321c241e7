"""A ledger on the screen: amounts as exact decimals, a bar of what is spent, a table of events."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from privopt.cli.streams import escape

if TYPE_CHECKING:
    from privopt.ledger import Budget, Event

__all__ = ["amounts_table", "events_table", "exact"]

_WIDTH = 16  # of the bar


def exact(amount: Budget) -> dict[str, str]:
    """Both parts as exact decimals in strings."""
    return dict(zip(("epsilon", "delta"), amount.charge.texts, strict=True))


def amounts_table(spent: Budget, limit: Budget, left: Budget) -> Table:
    """Spent, limit and left with a bar, for epsilon and (if there is any) delta."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for heading in ("spent", "limit", "left"):
        table.add_column(heading, overflow="fold", min_width=len(heading))
    table.add_column("", no_wrap=True)
    for place, name in enumerate(("epsilon", "delta")):
        amounts = [amount.charge.texts[place] for amount in (spent, limit, left)]
        if name == "epsilon" or amounts[:2] != ["0", "0"]:
            table.add_row(name, *amounts, _bar(spent.exact[place], limit.exact[place]))
    return table


def _bar(spent: Fraction, limit: Fraction) -> str:
    share = min(1.0, float(spent / limit)) if limit else float(spent > 0)
    colour = "green" if share < 0.8 else "yellow" if share < 1 else "red"
    full = round(_WIDTH * share)
    return f"[{colour}]{'█' * full}[/][dim]{'░' * (_WIDTH - full)}[/] {100 * share:.0f}%"


def events_table(events: tuple[Event, ...]) -> Table:
    """A row for each event; where it is narrow, cells are folded and no word is cut off."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("row", justify="right", no_wrap=True)
    table.add_column("time", overflow="fold", min_width=10)
    for heading in ("key", "mechanism", "privacy", "charge", ""):
        table.add_column(heading, overflow="fold", min_width=len(heading or "released"))
    for event in events:
        table.add_row(str(event.row), escape(event.time.replace("T", " ")), *_cells(event))
    return table


def _cells(event: Event) -> tuple[str, ...]:
    if event.kind != "charge":
        return "", f"[dim]{escape(event.kind)}[/]", "", f"[dim]limit {event.limit}[/]", ""
    state = "released" if event.released else "[yellow]without output[/]"
    if event.request is None:
        return escape(event.key or ""), "[dim]redacted[/]", "", str(event.charge), state
    colour = "green" if event.request.provenance == "PROVEN" else "yellow"
    return (
        escape(event.key or ""),
        escape(event.request.mechanism),
        f"[{colour}]{escape(event.request.provenance)}[/]",
        str(event.charge),
        state,
    )
