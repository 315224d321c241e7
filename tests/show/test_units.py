"""Units beside numbers: in a column, a fact, behind a cost, at an axis; nowhere without them."""

from __future__ import annotations

from privopt.claims.units import UnitLabels
from privopt.show.units import axis, counted_in, in_money, unit_column, unit_facts

MW = UnitLabels("MW", ("MW", "rad"), "$/h")


def test_with_units() -> None:
    assert unit_column(MW, 2) == {"unit": ("MW", "rad")}
    assert unit_facts(MW)[0].text == "MW: the private data, their domain and alpha; costs in $/h"
    assert counted_in("1.5", MW) == "1.5 MW"
    assert in_money("12", MW) == "12 $/h"
    assert axis("value", UnitLabels("MW", ("MW", "MW"))) == "value, MW"
    assert axis("value", MW) == "value"  # of two units


def test_without_units() -> None:
    assert unit_column(None, 2) == {}
    assert unit_column(UnitLabels("MW", ("", "")), 2) == {}
    assert unit_facts(None) == ()
    assert (counted_in("1", None), in_money("1", None), axis("v", None)) == ("1", "1", "v")
