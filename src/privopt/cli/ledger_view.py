"""What is spent of a ledger, as bars on the screen."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privopt.ledger import Event

__all__ = ["bars"]

_WIDTH = 16  # of the bar


def bars(now: Event) -> list[tuple[str, str]]:
    """How much of epsilon and (if there is any) of delta is spent, as facts."""
    both = zip(("epsilon", "delta"), now.spent.exact, now.limit.exact, strict=True)
    return [
        (f"{name} spent", _bar(spent, limit))
        for name, spent, limit in both
        if name == "epsilon" or spent or limit
    ]


def _bar(spent: Fraction, limit: Fraction) -> str:
    share = min(1.0, float(spent / limit)) if limit else float(spent > 0)
    colour = "green" if share < 0.8 else "yellow" if share < 1 else "red"
    full = round(_WIDTH * share)
    return f"[{colour}]{'█' * full}[/][dim]{'░' * (_WIDTH - full)}[/] {100 * share:.0f}%"
