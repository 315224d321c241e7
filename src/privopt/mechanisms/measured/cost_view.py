"""How a decision about the cost shows itself: its value, its interval, and what they rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privopt.digits import charge, down, up
from privopt.mechanisms.measured.decision_view import named
from privopt.show.pictures.intervals import Dots, intervals
from privopt.show.pictures.picture import Picture
from privopt.show.units import axis, in_money, unit_column, unit_facts
from privopt.show.view import Fact, Table, View
from privopt.show.worth import worth_columns, worth_facts, worth_line, worth_note, worth_warnings

if TYPE_CHECKING:
    from privopt.mechanisms.measured.cost_decision import CostDecision

__all__ = ["in_short", "plot_of", "view_of"]

_DIGITS = 8


def _ends(decision: CostDecision) -> tuple[str, str]:
    lower, upper = decision.interval
    return down(lower, _DIGITS), up(upper, _DIGITS)


def in_short(decision: CostDecision) -> str:
    """What it is, what is worth knowing of it, and what it claims."""
    low, high = _ends(decision)
    lines = (
        f"CostDecision({decision.program.sizes}; cost {decision.value:.6g}, between {low} and "
        f"{in_money(high, decision.units)}; off by {decision.error:.3g}, a constant by "
        f"{in_money(f'{decision.spread:.3g}', decision.units)})",
        *worth_warnings(decision.worth),
        str(decision.guarantee.in_units(decision.units)),
    )
    return "\n".join(lines)


def view_of(decision: CostDecision) -> View:
    """The value, its interval, what it tells and claims, and what it rests on."""
    rests = "; ".join(named(one) for one in decision.measurements) or "nothing"
    low, high = _ends(decision)
    high = in_money(high, decision.units)
    one, mean = decision.estimate, in_money(f"{decision.value:.8g}", decision.units)
    most = in_money(f"{one.interval[1]:.8g}", decision.units)
    columns: dict[str, Any] = {
        "decided": np.array([decision.value]),
        "at least": np.array([decision.interval[0]]),
        "at most": np.array([decision.interval[1]]),
        **unit_column(decision.units, 1),
        **worth_columns(decision.worth),
    }
    return View(
        "Optimal cost",
        Table("value", ("cost",), columns, "what is released"),
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
                "interval",
                f"{low} to {high}, for all data that the measurement leaves possible",
                f"{low} .. {high}",
                "holds the optimal cost",
            ),
            Fact(
                "mean",
                f"{mean} over {one.samples} draws; with {100 * one.confidence:.10g}% confidence "
                f"that of more draws is within {one.interval[0]:.8g} to {most}",
            ),
            *unit_facts(decision.program.units),
            *worth_facts(decision.worth, decision.units),
        ),
        (worth_note(decision.worth),) if worth_note(decision.worth) else (),
        decision.guarantee.in_units(decision.units),
        worth_warnings(decision.worth),
        lead="The optimal cost of a program with private data: its mean over what a measurement "
        "with noise leaves possible, and an interval that holds it for all of that. Decided from "
        "that measurement and public data alone.",
    )


def plot_of(decision: CostDecision) -> Picture:
    """The value within its interval, beside the best constant and what varies about it."""
    value, (lower, upper) = np.array([decision.value]), decision.interval
    held = Dots("interval that holds it", value, np.array([lower]), np.array([upper]))
    off = Dots("root mean square error", value, value - decision.error, value + decision.error)
    return intervals(
        ("cost",), [held, off], "The optimal cost, and where it lies",
        worth_line(decision.worth) or "", axis("cost", decision.units),
    )  # fmt: skip
