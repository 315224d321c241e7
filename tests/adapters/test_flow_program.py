"""A program of a graph: edges as variables, demands by node, flows as networkx gives them."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest

import privopt as po
from privopt.adapters import from_networkx
from privopt.adapters.flow_program import FlowProgram


def graph(kind: Any = nx.DiGraph) -> Any:
    made = kind()
    made.add_node("a", demand=-5)
    made.add_node("b", demand=2)
    made.add_node("c", demand=3)
    for u, v, weight in (("a", "b", 1), ("b", "c", 1), ("a", "c", 3)):
        made.add_edge(u, v, weight=weight, capacity=4)
    return made


def program() -> FlowProgram:
    return from_networkx(graph(), private=["b", "c"], balance=["a"])


def test_flows_are_those_of_networkx() -> None:
    made = program()
    known = nx.min_cost_flow(graph())
    found = made.flows(made.solve().z)
    assert set(found) == set(known)
    for u, ends in known.items():
        assert set(found[u]) == set(ends)
        for v, flow in ends.items():
            assert found[u][v] == pytest.approx(flow, abs=1e-6)


def test_demands_by_node_are_the_vector() -> None:
    made = program()
    given = {"c": 1.5, "b": 2.5, "a": "nobody reads this"}
    vector = made.data(given)
    assert np.asarray(vector).tolist() == [2.5, 1.5]
    assert made.data(vector) is vector
    assert made.at(given).d.tolist() == made.at(vector).d.tolist()
    total = made.at(given)
    z = total.solve().z
    np.testing.assert_allclose(np.asarray(total.G @ z), total.d, atol=1e-7)
    with pytest.raises(po.errors.InputError, match="the demand of b is missing"):
        made.data({"c": 1.0})


def test_edges_are_variables() -> None:
    made = program()
    z = np.arange(made.n, dtype=float)
    flows = made.flows(z)
    for u, v in graph().edges:
        (j,) = made.positions([(u, v)])
        assert flows[u][v] == z[j]
    out = po.Sum({"out of a": list(graph().out_edges("a"))}).matrix(made)
    assert np.asarray(out @ z).tolist() == [flows["a"]["b"] + flows["a"]["c"]]
    with pytest.raises(po.errors.InputError):
        made.positions([("c", "a")])


def test_parallel_edges_need_their_key() -> None:
    many = graph(nx.MultiDiGraph)
    key = many.add_edge("a", "b", weight=2, capacity=1)
    made = from_networkx(many, private=["b", "c"], balance=["a"])
    flows = made.flows(np.arange(made.n, dtype=float))
    assert flows["a"]["b"][key] == made.positions([("a", "b", key)])[0]
    assert made.positions([("b", "c")]) == made.positions([("b", "c", 0)])
    with pytest.raises(po.errors.InputError):
        made.positions([("a", "b")])
