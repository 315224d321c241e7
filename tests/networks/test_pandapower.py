"""Pandapower nets against pandapower's own optimal power flow, and against costs found by hand.

Pandapower wants pandas 2, so it has an environment of its own: `make pandapower`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.errors import InputError

pp: Any = pytest.importorskip(
    "pandapower", reason="pandapower wants pandas 2 and is tested by `make pandapower`"
)

from tests.networks import nets  # noqa: E402 -- it imports pandapower

CASES = ("case5", "case6ww", "case9", "case14", "case24_ieee_rts", "case30", "case33bw", "case39",
         "case57", "case_illinois200", "case118", "case300", "iceland")  # fmt: skip


def cost(net: Any) -> float:
    network = po.networks.from_pandapower(net)
    return network.program("matpower").solve().cost


@pytest.mark.parametrize("name", CASES)
def test_pandapowers_own_cases(name: str, record_property: Callable[..., None]) -> None:
    net = nets.grid(name)
    ours, theirs = cost(net), nets.rundcopp(net)
    record_property("difference", abs(ours / theirs - 1))
    assert ours == pytest.approx(theirs, rel=1e-7)


@pytest.mark.parametrize("name", nets.BUILT)
def test_switches_transformers_storages_and_piecewise_costs(name: str) -> None:
    net = nets.BUILT[name]()
    assert cost(net) == pytest.approx(nets.rundcopp(net), rel=1e-7)


def test_several_external_grids_and_parts() -> None:
    """Two grids in one part at different angles: pandapower keeps the angle of one of them."""
    net = nets.triangle()
    pp.create_ext_grid(net, 1, va_degree=20.0)
    pp.create_poly_cost(net, 1, "ext_grid", cp1_eur_per_mw=11.0)
    pp.create_motor(net, 1, 5.0, 0.9, efficiency_percent=90.0)
    pp.create_bus(net, 110.0)
    pp.create_ext_grid(net, 3)
    pp.create_load(net, 3, 7.0)
    pp.create_poly_cost(net, 2, "ext_grid", cp1_eur_per_mw=3.0)
    assert cost(net) == pytest.approx(nets.rundcopp(net), rel=1e-7)


def test_a_net_that_has_been_solved_before_and_was_changed_since() -> None:
    net = nets.mixed()
    nets.rundcopp(net)
    net.load["controllable"] = False
    net.poly_cost = net.poly_cost[net.poly_cost.et != "load"]
    assert len(po.networks.from_pandapower(net).generators) == 5
    assert cost(net) == pytest.approx(nets.rundcopp(net), rel=1e-7)


@pytest.mark.parametrize("name", nets.STORED)
def test_the_stored_tables_are_those_of_today(name: str) -> None:
    """The other environment tests with these; `python -m tests.networks.nets` stores them."""
    stored = json.loads(nets.DATA.read_text(encoding="utf-8"))["nets"][name]
    fresh = nets.as_json(nets.read_net(nets.BUILT[name]()))
    assert stored["tables"]["units"] == fresh["units"]
    for part in ("bus", "gen", "branch"):
        for column, values in fresh[part].items():
            np.testing.assert_allclose(
                np.array(stored["tables"][part][column], float), np.array(values, float), rtol=1e-9
            )
    assert stored["cost"] == pytest.approx(nets.rundcopp(nets.BUILT[name]()), rel=1e-9)


def test_a_loop_by_hand() -> None:
    """Line 0-2 carries (2 p0 + p1) / 3 <= 50 of p0 + p1 = 90, so p0 = 60, at 10 and 20 a MWh."""
    assert cost(nets.triangle()) == pytest.approx(60 * 10 + 30 * 20, rel=1e-7)
    assert cost(nets.triangle(limit=61.0)) == pytest.approx(90 * 10, rel=1e-7)


def flexible(**limits: float) -> Any:
    net = nets.one_bus(price=10.0)
    pp.create_load(net, 0, 1.0, controllable=True, **{"min_p_mw": 0.0, "max_p_mw": 50.0, **limits})
    return net


def test_a_quadratic_cost_of_a_load_by_hand() -> None:
    """-30 p + p^2 / 2 + 10 p is least at p = 20. Pandapower's own sign makes it concave."""
    net = flexible()
    pp.create_poly_cost(net, 0, "load", cp1_eur_per_mw=-30.0, cp2_eur_per_mw2=0.5, cp0_eur=7.0)
    assert cost(net) == pytest.approx(-30 * 20 + 200 + 200 + 7, rel=1e-6)


