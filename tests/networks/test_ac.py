"""Feeders against pandapower's AC power flow: `make pandapower`.

LinDistFlow neglects losses, so its voltages are too high by what is printed in
docs/howto/feeders.md; the relaxation, where it is exact, has none of that error.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.networks import Network

pp: Any = pytest.importorskip(
    "pandapower", reason="pandapower wants pandas 2 and is tested by `make pandapower`"
)

from tests.networks.feeders import NAMES, sweep  # noqa: E402

# Least AC voltage, losses in kW; the largest error of LinDistFlow's voltages, per unit.
KNOWN = {
    "case33bw": (0.9131, 202.7, 0.0029),
    "case69": (0.9092, 225.0, 0.0039),
    "case85": (0.8739, 299.3, 0.0067),
    "case141": (0.9279, 632.7, 0.0021),
}


def ac(network: Network) -> tuple[np.ndarray, float]:
    """Voltages and losses (MW) by pandapower, from impedances and loads."""
    net = pp.create_empty_network(sn_mva=network.base_mva)
    buses, lines, base = network.buses, network.branches, network.base_mva
    for _ in buses.number:
        pp.create_bus(net, vn_kv=12.66)
    pp.create_ext_grid(net, int(np.flatnonzero(buses.reference)[0]), vm_pu=1.0)
    for k in range(len(buses)):
        pp.create_load(net, k, base * buses.demand[k], base * buses.reactive[k])
    for k in range(len(lines)):
        ends = int(lines.source[k]), int(lines.target[k])
        pp.create_impedance(net, *ends, rft_pu=lines.r[k], xft_pu=lines.x[k], sn_mva=base)
    pp.runpp(net, tolerance_mva=1e-8, numba=False, max_iteration=50)
    losses = float(net.res_ext_grid.p_mw.sum() - net.load.p_mw.sum())
    return net.res_bus.vm_pu.to_numpy(), losses


def solved(network: Network, convention: str) -> tuple[np.ndarray, float]:
    """Voltages and losses (MW) of a convention."""
    program = network.program(convention)
    z = dict(zip(program.names, program.solve().z, strict=True))
    made = z["p[1]"] - network.buses.demand.sum()
    return np.sqrt([z[f"v[{k}]"] for k in network.buses.number]), network.base_mva * made


@pytest.mark.parametrize("name", NAMES)
def test_voltages_and_losses(name: str) -> None:
    network = po.networks.load(name).with_voltage_limits(0.8, 1.1)
    least, losses, off = KNOWN[name]
    voltage, lost = ac(network)
    assert round(voltage.min(), 4) == least
    assert 1e3 * lost == pytest.approx(losses, abs=0.05)
    np.testing.assert_allclose(np.abs(sweep(network)[0]), voltage, atol=1e-8)
    linear, none = solved(network, "lindistflow")
    assert none == pytest.approx(0.0, abs=1e-6)
    assert off - 1e-4 < (linear - voltage).max() < off
    assert (linear - voltage).min() > -1e-8
    relaxed, more = solved(network, "socp")
    np.testing.assert_allclose(relaxed, voltage, atol=1e-6)
    assert more == pytest.approx(lost, abs=1e-5)


def test_pandapowers_own_case33bw_is_the_same_feeder() -> None:
    net = importlib.import_module("pandapower.networks").case33bw()
    pp.runpp(net, tolerance_mva=1e-10, numba=False)
    ours, _ = ac(po.networks.load("case33bw"))
    np.testing.assert_allclose(ours, net.res_bus.vm_pu.to_numpy(), atol=1e-5)
