"""LinDistFlow and the cone form against plain CVXPY models, an AC power flow, and arithmetic."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.networks.cases import branch, bus, gen, piecewise, polynomial, write
from tests.networks.feeders import NAMES, distflow, sweep

import privopt as po
from privopt.networks import AddedUnit, Network
from privopt.networks.branch_flow import power_factor

UNITS = {
    "case33bw": {18: AddedUnit(0.6, 30.0, q_max=0.3), 33: AddedUnit(0.8, 25.0, quadratic=3.0)},
    "case69": {27: (0.5, 24.0), 65: AddedUnit(1.5, 26.0, q_min=-0.2, q_max=0.8)},
    "case85": {54: AddedUnit(0.9, 28.0, q_max=0.9), 76: (0.4, 27.0)},
    "case141": {52: (2.0, 22.0), 87: AddedUnit(3.0, 29.0, q_max=1.0)},
}


def feeder(name: str, low: float = 0.94) -> Network:
    """With units, and voltage limits that bind."""
    return po.networks.load(name).with_generators(UNITS[name]).with_voltage_limits(low, 1.05)


def voltages(program: po.ConvexProgram, z: np.ndarray) -> np.ndarray:
    return np.sqrt([value for name, value in zip(program.names, z, strict=True) if name[0] == "v"])


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "reactive"),
    [*((name, "follows") for name in NAMES), ("case33bw", "private"), ("case33bw", "public")],
)
def test_lindistflow_against_a_plain_model(name: str, reactive: str) -> None:
    network = feeder(name)
    program = network.program("lindistflow", reactive=reactive)
    optimum = program.solve()
    problem, _, p = distflow(network, losses=False)
    assert optimum.cost == pytest.approx(problem.value, rel=1e-7)
    assert voltages(program, optimum.z).min() == pytest.approx(0.94, abs=1e-6)  # it binds
    assert optimum.z[: len(p)].sum() == pytest.approx(p.sum(), rel=1e-7)


OFF = {"case33bw": 0.0029, "case69": 0.0039, "case85": 0.0067, "case141": 0.0021}


@pytest.mark.parametrize("name", NAMES)
def test_lindistflow_is_above_the_ac_voltages_by_little(name: str) -> None:
    """Losses are neglected, so every voltage is too high, by at most what docs/feeders.md says."""
    network = po.networks.load(name).with_voltage_limits(0.8, 1.1)
    program = network.program("lindistflow")
    off = voltages(program, program.solve().z) - np.abs(sweep(network)[0])
    assert off.min() > -1e-9
    assert OFF[name] - 1e-4 < off.max() < OFF[name]


@pytest.mark.parametrize("reactive", ["follows", "private", "public"])
def test_what_is_private_and_what_reactive_demands_do(reactive: str) -> None:
    network = feeder("case33bw")
    program = network.program("lindistflow", reactive=reactive)
    numbers = network.buses.number.tolist()
    active = [f"demand[{k}]" for k in numbers]
    also = [f"reactive[{k}]" for k in numbers] if reactive == "private" else []
    assert list(program.private_names) == active + also
    scale = 1.0 if reactive == "public" else 0.5
    less = replace(network, buses=replace(
        network.buses, demand=0.5 * network.buses.demand, reactive=scale * network.buses.reactive
    ))  # fmt: skip
    problem, _, _ = distflow(less, losses=False)
    assert program.solve(d=0.5 * program.d).cost == pytest.approx(problem.value, rel=1e-7)


def test_the_ratio_is_that_of_the_case_and_capacitors_stay() -> None:
    network = po.networks.load("case33bw")
    reactive = np.array(network.buses.reactive)
    reactive[0] = -0.02  # a capacitor at a bus without active demand
    network = replace(network, buses=replace(network.buses, reactive=reactive))
    ratio = power_factor(network)
    assert ratio[0] == 0
    assert ratio[29] == pytest.approx(3.0)  # bus 30: 200 kW, 600 kVAr
    program = network.program("lindistflow")
    entries = dict(zip(program.equality_names, program.g, strict=True))
    assert entries["reactive[1]"] == -0.02
    assert entries["reactive[30]"] == 0.0
    assert np.array_equal(program.d, network.buses.demand)
    bought = dict(zip(program.names, program.solve(d=0.5 * program.d).z, strict=True))
    assert bought["q[1]"] == pytest.approx(0.5 * 0.23 - 0.02, abs=1e-8)


def small(folder: Path, **changes: object) -> Network:
    """50 + 20j MVA at the end of a line of 0.01 + 0.02j, 10 behind a second one."""
    buses = [bus(1, 3), bus(2, 1, 50.0), bus(3, 1, 10.0)]
    buses[1][3] = 20.0
    for number in buses:
        number[11:] = [1.1, 0.8]
    buses[0][11:] = [1.0, 1.0]
    units = [gen(1, 200.0)]
    units[0][3:5] = [100.0, -100.0]
    lines = [branch(1, 2, 0.02, r=0.01), branch(3, 2, 0.04, r=0.03)]  # the second points upwards
    given = {"buses": buses, "gens": units, "branches": lines, "costs": [polynomial(0, 10, 3)]}
    return po.networks.load(write(folder / "small.m", **{**given, **changes}))


def test_two_lines_by_hand(tmp_path: Path) -> None:
    program = small(tmp_path).program("lindistflow")
    optimum = program.solve()
    z = dict(zip(program.names, optimum.z, strict=True))
    assert program.names == (
        "p[1]", "q[1]", "flow[1,2]", "flow[3,2]", "reactive_flow[1,2]", "reactive_flow[3,2]",
        "v[1]", "v[2]", "v[3]",
    )  # fmt: skip
    assert program.data_names == ("demand[1]", "demand[2]", "demand[3]")
    assert program.equality_names == (
        "reactive[1]", "reactive[2]", "reactive[3]", "drop[1,2]", "drop[3,2]",
    )  # fmt: skip
    assert optimum.cost == pytest.approx(603.0)
    assert (z["p[1]"], z["q[1]"]) == (pytest.approx(0.6), pytest.approx(0.2))
    assert (z["flow[1,2]"], z["flow[3,2]"]) == (pytest.approx(0.6), pytest.approx(-0.1))
    assert z["v[2]"] == pytest.approx(1 - 2 * (0.01 * 0.6 + 0.02 * 0.2))
    assert z["v[3]"] == pytest.approx(z["v[2]"] - 2 * 0.03 * 0.1)


def test_taps_shunts_and_charging_by_hand(tmp_path: Path) -> None:
    """v_2 = v_1 / tap^2 - 2 (r P + x Q); a shunt g, b at v_2 takes g v_2 and gives b v_2."""
    buses = [bus(1, 3), bus(2, 1, 50.0, 4.0)]
    buses[1][3], buses[1][5] = 20.0, 6.0
    for number in buses:
        number[11:] = [1.2, 0.8]
    buses[0][11:] = [1.0, 1.0]
    line = branch(1, 2, 0.02, r=0.01, tap=0.95, shift=30.0)
    line[4] = 0.1
    units = [gen(1, 200.0)]
    units[0][3:5] = [100.0, -100.0]
    program = small(tmp_path, buses=buses, branches=[line], gens=units).program("lindistflow")
    z = dict(zip(program.names, program.solve().z, strict=True))
    v = z["v[2]"]
    P, Q = 0.5 + 0.04 * v, 0.2 - 0.06 * v - 0.05 * v
    assert v == pytest.approx(1 / 0.95**2 - 2 * (0.01 * P + 0.02 * Q))
    assert z["p[1]"] == pytest.approx(P)
    assert z["q[1]"] == pytest.approx(Q - 0.05 / 0.95**2)


def test_a_line_without_impedance_ties_voltages(tmp_path: Path) -> None:
    lines = [branch(1, 2, 0.0), branch(3, 2, 0.04, r=0.03)]
    program = small(tmp_path, branches=lines).program("lindistflow")
    z = dict(zip(program.names, program.solve().z, strict=True))
    assert z["v[2]"] == pytest.approx(z["v[1]"])


def test_piecewise_costs_have_rows(tmp_path: Path) -> None:
    program = small(tmp_path, costs=[piecewise(0, 0, 40, 400, 200, 4400)]).program("lindistflow")
    assert program.names[-1] == "cost[1]"
    assert program.row_names == ("piece[1,1]", "piece[1,2]")
    assert program.solve().cost == pytest.approx(400 + 20 * 25)


def test_islands_without_a_substation_stand_on_their_own(tmp_path: Path) -> None:
    """Two parts, each a tree: case70da has two substations."""
    network = po.networks.load("case70da").with_voltage_limits(0.8, 1.1)
    assert len(set(network.islands.tolist())) == 2
    program = network.program("lindistflow")
    made = program.solve().z[:2].sum()
    assert made == pytest.approx(network.buses.demand.sum())
