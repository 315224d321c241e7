"""The budget bar: what was spent of a limit, and what is left, with the quotas beneath it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privopt.digits import exactly
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.shapes import bar
from privopt.show.pictures.svg import Svg, clipped, group, joined, label, title
from privopt.show.pictures.theme import colour

__all__ = ["BudgetShare", "budget_bar"]

_WIDTH, _LEFT = 400.0, 96.0
_FULL = 0.999999  # of a limit: more is all of it
_HIGH = 0.8  # of a limit: from there on little is left


@dataclass(frozen=True, repr=False)
class BudgetShare:
    """What was spent of a limit, under a name."""

    name: str
    spent: float
    limit: float

    @property
    def part(self) -> float:
        """From 0 to 1; 1 where there is no limit to spend."""
        return min(1.0, self.spent / self.limit) if self.limit > 0 else 1.0

    @property
    def ink(self) -> str:
        """Blue while there is room, red when there is none."""
        return "bad" if self.part >= _FULL else "warn" if self.part >= _HIGH else "analytic"

    def said(self) -> str:
        """In words."""
        return f"{exactly(self.spent)} of {exactly(self.limit)}"


def budget_bar(
    shares: Sequence[BudgetShare], quotas: Sequence[BudgetShare] = (), caption: str = ""
) -> Picture:
    """A bar for each share of the whole budget, thick, then one for each quota, thin."""
    parts: list[Svg] = []
    top = 8.0
    for one in shares:
        parts.append(_row(one, top, 30.0))
        top += 62
    for one in quotas:
        parts.append(_row(one, top, 12.0))
        top += 40
    told = "; ".join(f"{one.name}: {one.said()} spent" for one in (*shares, *quotas))
    return Picture("The budget", f"{told}.", _WIDTH, top, joined(*parts), caption)


def _row(one: BudgetShare, top: float, high: float) -> Svg:
    """The frame is the limit, what is filled was spent; both numbers stand below."""
    right = _WIDTH - 10
    wide = right - _LEFT
    filled = one.part * wide
    left = max(0.0, one.limit - one.spent)
    below = top + high + 15
    spent = label(f"{exactly(one.spent)} spent", _LEFT, below, "start")
    rest = label(f"{left:.6g} left of {exactly(one.limit)}", right, below, "end",
                 fill=colour("muted"))  # fmt: skip
    return group(
        title(f"{one.name}: {one.said()} spent, {left:.6g} left"),
        label(clipped(one.name, _LEFT - 14, 12), _LEFT - 10, top + high / 2 + 4, "end"),
        bar(_LEFT, top, wide, high, "rule", fill="hollow"),
        bar(_LEFT, top, filled, high, one.ink) if filled > 0 else Svg(""),
        spent,
        rest,
    )
