"""Programs over a horizon, against a plain model that has nothing of privopt in it."""

from __future__ import annotations

import warnings
from typing import Any

import cvxpy as cp
import numpy as np
import pandas as pd
import pytest

import privopt as po
from privopt.arrays import Dense
from privopt.errors import InputError
from privopt.networks import Network, Storage


def plain(network: Network, loads: Dense, ramp: float | None, stores: list[Storage]) -> float:
    """The cost of the best dispatch over a horizon, with a flow for each branch and period."""
    buses, lines, units = network.buses, network.branches, network.generators
    T, n, m = len(loads), len(buses), len(units)
    p, theta = cp.Variable((T, m)), cp.Variable((T, n))
    constraints: list[Any] = [p >= np.tile(units.low, (T, 1)), p <= np.tile(units.high, (T, 1))]
    charge = [cp.Variable(T, nonneg=True) for _ in stores]
    discharge = [cp.Variable(T, nonneg=True) for _ in stores]
    place = {int(number): k for k, number in enumerate(buses.number)}
    for t in range(T):
        injection: list[Any] = [-loads[t, i] - buses.shunt[i] for i in range(n)]
        for k, bus in enumerate(units.bus):
            injection[bus] = injection[bus] + p[t, k]
        for unit, inward, outward in zip(stores, charge, discharge, strict=True):
            at = place[unit.bus]
            injection[at] = injection[at] - inward[t] + outward[t]
        for k in range(len(lines)):
            source, target = int(lines.source[k]), int(lines.target[k])
            b = lines.x[k] / (lines.r[k] ** 2 + lines.x[k] ** 2)
            angle = theta[t, source] - theta[t, target]
            flow = b * angle
            injection[source], injection[target] = (
                injection[source] - flow,
                injection[target] + flow,
            )
            constraints += [cp.abs(flow) <= lines.rate[k]] if np.isfinite(lines.rate[k]) else []
            constraints += [angle <= lines.angle_high[k], angle >= lines.angle_low[k]]
        constraints += [one == 0 for one in injection]
    if ramp is not None:
        step = cp.abs(p[1:] - p[:-1])
        constraints.append(step <= np.tile(ramp * np.abs(units.high), (T - 1, 1)))
    for unit, inward, outward in zip(stores, charge, discharge, strict=True):
        held = unit.begins_with + cp.cumsum(unit.efficiency * inward - outward)
        constraints += [held >= 0, held <= unit.energy, held[T - 1] >= unit.begins_with]
        constraints += [inward <= unit.power, outward <= unit.power]
    cost = cp.sum(p @ units.linear) + cp.sum(cp.square(p) @ units.quadratic)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(cp.Problem(cp.Minimize(cost), constraints).solve(solver="CLARABEL"))


@pytest.mark.long
@pytest.mark.parametrize("ramp", [None, 0.08])
@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("name", ["5_pjm", "14_ieee"])
def test_the_cost_is_that_of_a_plain_model(name: str, stored: bool, ramp: float | None) -> None:
    network = po.networks.load(name)
    profile = np.array([0.82, 0.9, 1.0, 0.95, 0.86])
    total = float(network.buses.demand.sum())
    stores = [Storage(3, 0.1 * total, 0.04 * total, 0.8), Storage(4, 0.1, 0.02, initial=0.1)]
    stores = stores if stored else []
    program = network.program(profile=profile, ramps=ramp, storage=stores)
    loads = np.outer(profile, network.buses.demand)
    best = plain(network, loads, ramp, stores) + 5 * network.fixed_cost
    assert program.solve().cost == pytest.approx(best, rel=1e-6)


def test_ramps_and_storage_change_the_dispatch_and_are_kept() -> None:
    network = po.networks.load("5_pjm")
    profile = [0.5, 1.05, 0.6]
    free = network.program(profile=profile)
    store = Storage(2, 1.0, 0.5, efficiency=0.9, initial=0.2)
    tied = network.program(profile=profile, ramps={"5": 0.1}, storage=[store])
    costs = [program.solve().cost for program in (free, tied)]
    assert costs[0] != pytest.approx(costs[1], rel=1e-4)
    found = tied.frames(tied.solve().z)
    moves = found["p"]["5"].diff().abs().max()
    assert moves <= 0.1 * network.generators.high[-1] + 1e-7
    held = 0.2 + (0.9 * found["charge"]["2"] - found["discharge"]["2"]).cumsum()
    np.testing.assert_allclose(found["stored"]["2"], held, atol=1e-7)
    assert held.iloc[-1] >= 0.2 - 1e-7


