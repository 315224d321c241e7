"""Graphs as programs: networkx's own optimum, balance and slack, edges as queries, refusals."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest

import privopt as po
from privopt.adapters import from_networkx

NOISE = po.Laplace(epsilon=1.0, alpha=0.1)


def random_graph(seed: int, multi: bool = False) -> Any:
    """Integer data, as networkx's solver wants them; feasible: arcs of a cycle have no capacity."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 9))
    graph: Any = nx.MultiDiGraph() if multi else nx.DiGraph()
    demand = rng.integers(-4, 5, size=n)
    demand[0] -= demand.sum()
    for v in range(n):
        graph.add_node(v, demand=int(demand[v]))
        graph.add_edge(v, (v + 1) % n, weight=int(rng.integers(5, 12)))
    for _ in range(3 * n):
        u, v = (int(k) for k in rng.integers(n, size=2))
        if u != v and (multi or not graph.has_edge(u, v)):
            limits = {"capacity": int(rng.integers(1, 6))} if rng.random() < 0.8 else {}
            prices = {"weight": int(rng.integers(1, 9))} if rng.random() < 0.9 else {}
            graph.add_edge(u, v, **limits, **prices)
    return graph


def cost_of(flows: Any, graph: Any) -> float:
    """What flows by edge cost, from the graph itself."""
    multi = graph.is_multigraph()
    return sum(
        price * (flows[edge[0]][edge[1]][edge[2]] if multi else flows[edge[0]][edge[1]])
        for *edge, price in graph.edges(data="weight", default=0, **{"keys": True} if multi else {})
    )


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs_have_networkx_optimum(seed: int) -> None:
    graph = random_graph(seed, multi=seed % 2 == 1)
    everyone = from_networkx(graph, balance=0)
    some = from_networkx(graph, balance=0, private=[1, 2])
    best = nx.min_cost_flow_cost(graph)
    for program in (everyone, some):
        z = program.solve(po.Settings(tolerance=1e-9)).z
        assert program.cost(z) == pytest.approx(best, rel=1e-7, abs=1e-7)
        assert cost_of(program.flows(z), graph) == pytest.approx(best)
    graph.nodes[1]["demand"] += 1
    graph.nodes[0]["demand"] -= 1
    demands = nx.get_node_attributes(graph, "demand")
    after = nx.min_cost_flow_cost(graph)
    for program in (everyone, some):
        cost = program.at(demands).solve(po.Settings(tolerance=1e-9)).cost
        assert cost == pytest.approx(after, rel=1e-7, abs=1e-7)


def supply() -> Any:
    """A plant serves two towns through a hub, and one of them directly, at more cost."""
    graph: Any = nx.DiGraph()
    graph.add_edge("plant", "hub", weight=1.0, loss=0.1)
    graph.add_edge("hub", "north", weight=1.0, capacity=5.0, loss=0.1)
    graph.add_edge("hub", "south", weight=2.0, loss=0.1)
    graph.add_edge("plant", "north", weight=4.0, loss=0.1)
    graph.add_edge("plant", "south", weight=4.0, capacity=2.0, loss=0.1)
    return graph


def test_a_change_of_a_demand_is_balanced_at_the_node_that_is_named() -> None:
    program = from_networkx(supply(), balance="plant", private=["north", "south"], quadratic="loss")
    assert not program.has_data
    assert program.data_names == ("demand[north]", "demand[south]")
    query = po.Identity([("plant", "north"), ("hub", "south")])
    assert query.names(program) == ("flow[plant,north]", "flow[hub,south]")
    noise = po.TruncatedLaplace(epsilon=1.0, delta=0.01, alpha=0.1)
    demands = {"north": 4.0, "south": 3.5, "plant": "not read"}
    sums, domain = {"total": list(program.data_names)}, po.Box(3.0, 4.5)
    instrument = po.Instrument(sums, program=program, privacy=noise, domain=domain)
    measured = instrument.measure(program.data(demands))
    decision = po.decide(program, query, measured, po.Always())
    assert decision.guarantee.privacy.provenance is po.Provenance.PROVEN
    release = decision.release()
    flows = program.flows(decision.complete(program.data(demands)).z)
    assert flows["plant"]["north"] == pytest.approx(release.values[0], abs=1e-7)
    assert sum(flows["plant"].values()) == pytest.approx(7.5)
    assert flows["hub"]["north"] + flows["plant"]["north"] == pytest.approx(4.0)
    assert flows["north"] == {}


