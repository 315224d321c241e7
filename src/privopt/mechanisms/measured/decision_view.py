"""How a decision shows itself: its values, how far off they are, what they tell and cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privopt.digits import charge, up
from privopt.kernel.measurement import Measurement
from privopt.mechanisms.completed import completed_words
from privopt.show.pictures.intervals import Dots, intervals
from privopt.show.pictures.over_time import lines_of, over_time
from privopt.show.pictures.picture import Picture
from privopt.show.units import axis, each_unit, unit_column, unit_facts, valued_in
from privopt.show.view import Fact, Table, View
from privopt.show.worth import (
    MEASURED,
    worth_columns,
    worth_facts,
    worth_line,
    worth_note,
    worth_warnings,
)

if TYPE_CHECKING:
    from privopt.mechanisms.measured.decision import Decision

__all__ = ["in_short", "named", "plot_of", "view_of"]

_DRAWS = "The draws are of what the measurement leaves possible."


def in_short(decision: Decision) -> str:
    """What it is, what is worth knowing of it, and what it claims."""
    far, spread = (
        valued_in(f"{value:.3g}", decision.units) for value in (decision.distance, decision.spread)
    )
    lines = (
        f"Decision({decision.program.sizes}, {len(decision.values)} values; expected loss "
        f"{100 * decision.loss:.3g}%, distance {far}, of a constant {spread}; "
        f"tells {decision.worth.verdict})",
        *worth_warnings(decision.worth),
        str(decision.guarantee.in_units(decision.units)),
    )
    return "\n".join(lines)


def view_of(decision: Decision) -> View:
    """Each value, what the decision costs, tells and claims, and what it rests on."""
    rests = "; ".join(named(one) for one in decision.measurements) or "nothing"
    money = "" if decision.program.units is None else decision.program.units.cost
    labels = unit_column(decision.units, len(decision.names))
    columns = {"decided": decision.values, **labels, **worth_columns(decision.worth)}
    return View(
        "Decision",
        Table("value", decision.names, columns, "what is released"),
        (
            Fact("program", decision.program.sizes),
            Fact("rests on", rests),
            Fact(
                "charge",
                f"{charge(decision.epsilon, decision.delta)}, of the measurement; the decision "
                "adds nothing",
                f"ε = {up(decision.epsilon, 4)}",
                "charged once, by the measurement",
            ),
            Fact(
                "completed loss",
                completed_words(decision.completed_loss),
                f"{100 * decision.loss:.3g}%",
                "expected extra cost, once the curator has optimised what is not released",
            ),
            Fact(
                "optimal cost",
                f"{decision.optimal_cost.summary(money)} [SAMPLED]",
                f"{decision.optimal_cost.value:.4g} {money}".rstrip(),
                "mean cost without privacy, by what the measurement leaves possible",
            ),
            *unit_facts(decision.units),
            *worth_facts(decision.worth, decision.units, MEASURED),
        ),
        (f"{worth_note(decision.worth)} {_DRAWS}".strip(),),
        decision.guarantee.in_units(decision.units),
        worth_warnings(decision.worth),
        lead="Values of a solution that can be completed whatever the private data are, as far as "
        "a measurement with noise leaves them possible. Decided from that measurement and public "
        "data alone.",
    )


def plot_of(decision: Decision) -> Picture:
    """The values, and how far the non-private answers lie from them; over time, where they are."""
    values, wide = decision.values, 2 * decision.errors
    low, high = values - wide, values + wide
    about = (
        f"expected loss {100 * decision.loss:.3g}%",
        worth_line(decision.worth),
        "bars: twice the expected distance of the answers",
    )
    title, below = "Decided values, and where the answers lie", "; ".join(filter(None, about))
    periods = () if decision.program.periods is None else decision.program.periods.labels
    lines = lines_of(decision.names, values, low, high, periods) if len(periods) > 1 else None
    if lines is not None:
        return over_time(lines, periods, title, below, axis("value", decision.units))
    marks = [Dots("decided", values, low, high)]
    units = each_unit(decision.units, len(decision.names))
    return intervals(decision.names, marks, title, below, "value", units)


def named(one: Measurement) -> str:
    """A measurement in words: what was measured, its digest and its row in a ledger."""
    if one.release is None:
        return "nothing measured"
    where = "in no ledger" if one.ledger is None else f"row {one.ledger.row} of its ledger"
    count = len(one.names)
    return f"{count} measured sum{'s' if count > 1 else ''} ({one.digest[:12]}, {where})"
