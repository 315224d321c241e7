"""Units that are added are those of a case file that has them; other voltage limits hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.networks.cases import branch, bus, gen, polynomial, write

import privopt as po
from privopt.errors import InputError
from privopt.networks import AddedUnit


def test_added_units_are_those_of_a_file_that_has_them(tmp_path: Path) -> None:
    buses = [bus(1, 3), bus(2, 1, 50.0), bus(5, 1, 20.0)]
    lines = [branch(1, 2), branch(2, 5)]
    first = write(tmp_path / "a.m", buses, [gen(1, 200.0)], lines, [polynomial(0, 30.0, 0)])
    units = [gen(1, 200.0), gen(2, 15.0), gen(5, 9.0, -4.0)]
    units[2][3:5] = [2.0, -3.0]  # Qmax, Qmin
    costs = [polynomial(0, 30.0, 0), polynomial(0, 12.0, 0), polynomial(0.5, 8.0, 0)]
    both = po.networks.load(write(tmp_path / "b.m", buses, units, lines, costs))
    more = AddedUnit(9.0, 8.0, p_min=-4.0, q_min=-3.0, q_max=2.0, quadratic=0.5)
    added = po.networks.load(first).with_generators({2: (15.0, 12.0), "5": more})
    for name, value in vars(both.generators).items():
        np.testing.assert_allclose(getattr(added.generators, name), value)
    assert added.program().solve().cost == pytest.approx(both.program().solve().cost)


def test_several_at_a_bus_are_counted() -> None:
    network = po.networks.load("case33bw").with_generators({18: [(0.5, 30.0), (0.2, 40.0)]})
    assert network.program("lindistflow").names[:3] == ("p[1]", "p[18,1]", "p[18,2]")


@pytest.mark.parametrize(
    ("units", "says"),
    [
        ({99: (1.0, 2.0)}, "bus 99, which is to have a unit"),
        ({}, r"a unit to add is \{\}"),
        ([(1.0, 2.0)], "a unit to add is"),
        ({18: 3.0}, "a unit to add is 3.0"),
        ({18: (1.0, 2.0, 3.0)}, "a unit to add is"),
        ({18: ("much", 2.0)}, "p_max"),
        ({18: (float("inf"), 2.0)}, "p_max"),
        ({18: (1e100, 2.0)}, "p_max is 1e.100, a number that is beyond reason"),
        ({18: (-1.0, 2.0)}, "p_min is 0 and p_max is -1"),
    ],
)
def test_units_that_cannot_be_meant_are_refused(units: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        po.networks.load("case33bw").with_generators(units)


def test_a_unit_has_a_convex_cost_and_limits_in_order() -> None:
    with pytest.raises(InputError, match="quadratic is -1"):
        AddedUnit(1.0, 2.0, quadratic=-1.0)
    with pytest.raises(InputError, match="q_min is 2 and q_max is 1"):
        AddedUnit(1.0, 2.0, q_min=2.0, q_max=1.0)


def test_voltage_limits_hold_but_at_the_substation() -> None:
    network = po.networks.load("case33bw").with_voltage_limits(0.95, 1.05)
    assert network.buses.voltage_low.tolist() == [1.0, *[0.95] * 32]
    assert network.buses.voltage_high.tolist() == [1.0, *[1.05] * 32]
    each = network.with_voltage_limits(np.linspace(0.9, 0.92, 33), 1.1)
    assert each.buses.voltage_low[-1] == 0.92
    for low, high in ((1.0, 0.9), (-0.1, 1.0)):
        with pytest.raises(InputError, match="negative, or cross"):
            network.with_voltage_limits(low, high)