def test_one_period_is_the_program_itself() -> None:
    network = po.networks.load("14_ieee")
    one, same = network.program(), network.program(periods=1)
    assert same.solve().cost == pytest.approx(one.solve().cost)
    assert same.names[:2] == ("p[1]@00", "p[2]@00")
    assert [name.removesuffix("@00") for name in same.data_names] == list(one.data_names)


def test_names_say_what_and_when() -> None:
    network = po.networks.load("5_pjm")
    program = network.program(periods=24, ramps=0.1, storage=[Storage(3, 1, 1), Storage(3, 2, 1)])
    names = {*program.names, *program.data_names, *program.row_names}
    assert {"p[1,2]@07", "theta[3]@23", "stored[3,2]@00", "demand[3]@07", "up[3]@01",
            "down[3]@23", "flow[1,2]@07"} <= names  # fmt: skip
    assert "up[3]@00" not in names
    assert len(names) == program.n + len(program.data_names) + len(program.row_names)
    assert network.program(periods=[7, 8]).data_names[0] == "demand[1]@07"
    assert network.program(periods=["dawn", "dusk"]).data_names[-1] == "demand[5]@dusk"
    assert network.program(periods=101).data_names[0] == "demand[1]@000"


def test_loads_come_from_frames_by_label() -> None:
    network = po.networks.load("5_pjm")
    times = pd.date_range("2026-01-01", periods=3, freq="h")
    loads = pd.DataFrame({4: [3.0, 2.0, 1.0], 2: [1.0, 1.5, 2.0], 3: 1.0}, index=times)
    program = network.program(loads=loads)
    assert program.labels[1] == "2026-01-01 01:00:00"
    assert len(program.private) == 9  # buses 2, 3 and 4: the others have no column
    np.testing.assert_allclose(program.d.reshape(3, 5)[1], [0.0, 1.5, 1.0, 2.0, 0.0])
    shares = pd.DataFrame(np.ones((2, 5)), columns=[5, 4, 3, 2, 1])
    shares[2] = [0.5, 2.0]
    halved = network.program(profile=shares)
    demand = network.buses.demand
    np.testing.assert_allclose(halved.d.reshape(2, 5)[:, 1], [0.5 * demand[1], 2 * demand[1]])
    by_label = pd.Series([0.1, 0.2], index=["01", "00"])
    np.testing.assert_allclose(
        network.program(periods=2, profile=by_label).d.reshape(2, 5)[0], 0.2 * demand
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"periods": 0}, "periods is 0"),
        ({"periods": 2.5}, "periods is 2.5"),
        ({"periods": "day"}, "periods is 'day'"),
        ({"periods": 3, "profile": [1.0, 1.0]}, "profile has shape"),
        ({"loads": [1.0]}, "loads is a list"),
        ({"periods": 2, "ramps": -0.1}, "a ramp is -0.1"),
        ({"periods": 2, "ramps": {"17": 0.1}}, "'17' is not a name of the generators"),
        ({"periods": 2, "ramps": [0.1]}, "1 ramps were given"),
        ({"periods": 2, "storage": [Storage(99, 1, 1)]}, "bus 99"),
        ({"periods": 2, "storage": ["battery"]}, "something else than storage"),
        ({"loads": pd.DataFrame({9: [1.0]})}, "unknown 9"),
        ({"loads": pd.DataFrame({2: ["much"]})}, "no numbers"),
        ({"periods": 2, "loads": pd.DataFrame({2: [1.0]})}, "the frame has 1 rows"),
        ({"loads": pd.DataFrame({2: [1.0]}), "profile": [1.0]}, "profile and loads"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        po.networks.load("5_pjm").program(**given)
