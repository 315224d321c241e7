"""Units, wherever numbers are shown: a column beside the values, a fact, a word behind a cost."""

from __future__ import annotations

from privopt.claims.units import UnitLabels
from privopt.show.view import Fact

__all__ = [
    "axis",
    "counted_in",
    "each_unit",
    "in_money",
    "in_unit",
    "one_unit",
    "unit_column",
    "unit_facts",
    "valued_in",
]


def each_unit(units: UnitLabels | None, count: int) -> tuple[str, ...]:
    """The unit of each of so many values; empty where there is none."""
    return ("",) * count if units is None else units.each(count)


def unit_column(units: UnitLabels | None, count: int) -> dict[str, tuple[str, ...]]:
    """A column with the unit of each of so many values; none where there are no units."""
    each = () if units is None else units.each(count)
    return {"unit": each} if any(each) else {}


def unit_facts(units: UnitLabels | None) -> tuple[Fact, ...]:
    """What the private data are counted in, and the cost."""
    if units is None:
        return ()
    cost = f"; costs in {units.cost}" if units.cost else ""
    return (Fact("unit", f"{units.data}: the private data, their domain and alpha{cost}"),)


def counted_in(text: str, units: UnitLabels | None) -> str:
    """A number of the private data, with their unit."""
    return text if units is None else f"{text} {units.data}"


def in_money(text: str, units: UnitLabels | None) -> str:
    """A cost, with its unit."""
    return text if units is None or not units.cost else f"{text} {units.cost}"


def one_unit(units: UnitLabels | None) -> str:
    """The unit of all values, where they have the same; else empty."""
    own = set[str]() if units is None else set(units.each(1))
    return own.pop() if len(own) == 1 else ""


def valued_in(text: str, units: UnitLabels | None) -> str:
    """A number made of all values, with their unit where all have the same."""
    return f"{text} {one_unit(units)}".rstrip()


def axis(text: str, units: UnitLabels | None) -> str:
    """The title of an axis of values, with their unit where all have the same."""
    return in_unit(text, one_unit(units))


def in_unit(text: str, unit: str) -> str:
    """The title of an axis or a column, with its unit."""
    return f"{text}, {unit}" if unit else text
