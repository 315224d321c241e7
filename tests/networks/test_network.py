"""A network: its incidence, its islands and its power flow, against plain counting."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import privopt as po
from privopt.networks.network import Branches, Network, incidence


@pytest.mark.parametrize("seed", range(5))
def test_each_line_starts_with_one_and_ends_with_minus_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    source, target = rng.integers(0, 6, (2, 9))
    found = incidence(source, target, 6).toarray()
    expected = np.zeros((9, 6))
    for line, (start, end) in enumerate(zip(source, target, strict=True)):
        expected[line, start] += 1
        expected[line, end] -= 1
    assert np.array_equal(found, expected)
    assert not found.sum(axis=1).any()


def some_lines(network: Network, kept: np.ndarray) -> Network:
    parts = {name: getattr(network.branches, name)[kept] for name in vars(network.branches)}
    return replace(network, branches=Branches(**parts))


@pytest.mark.parametrize("seed", range(5))
def test_islands_are_the_connected_parts(seed: int) -> None:
    whole = po.networks.load("39_epri")
    kept = np.random.default_rng(seed).random(len(whole.branches)) < 0.6
    network = some_lines(whole, kept)
    graph = nx.Graph()
    graph.add_nodes_from(range(len(network.buses)))
    graph.add_edges_from(zip(network.branches.source, network.branches.target, strict=True))
    parts = {frozenset(map(int, part)) for part in nx.connected_components(graph)}
    numbers = network.islands
    assert parts == {frozenset(np.flatnonzero(numbers == k).tolist()) for k in set(numbers)}
    assert len(set(whole.islands)) == 1


def test_what_no_decision_changes_is_a_constant_of_the_cost() -> None:
    network = po.networks.load("14_ieee")
    dear = replace(network, generators=replace(
        network.generators, constant=network.generators.constant + 100.0
    ))  # fmt: skip
    more = 100.0 * len(network.generators)
    assert dear.fixed_cost == pytest.approx(network.fixed_cost + more)
    first, second = network.program().solve(), dear.program().solve()
    assert second.cost == pytest.approx(first.cost + more)
    assert np.allclose(first.z, second.z, atol=1e-6)


def test_the_usual_convention_is_powermodels() -> None:
    network = po.networks.load("5_pjm")
    usual, named, other = (
        network.program(*how).G.toarray() for how in ((), ("powermodels",), ("matpower",))
    )
    assert np.array_equal(usual, named)
    assert not np.array_equal(usual, other)
    with pytest.raises(
        po.errors.InputError, match="'powermodels' or 'matpower' \\(DC\\), 'lindistflow' or"
    ):
        network.program("other")


def test_private_are_the_demands_per_unit() -> None:
    network = po.networks.load("5_pjm")
    program = network.program()
    assert program.private_names == tuple(f"demand[{number}]" for number in network.buses.number)
    assert np.array_equal(program.d, network.buses.demand + network.buses.shunt)
    assert repr(network) == "Network('5_pjm': 5 buses, 6 branches, 5 generators)"


def test_what_only_feeders_use_need_not_be_given() -> None:
    """A feeder then says what is missing."""
    whole = po.networks.load("case33bw")
    buses = po.networks.Buses(
        whole.buses.number, whole.buses.demand, whole.buses.shunt, whole.buses.reference
    )
    assert np.isnan(buses.voltage_low).tolist() == [True] * 33
    network = replace(whole, buses=buses)
    assert network.program().solve().cost == pytest.approx(whole.program().solve().cost)
    with pytest.raises(po.errors.InputError, match="of bus 1 is not given"):
        network.program("socp")