def test_a_piecewise_cost_of_a_load_by_hand() -> None:
    """Worth 30, then 12, then 5 a MWh: at a price of 10 it takes the first two parts."""
    net = flexible()
    pp.create_pwl_cost(net, 0, "load", [[0, 10, -30], [10, 20, -12], [20, 50, -5]])
    assert cost(net) == pytest.approx(-300 - 120 + 200, rel=1e-6)


def test_quadratic_and_piecewise_costs_together() -> None:
    """50 MW: (c)' = 10 at p = 10 of p^2 / 2, then 40 from the grid. Pandapower refuses the mix."""
    net = nets.one_bus(price=10.0)
    pp.create_load(net, 0, 50.0)
    pp.create_gen(net, 0, 0.0, min_p_mw=0.0, max_p_mw=80.0)
    pp.create_sgen(net, 0, 0.0, min_p_mw=0.0, max_p_mw=30.0, controllable=True)
    pp.create_poly_cost(net, 0, "gen", cp1_eur_per_mw=0.0, cp2_eur_per_mw2=0.5)
    pp.create_pwl_cost(net, 0, "sgen", [[0, 5, 4], [5, 30, 11]])
    assert cost(net) == pytest.approx(10**2 / 2 + 5 * 4 + 35 * 10, rel=1e-6)


def test_costs_of_what_is_out_of_service_are_nobodys() -> None:
    """Pandapower gives them to the last generator."""
    net = nets.triangle()
    net.gen = net.gen.rename(index={0: 9})
    net.poly_cost.loc[1, "element"] = 9
    pp.create_gen(net, 1, 0.0, min_p_mw=0.0, max_p_mw=9.0, in_service=False, index=7)
    pp.create_poly_cost(net, 7, "gen", cp1_eur_per_mw=1.0)
    assert cost(net) == pytest.approx(1200, rel=1e-7)


def test_names_are_indices_of_buses() -> None:
    network = po.networks.from_pandapower(nets.mixed())
    program = network.program("matpower")
    buses = [3, 5, 8, 13, 21, 34, 55, 56]  # 56: the open end of line 5
    assert program.data_names[:8] == tuple(f"demand[{bus}]" for bus in buses)
    assert program.names[:6] == ("p[3]", "p[8]", "p[13]", "p[21]", "p[5]", "p[55]")
    demand = dict(zip(buses, network.buses.demand * network.base_mva, strict=True))
    assert demand[21] == pytest.approx(1.1 * 28 - 0.9 * 9 + 1.1)  # load, sgen, ward
    assert demand[55] == pytest.approx(1.1 * 5 + 4)  # load, storage
    assert demand[5] == pytest.approx(1.1 * 23)  # without the load that is decided
    assert demand[56] == 0


def test_joined_buses_take_the_smallest_index() -> None:
    network = po.networks.from_pandapower(nets.simple())
    assert network.buses.number.tolist() == [0, 1, 3, 5, 6, 7]  # 1 = 2, 3 = 4; 7 is an open end
    net = nets.triangle()
    pp.create_bus(net, 110.0, index=40)
    pp.create_load(net, 40, 5.0)
    pp.create_switch(net, 40, 1, "b")
    network = po.networks.from_pandapower(net)
    assert network.buses.number.tolist() == [0, 1, 2]
    assert (network.buses.demand * network.base_mva).tolist() == [0.0, 5.0, 90.0]


def test_buses_are_in_the_order_of_their_indices() -> None:
    net = nets.triangle()
    net.bus = net.bus.iloc[::-1]
    assert po.networks.from_pandapower(net).buses.number.tolist() == [0, 1, 2]
    assert cost(net) == pytest.approx(1200, rel=1e-7)


def test_missing_limits_are_none() -> None:
    network = po.networks.from_pandapower(nets.simple())
    assert network.generators.low.tolist() == [-np.inf, 2.0]
    assert network.generators.high.tolist() == [np.inf, 8.0]
    assert np.isinf(po.networks.from_pandapower(nets.triangle()).branches.rate).tolist() == [
        True, True, False,
    ]  # fmt: skip


def test_the_net_is_left_alone_and_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    net = nets.grid("case14")
    before = pp.to_json(net)
    with caplog.at_level(logging.WARNING):
        po.networks.from_pandapower(net)
    assert caplog.records == []
    assert pp.to_json(net) == before


def dc_line(net: Any) -> None:
    pp.create_dcline(net, 0, 1, 10.0, 1.0, 0.5, 1.0, 1.0)


def asymmetric(net: Any) -> None:
    pp.create_asymmetric_load(net, 1, p_a_mw=1.0)


