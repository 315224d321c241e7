"""Loops are found and refused, and so are feeders whose voltages or reactive powers are missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from tests.networks.cases import branch, bus, gen, polynomial, write

import privopt as po
from privopt.errors import InputError
from privopt.networks import Branches, Network
from privopt.networks.locate import find
from privopt.networks.radial import check_feeder, loops


@pytest.mark.parametrize("name", ["case33bw", "39_epri", "118_ieee", "case70da", "case9"])
def test_what_is_left_without_loops_is_a_spanning_forest(name: str) -> None:
    network = po.networks.load(name)
    lines, closing = network.branches, loops(network)
    graph = nx.MultiGraph()
    graph.add_nodes_from(range(len(network.buses)))
    ends = list(zip(lines.source.tolist(), lines.target.tolist(), strict=True))
    graph.add_edges_from(ends)
    parts = nx.number_connected_components(graph)
    assert len(closing) == len(ends) - len(network.buses) + parts
    kept = nx.MultiGraph()
    kept.add_nodes_from(graph)
    kept.add_edges_from(end for k, end in enumerate(ends) if k not in set(closing.tolist()))
    assert nx.is_forest(kept)
    assert nx.number_connected_components(kept) == parts


def test_the_ties_of_case33bw_make_it_meshed(tmp_path: Path) -> None:
    """Its five lines with status 0 are switches; closed, each makes a loop."""
    path = tmp_path / "closed.m"
    text = find("case33bw").read_text(encoding="utf-8")
    assert text.count("\t0\t-360\t360;") == 5
    path.write_text(text.replace("\t0\t-360\t360;", "\t1\t-360\t360;"), encoding="utf-8")
    network = po.networks.load(path)
    assert len(loops(network)) == 5
    for convention in ("lindistflow", "socp"):
        with pytest.raises(InputError, match="meshed: 5 lines too many.*joins buses 21 and 8"):
            network.program(convention)
    assert network.program("matpower").solve().cost > 0


def test_parallel_lines_are_a_loop(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.m",
        [bus(1, 3), bus(2, 1, 50.0)],
        [gen(1, 200.0)],
        [branch(1, 2), branch(2, 1)],
        [polynomial(0.0, 10.0, 0.0)],
    )
    with pytest.raises(InputError, match="1 line too many .* joins buses 2 and 1"):
        po.networks.load(path).program("lindistflow")


def changed(network: Network, part: str, name: str, value: float) -> Network:
    values = np.array(getattr(getattr(network, part), name), dtype=float)
    values[-1] = value
    return replace(network, **{part: replace(getattr(network, part), **{name: values})})


@pytest.mark.parametrize(
    ("part", "name", "value", "says"),
    [
        ("buses", "reactive", np.nan, r"reactive demand \(Qd\) of bus 33 is not given"),
        ("buses", "susceptance", np.inf, r"susceptance \(Bs\) of bus 33 is not given"),
        ("buses", "reactive", 1e200, r"\(Qd\) of bus 33 is beyond reason"),
        ("buses", "voltage_low", np.nan, r"\(Vmin\) of bus 33 is not given"),
        ("buses", "voltage_high", 0.5, r"voltage of bus 33 is to lie in \[0.9, 0.5\]"),
        ("buses", "voltage_low", -0.5, r"voltage of bus 33 is to lie in \[-0.5, 1.1\]"),
        ("generators", "reactive_low", np.nan, r"\(Qmin\) of the unit at 1 is not given"),
        ("branches", "charging", np.nan, r"\(b\) of line 32,33 is not given"),
    ],
)
def test_what_is_missing_is_named(part: str, name: str, value: float, says: str) -> None:
    network = po.networks.load("case33bw")
    check_feeder(network)
    with pytest.raises(InputError, match=says):
        changed(network, part, name, value).program("lindistflow")


def test_files_that_a_dc_flow_takes_need_no_voltages(tmp_path: Path) -> None:
    """As before: what only a feeder uses may be missing or strange."""
    path = write(
        tmp_path / "a.m",
        [bus(1, 3)[:6], bus(2, 1, 50.0)[:6]],
        [gen(1, 200.0)],
        [branch(1, 2)],
        [polynomial(0.0, 10.0, 0.0)],
    )
    network = po.networks.load(path)
    assert network.program().solve().cost == pytest.approx(500.0)
    with pytest.raises(InputError, match="Vmin"):
        network.program("lindistflow")


def test_reactive_limits_may_be_infinite() -> None:
    network = po.networks.load("case33bw")
    free = changed(network, "generators", "reactive_high", np.inf)
    check_feeder(free)
    assert isinstance(free.branches, Branches)
