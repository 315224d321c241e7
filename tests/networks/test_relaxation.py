"""An AC power flow has no gap; a current that is larger than its flow has one, and is named."""

from __future__ import annotations

import numpy as np
import pytest
from tests.networks.feeders import NAMES, sweep, tree

import privopt as po
from privopt.errors import InputError
from privopt.networks import Network, check_relaxation


def flow(network: Network) -> np.ndarray:
    """z of the AC power flow by sweeps: p, q, P, Q, v, l."""
    voltage, bought = sweep(network)
    lines = network.branches
    current = (voltage[lines.source] - voltage[lines.target]) / (lines.r + 1j * lines.x)
    power = voltage[lines.source] * np.conj(current)
    return np.concatenate([
        [bought.real, bought.imag], power.real, power.imag, np.abs(voltage) ** 2,
        np.abs(current) ** 2, 2 * np.abs(power),
    ])  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_of_the_relaxation_is_the_ac_power_flow(name: str) -> None:
    network = po.networks.load(name).with_voltage_limits(0.8, 1.1)
    optimum = network.program("socp").solve()
    found = check_relaxation(network, optimum)
    assert found.exact
    width = len(optimum.z) - 2 * len(network.branches)
    np.testing.assert_allclose(optimum.z[:width], flow(network)[:width], atol=1e-6)


def test_where_the_relaxation_is_known_to_fail_it_says_so() -> None:
    """Power must be burnt: a unit that has to run, and a voltage limit above which it lifts it."""
    network = po.networks.load("case33bw").with_generators(
        {18: po.networks.AddedUnit(3.0, 1.0, p_min=3.0)}
    )
    network = network.with_voltage_limits(0.9, 1.01)
    found = check_relaxation(network, network.program("socp").solve())
    assert not found.exact
    assert found.gap > 0.01
    assert "Do not rely" in found.statement


@pytest.mark.parametrize("name", NAMES)
def test_an_ac_power_flow_has_no_gap(name: str) -> None:
    network = po.networks.load(name)
    found = check_relaxation(network, flow(network))
    assert found.exact
    assert abs(found.gaps).max() < 1e-10
    assert found.losses == pytest.approx(sweep(network)[1].real - network.buses.demand.sum())
    assert "is an AC power flow" in found.statement


def test_a_current_that_is_too_large_is_named() -> None:
    network = po.networks.load("case33bw")
    assert len(tree(network)) == 32
    z = flow(network)
    first = len(z) - 64
    z[first + 4] *= 1.5  # the line from 5 to 6
    found = check_relaxation(network, z)
    assert not found.exact
    assert found.lines[int(found.gaps.argmax())] == "5,6"
    assert "line 5,6" in found.statement
    assert found.surplus == pytest.approx(network.branches.r[4] * z[first + 4] / 3)
    assert f"{100 * found.surplus / found.losses:.2g}%" in found.statement
    assert check_relaxation(network, z, tolerance=1.0).exact


def test_it_is_private_until_it_is_asked() -> None:
    network = po.networks.load("case33bw")
    found = check_relaxation(network, flow(network))
    assert repr(found) == "Relaxation(32 lines; private: read .gap and .statement)"
    assert "e-" not in found._repr_html_()
    assert found.statement in " ".join(found.summary().split())
    assert list(found.to_pandas().columns) == ["gap"]
    assert found.plot().svg.count("<circle") == 32
    with pytest.raises(InputError, match="solution"):
        check_relaxation(network, [1.0])
