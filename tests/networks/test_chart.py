"""Charts: a program has that of the network it came from."""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po
from privopt.networks.chart import bus_of, chart_of_network, chart_of_program, ends_of

NETWORK = po.networks.load("14_ieee")


def test_a_program_has_the_chart_of_its_network() -> None:
    for program in (NETWORK.program(), NETWORK.program(unit="MW")):
        chart = chart_of_program(program)
        assert chart is not None
        assert chart.buses == chart_of_network(NETWORK).buses
        np.testing.assert_array_equal(chart.places, NETWORK.places)
    assert chart_of_program(po.ConvexProgram(linear=[1.0], G=[[1.0]])) is None


@pytest.mark.parametrize(
    ("name", "bus", "ends"),
    [("p[3]", ("p", "3"), None), ("p[3,1]@07", ("p", "3"), None), ("flow[1,2]", None, ("1", "2")),
     ("rate[1,2,2]@x", None, ("1", "2")), ("total", None, None), ("p[", None, None)],
)  # fmt: skip
def test_names_say_where(
    name: str, bus: tuple[str, str] | None, ends: tuple[str, str] | None
) -> None:
    assert ends_of(name) == ends
    if ends is None:
        assert bus_of(name) == bus
