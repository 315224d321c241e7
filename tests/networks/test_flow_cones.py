"""Limits of apparent power and relaxed currents against a plain CVXPY model, and by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.networks.cases import branch, bus, gen, polynomial, write
from tests.networks.feeders import distflow

import privopt as po
from privopt.networks import AddedUnit, Network


def rated(name: str, share: float) -> Network:
    """The line at the substation may carry a share of what it would; a unit can do the rest."""
    network = po.networks.load(name).with_voltage_limits(0.8, 1.1)
    last = int(network.buses.number[-1])
    network = network.with_generators({last: AddedUnit(9.0, 50.0, q_max=2.0)})
    whole = np.hypot(network.buses.demand.sum(), network.buses.reactive.sum())
    rate = np.full(len(network.branches), np.inf)
    rate[0] = share * whole
    return replace(network, branches=replace(network.branches, rate=rate))


@pytest.mark.long
@pytest.mark.parametrize("convention", ["lindistflow", "socp"])
@pytest.mark.parametrize("name", ["case33bw", "case69"])
def test_a_rate_binds_as_in_a_plain_model(name: str, convention: str) -> None:
    network = rated(name, 0.8)
    program = network.program(convention)
    ends = {"lindistflow": ["1,2"], "socp": ["1,2", "2,1"]}[convention]
    assert [cone for cone in program.cones.names if cone.startswith("rate")] == [
        f"rate[{end}]" for end in ends
    ]
    optimum = program.solve()
    problem, _, _ = distflow(network, losses=convention == "socp")
    assert optimum.cost == pytest.approx(problem.value, rel=1e-6)
    z = dict(zip(program.names, optimum.z, strict=True))
    size = np.hypot(z["flow[1,2]"], z["reactive_flow[1,2]"])
    assert size == pytest.approx(network.branches.rate[0], rel=1e-6)


def test_without_rates_and_losses_there_are_no_cones() -> None:
    network = po.networks.load("case33bw")
    assert len(network.program("lindistflow").cones) == 0
    assert len(network.program("socp").cones) == 64  # a tower of two for each of 32 lines


def test_charging_counts_at_both_ends(tmp_path: Path) -> None:
    """The flow at the ends is P, Q - b/2 v_1 and P, Q + b/2 v_2, up to losses: each is limited."""
    buses = [bus(1, 3), bus(2, 1, 50.0)]
    for row in buses:
        row[11:] = [1.2, 0.8]
    buses[0][11:] = [1.0, 1.0]
    units = [gen(1, 200.0), gen(2, 200.0)]
    for row in units:
        row[3:5] = [0.0, 0.0]  # no reactive power: the line's own goes nowhere but through it
    units[0][3:5] = [99.0, -99.0]
    line = branch(1, 2, 0.02, r=0.01, rate=40.0)
    line[4] = 0.3
    costs = [polynomial(0, 10.0, 0), polynomial(0, 30.0, 0)]
    program = po.networks.load(write(tmp_path / "a.m", buses, units, [line], costs)).program(
        "lindistflow"
    )
    assert program.cones.names == ("rate[1,2]", "rate[2,1]")
    z = dict(zip(program.names, program.solve().z, strict=True))
    here = np.hypot(z["flow[1,2]"], z["reactive_flow[1,2]"] - 0.15 * z["v[1]"])
    there = np.hypot(z["flow[1,2]"], z["reactive_flow[1,2]"] + 0.15 * z["v[2]"])
    assert z["reactive_flow[1,2]"] == pytest.approx(-0.15 * z["v[2]"])  # nothing arrives
    assert max(here, there) == pytest.approx(0.4, rel=1e-6)
    assert here > there + 0.01


def test_a_transformer_and_losses_by_hand(tmp_path: Path) -> None:
    """One line, 50 MW behind r = 0.01 at v_1 / tap^2: l solves l v = P^2 with P = 0.5 + r l."""
    buses = [bus(1, 3), bus(2, 1, 50.0)]
    for row in buses:
        row[11:] = [1.2, 0.7]
    buses[0][11:] = [1.0, 1.0]
    line = branch(1, 2, 0.0, r=0.01, tap=1.1)
    path = write(tmp_path / "a.m", buses, [gen(1, 200.0)], [line], [polynomial(0, 10.0, 0)])
    network = po.networks.load(path)
    program = network.program("socp")
    z = dict(zip(program.names, program.solve().z, strict=True))
    v, r, square = 1 / 1.1**2, 0.01, 0.0
    for _ in range(100):
        square = (0.5 + r * square) ** 2 / v
    assert z["current[1,2]"] == pytest.approx(square, rel=1e-6)
    assert z["p[1]"] == pytest.approx(0.5 + r * square, rel=1e-6)
    assert z["v[2]"] == pytest.approx(v - 2 * r * z["p[1]"] + r**2 * square, rel=1e-6)
    assert po.networks.check_relaxation(network, program.solve()).exact
