"""A decision keeps every voltage of a feeder within its limits, for all data that y leaves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.feeders import ETA, FEEDERS, Feeder, possible, run
from tests.mechanisms.measured.cases import measured
from tests.networks.feeders import distflow

import privopt as po


@pytest.mark.long
def test_no_voltage_is_outside_at_the_worst_data() -> None:
    row = run("case33bw", 2)
    assert row["outside"] == 0
    assert row["checked"] > 900
    assert row["margin"] < 1e-5  # the certificate is as tight as can be


def test_the_voltages_that_are_looked_at_are_those_of_a_plain_model() -> None:
    feeder = Feeder.of("case33bw")
    p = np.array([0.05, 0.08])
    fixed = dict(enumerate([feeder.network.buses.demand.sum() - p.sum(), *p]))
    _, v, _ = distflow(feeder.network, fixed, losses=False)
    np.testing.assert_allclose(feeder.squared(feeder.network.buses.demand, p)[0], v, atol=1e-7)


def test_less_power_than_decided_would_be_seen() -> None:
    """The worst data are on the edge: a thousandth less, and a voltage is too low."""
    feeder = Feeder.of("case33bw")
    nominal, program = feeder.network.buses.demand, feeder.network.program("lindistflow")
    privacy = po.Laplace(epsilon=1.0, alpha=0.0009)
    instrument = po.Instrument(
        {"total": list(program.private_names)}, program=program, privacy=privacy,
        domain=po.Box(0.5 * nominal, nominal),
    )  # fmt: skip
    measurement = measured(instrument, 0.8 * nominal, np.random.default_rng(0))
    query = po.Identity([f"p[{bus}]" for bus in FEEDERS["case33bw"][0]])
    decision = po.decide(program, query, measurement, po.ExactBox(eta=ETA))
    half = 0.0009 * np.log(1 / ETA)
    data, _ = possible(feeder, measurement.values[0], half, np.random.default_rng(0))
    for share, lowest in ((1.0, 0.95), (0.999, 0.9499)):
        voltage = np.sqrt(feeder.squared(data, share * np.array(decision.values)))
        assert voltage.min() == pytest.approx(lowest, abs=2e-4)
        assert (voltage.min() >= 0.95 - 1e-9) == (share == 1.0)


@pytest.mark.long
def test_a_rate_is_kept_as_well() -> None:
    """A cone in the certificate: what the first line may carry binds at some data."""
    network = po.networks.load("case12da").with_generators({12: (0.4, 30.0)})
    rate = np.full(len(network.branches), np.inf)
    rate[0] = 0.55  # nominal: 0.59 without the unit
    network = replace(network, branches=replace(network.branches, rate=rate))
    nominal, program = network.buses.demand, network.program("lindistflow")
    assert program.cones.names == ("rate[1,2]",)
    instrument = po.Instrument(
        {"total": list(program.private_names)}, program=program,
        privacy=po.Laplace(epsilon=1.0, alpha=0.001), domain=po.Box(0.8 * nominal, nominal),
    )  # fmt: skip
    measurement = measured(instrument, 0.95 * nominal, np.random.default_rng(1))
    decision = po.decide(program, po.Identity(["p[12]"]), measurement, po.ExactBox(eta=ETA))
    total = float(measurement.values[0]) + 0.001 * np.log(1 / ETA)
    ratio = network.buses.reactive / np.where(nominal > 0, nominal, 1.0)
    left, u = min(total, nominal.sum()) - 0.8 * nominal.sum(), 0.8 * nominal
    for k in np.argsort(-ratio):  # the most reactive power at that total
        u[k] += min(left, 0.2 * nominal[k])
        left -= u[k] - 0.8 * nominal[k]
    carried = np.hypot(u.sum() - decision.values[0], ratio @ u)
    assert 0.549 < carried <= 0.55 + 1e-7
