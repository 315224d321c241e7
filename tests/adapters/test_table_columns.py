"""Columns by their usual names, with the unit that a header says; what is unclear is refused."""

from __future__ import annotations

import pytest

from privopt.adapters.table_columns import found, header_unit
from privopt.errors import InputError


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        ("Load (MW)", ("load", "MW")), ("load_kw", ("load", "kW")), ("MW", ("value", "MW")),
        ("demand [GW]", ("demand", "GW")), ("p in W", ("p", "W")), ("load p.u.", ("load", "p.u.")),
        ("flow", ("flow", None)), ("Customer ID", ("customerid", None)), ("MWh", ("mwh", None)),
        ("slow", ("slow", None)), ("bus_number", ("busnumber", None)),
    ],
)  # fmt: skip
def test_what_a_header_says(header: str, wanted: tuple[str, str | None]) -> None:
    assert header_unit(header) == wanted


def test_usual_names_in_any_order() -> None:
    at = found(["Load (MW)", "remark", "Hour", "Meter ID", "Node"], {}, "x.csv", sites=False)
    assert (at.value, at.time, at.customer, at.place, at.named) == (0, 2, 3, 4, False)
    assert at.unit == "MW"
    assert found(["name", "value"], {}, "x.csv", sites=False).named
    assert not found(["name", "bus", "value"], {}, "x.csv", sites=False).named
    assert found(["customer", "bus"], {}, "x.csv", sites=True).value is None


def test_names_of_the_user_go_before_usual_ones() -> None:
    header = ["bus", "load", "demand"]
    assert found(header, {"value": "demand"}, "x.csv", sites=False).value == 2
    with pytest.raises(InputError, match="could be the value"):
        found(header, {}, "x.csv", sites=False)


def test_an_error_tells_no_cell_in_public() -> None:
    with pytest.raises(InputError) as refused:
        found(["3", "ann", "391.7"], {}, "x.csv", sites=False)
    assert "391" not in str(refused.value)
    assert refused.value.private is not None
    assert "391.7" in refused.value.private.reveal()