def test_plans_work_on_graphs() -> None:
    graph = supply()
    nx.set_node_attributes(graph, {"north": 4.0, "south": 3.0}, "demand")
    program = from_networkx(graph, balance="plant", quadratic="loss")
    assert program.d.tolist() == [0.0, 4.0, 3.0]
    plan = po.solve(program, po.Identity([("hub", "north")]), NOISE, po.Analytic(eta=0.05))
    release = plan.release()
    flows = program.flows(plan.realise(release))
    assert flows["hub"]["north"] == pytest.approx(release.values[0], abs=1e-7)
    assert sum(flows["plant"].values()) == pytest.approx(7.0)


def test_slack_arcs_balance_with_the_world_outside() -> None:
    graph = supply()
    nx.set_node_attributes(graph, {"north": 4.0, "south": 3.0, "plant": -6.0}, "demand")
    program = from_networkx(graph, slack={"north": 100.0, "hub": 50.0})
    assert program.names[-4:] == ("shortage[north]", "surplus[north]", "shortage[hub]",
                                  "surplus[hub]")  # fmt: skip
    found = dict(zip(program.names, program.solve().z, strict=True))
    assert found["shortage[hub]"] == pytest.approx(1.0, abs=1e-6)
    assert sum(found[name] for name in program.names[-4:]) == pytest.approx(1.0, abs=1e-6)
    outside = supply()
    outside.add_edge("out", "hub", weight=50.0)
    outside.add_edge("hub", "out", weight=50.0)
    nx.set_node_attributes(outside, {"north": 4.0, "south": 3.0, "plant": -6.0}, "demand")
    same = from_networkx(outside, balance="out")  # the same written by hand
    hub = from_networkx(graph, slack={"hub": 50.0})
    assert same.solve().cost == pytest.approx(hub.solve().cost)


def test_edges_are_queries() -> None:
    graph: Any = nx.MultiDiGraph()
    graph.add_edges_from([(1, 2, "road"), (1, 2, "rail"), (2, 3, "road"), (1, 3, "road")])
    program = from_networkx(graph, balance=1)
    assert program.names == (
        "flow[1,2,road]", "flow[1,2,rail]", "flow[1,3,road]", "flow[2,3,road]",
    )  # fmt: skip
    assert po.Identity([(2, 3), (1, 2, "rail")]).names(program) == (
        "flow[2,3,road]", "flow[1,2,rail]",
    )  # fmt: skip
    out = po.Sum({"out of 1": graph.out_edges(1, keys=True)})
    assert out.matrix(program).toarray().tolist() == [[1, 1, 1, 0]]
    assert po.Identity((0, 3)).names(program) == ("flow[1,2,road]", "flow[2,3,road]")
    assert po.Identity("flow[2,3,road]").matrix(program).nnz == 1
    assert program.flows([1.0, 2.0, 3.0, 4.0])[1] == {
        2: {"road": 1.0, "rail": 2.0},
        3: {"road": 3.0},
    }
    for wrong in ([(1, 2)], [(3, 1)], [(1, 2, "air")], [("1", "2")], [(1, 2, "road"), "x"]):
        with pytest.raises(po.errors.InputError):
            po.Identity(wrong).matrix(program)


def test_parts_of_a_graph_balance_by_themselves() -> None:
    graph: Any = nx.DiGraph([("a", "b"), ("c", "d")])
    nx.set_node_attributes(graph, {"b": 2.0, "d": 1.0}, "demand")
    program = from_networkx(graph, balance=["a", "c"])
    assert program.flows(program.solve().z)["a"]["b"] == pytest.approx(2.0)
    mixed = from_networkx(graph, balance="a", slack={"c": 1.0})
    assert mixed.solve().cost == pytest.approx(1.0)
    grid = from_networkx(nx.grid_2d_graph(2, 2).to_directed(), balance=(0, 0))
    assert grid.names[0] == "flow[(0, 0),(1, 0)]"


