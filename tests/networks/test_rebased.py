"""A network in MW: the same solutions, and labels that say so."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import privopt as po
from privopt.networks import Storage

POWERS = ("p", "flow", "charge", "discharge", "stored", "q", "reactive_flow")


def factor(program: po.ConvexProgram, times: float) -> np.ndarray:
    kinds = [name.partition("[")[0] for name in program.names]
    return np.array([times if kind in POWERS else 1.0 for kind in kinds])


@pytest.mark.parametrize("unit", ["W", "kW", "MW", "GW"])
@pytest.mark.parametrize("name", ["5_pjm", "14_ieee"])
def test_the_solution_is_the_same(name: str, unit: str) -> None:
    network = po.networks.load(name)
    times = network.base_mva / {"W": 1e-6, "kW": 1e-3, "MW": 1.0, "GW": 1e3}[unit]
    own, other = network.program(), network.program(unit=unit)
    assert other.d == pytest.approx(times * own.d, rel=1e-14)
    here, there = own.solve(), other.solve()
    assert there.cost == pytest.approx(here.cost, rel=1e-8)
    z = factor(own, times) * here.z
    generated = [j for j, variable in enumerate(own.names) if variable.startswith("p[")]
    size = np.abs(z[generated]).max()
    assert np.abs(there.z - z)[generated].max() <= 1e-8 * size
    assert other.cost(z) == pytest.approx(own.cost(here.z), rel=1e-12)
    assert np.abs(other.G @ z - other.d).max() <= 1e-8 * size


def test_the_rows_are_the_same_rows() -> None:
    """A z <= b of the one is a positive multiple of that of the other, at any z."""
    for convention in ("powermodels", "matpower"):
        network = po.networks.load("14_ieee")
        own, other = network.program(convention), network.program(convention, unit="MW")
        z = np.random.default_rng(0).normal(size=own.n)
        mine = np.asarray(own.A @ z) - own.b
        theirs = np.asarray(other.A @ (factor(own, network.base_mva) * z)) - other.b
        assert own.row_names == other.row_names
        assert theirs == pytest.approx(network.base_mva * mine, rel=1e-9, abs=1e-9)


def test_a_horizon_in_megawatts() -> None:
    network = po.networks.load("5_pjm")
    profile = [0.8, 1.0, 0.9]
    own = network.program(profile=profile, storage=[Storage(bus=2, energy=1.0, power=0.3)])
    other = network.program(
        profile=profile, storage=[Storage(bus=2, energy=100.0, power=30.0)], unit="MW"
    )
    assert other.solve().cost == pytest.approx(own.solve().cost, rel=1e-8)
    frame = other.loads()
    assert frame.to_numpy() == pytest.approx(100 * own.loads().to_numpy())
    again = network.program(loads=frame, unit="MW")
    assert again.d == pytest.approx(other.d)
    assert other.units is not None
    label = dict(zip(other.names, other.units.each(other.n), strict=True))
    assert label["stored[2]@01"] == "MW x period"
    assert label["theta[1]@00"] == "rad"


@pytest.mark.parametrize("convention", ["lindistflow", "socp"])
def test_a_feeder_in_kilowatts(convention: str) -> None:
    network = po.networks.load("case33bw").with_generators({18: (0.6, 30.0)})
    own = network.program(convention, reactive="private")
    other = network.program(convention, reactive="private", unit="kW")
    here, there = own.solve(), other.solve()
    assert there.cost == pytest.approx(here.cost, rel=1e-7)
    voltage = [j for j, name in enumerate(own.names) if name.startswith("v[")]
    assert there.z[voltage] == pytest.approx(here.z[voltage], rel=1e-6)
    assert other.units is not None
    assert other.units.data == "kW, kvar"
    labels = dict(zip(other.names, other.units.each(other.n), strict=True))
    assert (labels["p[18]"], labels["q[18]"], labels["v[2]"]) == ("kW", "kvar", "p.u.^2")


def test_other_units_are_refused() -> None:
    network = po.networks.load("5_pjm")
    with pytest.raises(po.errors.InputError, match="unit is 'MWh'"):
        network.program(unit="MWh")
    labelled = network.program(unit="p.u.")
    assert labelled.d.tolist() == network.program().d.tolist()
    assert labelled.units is not None
    assert labelled.units.data == "p.u."
    assert network.program().units is None


def test_a_decision_is_the_same_in_another_unit() -> None:
    """From the same sums, as measured in either unit, the same values at the same loss."""
    network, found = po.networks.load("5_pjm"), []
    for unit, times in ((None, 1.0), ("MW", 100.0)):
        program = network.program(unit=unit)
        noise = po.Laplace(epsilon=1.0, alpha=0.01 * times)
        box = po.Box(0.9 * program.d, 1.1 * program.d)
        sums = po.Instrument({}, program=program, privacy=noise, domain=box)
        decision = po.decide(
            program, po.Identity(["p[5]"]), sums.measure(program.d), po.ExactBox(eta=0.05)
        )
        assert decision.check().excess <= 0
        found.append((decision.values / times, decision.loss, decision.distance / times))
    assert found[1][0] == pytest.approx(found[0][0], rel=1e-5)
    assert found[1][1:] == pytest.approx(found[0][1:], rel=1e-3)


def test_frames_keep_their_labels() -> None:
    program = po.networks.load("5_pjm").program(unit="MW")
    d = pd.Series(program.d, index=program.data_names)
    noise, box = po.Laplace(epsilon=1.0, alpha=1.0), po.Box(0.0, 500.0)
    sums = po.Instrument({"all": range(5)}, program=program, privacy=noise, domain=box)
    shuffled = d.iloc[[3, 1, 0, 4, 2]]
    for form in (shuffled, shuffled.to_frame("MW")):
        assert np.array_equal(sums.kernel.entries(form), program.d)
        assert abs(sums.measure(form).values[0] - program.d.sum()) < 60  # exp(-60) that it is not