def island(net: Any) -> None:
    pp.create_bus(net, 110.0)
    pp.create_load(net, 3, 5.0)


def no_grid(net: Any) -> None:
    net.ext_grid["in_service"] = False


def no_costs(net: Any) -> None:
    net.poly_cost = net.poly_cost.iloc[:0]


def fixed_with_cost(net: Any) -> None:
    pp.create_sgen(net, 1, 5.0, controllable=False)
    pp.create_poly_cost(net, 0, "sgen", cp1_eur_per_mw=1.0)


def two_costs(net: Any) -> None:
    pp.create_pwl_cost(net, 0, "gen", [[0, 10, 1]], check=False)


def cost_of_nothing(net: Any) -> None:
    pp.create_poly_cost(net, 5, "gen", cp1_eur_per_mw=1.0, check=False)


def concave(net: Any) -> None:
    net.poly_cost["cp2_eur_per_mw2"] = -1.0


def gaps(net: Any) -> None:
    net.poly_cost = net.poly_cost.iloc[:1]
    pp.create_pwl_cost(net, 0, "gen", [[0, 10, 1], [20, 30, 2]])


def one_way(net: Any) -> None:
    pp.create_impedance(net, 0, 1, 0.1, 0.1, 100.0, xtf_pu=0.2)


def no_number(net: Any) -> None:
    net.load["p_mw"] = np.nan


def broken(net: Any) -> None:
    net.line = net.line.drop(columns="x_ohm_per_km")


REFUSED = {
    dc_line: "dcline 0 is in service",
    asymmetric: "asymmetric_load 0 is in service",
    island: "load 1 is in service at bus 3, which nothing supplies",
    no_grid: "no external grid",
    no_costs: "no costs",
    fixed_with_cost: "sgen 0 has a cost, but its power is fixed",
    two_costs: "gen 0 has two costs",
    cost_of_nothing: "gen 5, which is not in the net",
    concave: "ext_grid 0 has a polynomial",
    gaps: "cost of gen 0 leaves gaps",
    one_way: "impedance 0 has xft_pu other than xtf_pu",
    no_number: "PD that is not finite",
    broken: "pandapower cannot convert the net",
}


@pytest.mark.parametrize("change", REFUSED, ids=lambda change: change.__name__)
def test_what_cannot_be_represented_is_refused_by_name(change: Callable[[Any], None]) -> None:
    net = nets.triangle()
    change(net)
    with pytest.raises(InputError, match=REFUSED[change]):
        po.networks.from_pandapower(net)


@pytest.mark.parametrize("table", ["dcline", "asymmetric_load", "sgen", "load"])
def test_out_of_service_it_is_no_matter(table: str) -> None:
    net = nets.triangle()
    for change in (dc_line, asymmetric, fixed_with_cost, island):
        change(net)
    for each in ("dcline", "asymmetric_load", "sgen"):
        net[each]["in_service"] = False
    net.load.loc[1, "in_service"] = False
    assert cost(net) == pytest.approx(1200, rel=1e-7)
    net[table]["in_service"] = True
    with pytest.raises(InputError):
        po.networks.from_pandapower(net)


def test_something_else_is_no_net() -> None:
    with pytest.raises(InputError, match="net is str"):
        po.networks.from_pandapower("case14")


def test_from_a_net_to_a_release() -> None:
    network = po.networks.from_pandapower(nets.grid("case14"))
    program = network.program("matpower")
    demand = network.buses.demand
    instrument = po.Instrument(
        {"total": list(program.data_names)},
        program=program,
        privacy=po.Laplace(epsilon=1.0, alpha=5 / network.base_mva),
        domain=po.Box(0.9 * demand, 1.1 * demand),
    )
    measured = instrument.measure(1.02 * demand)
    query = po.Identity(["p[0]", "p[1]", "p[2]"])
    decision = po.decide(program, query, measured, po.ExactBox(eta=0.05))
    released = decision.release()
    assert released.names == ("p[0]", "p[1]", "p[2]")
    assert released.epsilon == pytest.approx(1.0)
    whole = decision.complete(1.02 * demand)
    made = whole.z[: len(network.generators)].sum()
    assert made == pytest.approx(1.02 * demand.sum(), rel=1e-6)
    assert whole.z[:3] == pytest.approx(released.values, abs=1e-6)


def test_a_net_is_converted_for_dc_and_no_feeder() -> None:
    network = po.networks.from_pandapower(nets.grid("case33bw"))
    with pytest.raises(InputError, match="reactive demand .* of bus 0 is not given"):
        network.with_voltage_limits(0.9, 1.1).program("lindistflow")