@pytest.mark.parametrize(
    ("change", "arguments", "names"),
    [
        (None, {}, "no node balances"),
        (None, {"balance": ["plant", "hub"]}, "several nodes balance"),
        (None, {"balance": "plant", "slack": {"hub": 1.0}}, "several nodes balance"),
        (None, {"balance": "mill"}, "'mill'"),
        (None, {"balance": 3}, "3"),
        (None, {"balance": "plant", "private": ["east"]}, "'east'"),
        (None, {"balance": "plant", "private": ["plant"]}, "plant"),
        (None, {"balance": "plant", "private": []}, "shape"),
        (None, {"slack": {"mill": 1.0}}, "'mill'"),
        (None, {"slack": ["hub"]}, "list"),
        (None, {"slack": {"hub": "dear"}}, "weight"),
        (lambda g: g.add_node("alone"), {"balance": "plant"}, "alone"),
        (lambda g: g.add_edge("hub", "east", capacity=None), {"balance": "plant"}, "capacity"),
        (lambda g: g.add_edge("hub", "east", capacity=-1), {"balance": "plant"}, "flow[hub,east]"),
        (lambda g: g.add_edge("hub", "east", weight=np.inf), {"balance": "plant"}, "weight"),
        (lambda g: g.add_node("north", demand=np.nan), {"balance": "plant"}, "demand"),
        (lambda g: g.add_node("north", demand="all"), {"balance": "plant"}, "demand"),
        (lambda g: g.add_edge(1, "1"), {"balance": "plant"}, "part of the graph around 1"),
    ],
)  # fmt: skip
def test_bad_graphs_are_refused(change: Any, arguments: dict[str, Any], names: str) -> None:
    graph = supply()
    if change is not None:
        change(graph)
    with pytest.raises(po.errors.InputError) as caught:
        from_networkx(graph, **arguments)
    assert names in caught.value.got
    assert caught.value.remedy


def test_other_things_than_directed_graphs_are_refused() -> None:
    for wrong, names in ((nx.Graph([(1, 2)]), "undirected"), ({1: [2]}, "dict"), (None, "None")):
        with pytest.raises(po.errors.InputError, match=names):
            from_networkx(wrong, balance=1)


def test_demands_that_do_not_add_up_are_refused() -> None:
    graph = supply()
    nx.set_node_attributes(graph, {"north": 4.0, "plant": -3.0}, "demand")
    with pytest.raises(po.errors.InputError, match="balance node plant"):
        from_networkx(graph, balance="plant")
    del graph.nodes["plant"]["demand"]
    program = from_networkx(graph, balance="plant")
    with pytest.raises(po.errors.InputError, match="south"):
        program.at({"north": 1.0, "hub": 0.0})


@pytest.mark.parametrize("multi", [False, True])
def test_lower_bounds_of_edges_hold(multi: bool) -> None:
    """The dear way must carry 2 of the 5, and costs 3 a unit instead of 1: 3 + 2 * 3."""
    graph: Any = nx.MultiDiGraph() if multi else nx.DiGraph()
    graph.add_edge("a", "b", weight=1)
    graph.add_edge("a", "c", weight=3, lower=2)
    graph.add_edge("c", "b")
    nx.set_node_attributes(graph, {"a": -5, "b": 5}, "demand")
    program = from_networkx(graph, balance="a", private=["b"])
    assert program.solve().cost == pytest.approx(9.0)
    assert program.lower.tolist() == [0.0, 2.0, 0.0]
    renamed = nx.relabel_nodes(graph, {})
    for *_, given in renamed.edges(data=True):
        given["least"] = given.pop("lower", 0)
    program = from_networkx(renamed, balance="a", private=["b"], lower="least")
    assert program.solve().cost == pytest.approx(9.0)


@pytest.mark.parametrize("name", ["lower_bound", "min", "lb"])
def test_limits_that_are_not_read_are_refused(name: str) -> None:
    graph: Any = nx.DiGraph()
    graph.add_edge("a", "b", weight=1, **{name: 2})
    with pytest.raises(po.errors.InputError, match=f"from a to b has '{name}'"):
        from_networkx(graph, balance="a")
    assert from_networkx(graph, balance="a", lower=name).lower.tolist() == [2.0]
    graph.edges["a", "b"].pop(name)
    graph.nodes["b"]["capacity"] = 3
    with pytest.raises(po.errors.InputError, match="the node b has a 'capacity'"):
        from_networkx(graph, balance="a")
