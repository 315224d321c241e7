"""The demo's page: one release from the first noise to the ledger, for who sees it first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import privopt
from privopt.ledger.inspection import budget
from privopt.report.plots.story import UNIT, dispatch_map, indistinguishable, three_ways
from privopt.report.sheet import filled

if TYPE_CHECKING:
    from privopt.experiments.story import Story, Way
    from privopt.ledger.ledger import Ledger

__all__ = ["demo_page", "small_percent"]

_IDEAS = {
    "noise outside": "Solve, then add noise to each supply.",
    "noise inside": "The paper’s plan: keep so far from every limit that the noise has room.",
    "measured": "Add noise to one number, the total demand; decide all supplies from it in public.",
}


def demo_page(told: Story, ledger: Ledger, paper: str | None = None) -> str:
    """The page as text; `paper` is the file of the paper's page beside it, if there is one."""
    noise = told.measurement.release
    checked = ledger.verify()
    charges = [one for one in ledger.history() if one.kind == "charge"]
    return filled(
        "demo.html.jinja",
        told=told,
        ideas=_IDEAS,
        unit=UNIT,
        hero=three_ways(told),
        map=dispatch_map(told),
        proof=indistinguishable(told, told.epsilon, told.alpha),
        odds=f"{math.exp(told.epsilon):.2g}",
        budget=budget(ledger),
        ledger=ledger,
        charges=charges,
        checked=checked,
        release=noise,
        extra=_extra,
        paper=paper,
        small=small_percent,
        version=privopt.__version__,
    )


def _extra(way: Way) -> str:
    """The extra cost in words."""
    if way.loss is None:
        return "not defined: most releases cannot be carried out"
    return small_percent(way.loss)


def small_percent(share: float) -> str:
    """A share as a percentage with two digits that count; what is below a millionth is zero."""
    if abs(share) < 1e-8:
        return "0%"
    digits = max(0, 1 - math.floor(math.log10(abs(100 * share))))
    return f"{100 * share:.{min(digits, 6)}f}%"
