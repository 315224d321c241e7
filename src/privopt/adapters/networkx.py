"""A networkx graph as a `ConvexProgram`: flow of minimum cost with private demands.

    minimise   sum of weight_e f_e + quadratic_e f_e^2          lower_e <= f_e <= capacity_e
    subject to flow into v - flow out of v = demand_v           for every node but the balance node

The demands of a flow add up to zero, so none can change alone. The balance node has no row: what it
receives is what the others leave, and neighbours are demands that differ at one private node, the
balance node following. With slack arcs the world outside is the balance node.

A limit that is not read would be broken: capacities of nodes, and lower bounds under another name
than the one given, are refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from privopt import arrays
from privopt.adapters.flow_program import Edge, FlowProgram
from privopt.arrays import Sparse, Vector
from privopt.errors import InputError
from privopt.extra import library

__all__ = ["from_networkx"]

_OUTSIDE = object()  # the node at the other end of slack arcs
_ROUNDING = 1e-9  # of the sum of sizes
_LOWER = ("lower", "lower_bound", "lowerbound", "lb", "min", "minimum", "min_flow", "min_capacity")


def from_networkx(
    graph: Any,  # noqa: ANN401
    *,
    balance: Any = None,  # noqa: ANN401
    slack: Mapping[Any, float] | None = None,
    private: Iterable[Any] | None = None,
    demand: str = "demand",
    capacity: str = "capacity",
    weight: str = "weight",
    quadratic: str | None = None,
    lower: str = "lower",
) -> FlowProgram:
    """The flow of minimum cost in a directed graph, its demands private.

    As in `networkx.min_cost_flow`, a positive demand receives; a missing demand, weight or lower
    bound is 0, a missing capacity infinite. Variables are `flow[u,v]` (`flow[u,v,key]` in a
    MultiDiGraph), then `shortage[v]` and `surplus[v]` of slack arcs; private data are `demand[v]`.

    Parameters
    ----------
    graph
        A DiGraph or MultiDiGraph.
    balance
        The node whose demand follows a change of the others; a list for a graph of several
        connected parts, one in each.
    slack
        From nodes to prices: at these nodes, what is short is bought from outside and what is left
        over is sent there, each at that price a unit. It takes the place of a balance node.
    private
        Nodes whose demands are private; all but the balance node unless given. If none of them has
        a demand the program has no d, as `decide` needs none.
    demand, capacity, weight, quadratic, lower
        Names of the attributes of nodes and edges; quadratic cost is left out unless named.

    Examples
    --------
    >>> import networkx as nx, privopt as po
    >>> graph = nx.DiGraph([("plant", "hub"), ("hub", "north"), ("hub", "south")])
    >>> program = from_networkx(graph, balance="plant", private=["north", "south"])
    >>> program.data_names
    ('demand[north]', 'demand[south]')
    >>> found = program.at({"north": 2.0, "south": 1.0}).solve()
    >>> round(program.flows(found.z)["plant"]["hub"], 6)
    3.0
    """
    _check_graph(graph, slack)
    _check_limits(graph, capacity, lower)
    nodes = [*graph.nodes, _OUTSIDE]
    arcs = [*_edges(graph), *_slack_arcs(graph, slack or {}, weight)]
    place = {node: i for i, node in enumerate(nodes)}
    ends = np.array([(place[arc.source], place[arc.target]) for arc in arcs]).reshape(-1, 2)
    inflow = _inflow(ends, len(nodes))
    followers = _nodes(graph, balance, "balance=") if balance is not None else []
    if slack:
        followers.append(_OUTSIDE)
    parts = _parts(ends, nodes, followers)
    chosen = [node for node in graph.nodes if node not in followers]
    if private is not None:
        chosen = _nodes(graph, private, "private=")
        _check_private(chosen, followers)
    taken = {*chosen, *followers}
    public = [node for node in graph.nodes if node not in taken]
    due = _numbers((graph.nodes[node] for node in public), demand, 0.0)
    known = any(demand in graph.nodes[node] for node in chosen)
    if known:
        _check_sums(graph, followers, parts, demand)
    attributes = [arc.attributes for arc in arcs]
    return FlowProgram(
        tuple(graph.nodes),
        tuple(arc.edge for arc in arcs if arc.edge),
        tuple(chosen),
        linear=_numbers(attributes, weight, 0.0),
        quadratic=None if quadratic is None else _numbers(attributes, quadratic, 0.0),
        G=inflow[[place[node] for node in chosen]],
        E=inflow[[place[node] for node in public]] if public else None,
        g=due if public else None,
        d=[graph.nodes[node].get(demand, 0.0) for node in chosen] if known else None,
        lower=_numbers(attributes, lower, 0.0),
        upper=_numbers(attributes, capacity, np.inf),
        names=[arc.name for arc in arcs],
        data_names=[f"demand[{node}]" for node in chosen],
        equality_names=[f"demand[{node}]" for node in public] if public else None,
    )


@dataclass(frozen=True, eq=False, repr=False)
class _Arc:
    """From source to target, with the attributes of an edge; `edge` is empty for a slack arc."""

    name: str
    source: Any
    target: Any
    attributes: Mapping[str, Any]
    edge: Edge = ()


def _check_graph(graph: Any, slack: object) -> None:  # noqa: ANN401
    nx = library("networkx")
    if not isinstance(graph, nx.Graph):
        raise InputError(
            f"graph is {type(graph).__name__}.", "a networkx DiGraph or MultiDiGraph.", "pass one."
        )
    if not graph.is_directed():
        raise InputError(
            "the graph is undirected.",
            "a DiGraph or MultiDiGraph: a flow has a direction.",
            "pass graph.to_directed(), which has an edge each way.",
        )
    if slack is not None and not isinstance(slack, Mapping):
        raise InputError(
            f"slack is {type(slack).__name__}.",
            "a dict from nodes to prices.",
            "pass for example slack={'hub': 100.0}.",
        )


def _check_limits(graph: Any, capacity: str, lower: str) -> None:  # noqa: ANN401
    """Refuse limits that would not be read."""
    limited = next((node for node, given in graph.nodes(data=True) if capacity in given), None)
    if limited is not None:
        raise InputError(
            f"the node {limited} has a {capacity!r}.",
            "capacities of edges: what goes through a node has no limit here.",
            "split the node in two, joined by an edge of that capacity, or remove the attribute.",
        )
    for source, target, given in graph.edges(data=True):
        unread = next((name for name in _LOWER if name in given and name != lower), None)
        if unread is not None:
            raise InputError(
                f"the edge from {source} to {target} has {unread!r}, which is not read.",
                f"lower bounds of flows as {lower!r}.",
                f"pass lower={unread!r} if it is one, or remove the attribute.",
            )


def _edges(graph: Any) -> Iterator[_Arc]:  # noqa: ANN401
    keyed = {"keys": True} if graph.is_multigraph() else {}
    for *edge, attributes in graph.edges(data=True, **keyed):
        name = f"flow[{','.join(str(part) for part in edge)}]"
        yield _Arc(name, edge[0], edge[1], attributes, tuple(edge))


def _slack_arcs(graph: Any, slack: Mapping[Any, float], weight: str) -> Iterator[_Arc]:  # noqa: ANN401
    for node in _nodes(graph, slack, "slack="):
        price = {weight: slack[node]}
        yield _Arc(f"shortage[{node}]", _OUTSIDE, node, price)
        yield _Arc(f"surplus[{node}]", node, _OUTSIDE, price)


def _inflow(ends: NDArray[np.intp], size: int) -> Sparse:
    """Nodes by arcs: 1 where an arc ends, -1 where it starts (0 where both)."""
    columns = np.tile(np.arange(len(ends)), 2)
    signs = np.repeat([-1.0, 1.0], len(ends))
    return sp.csr_array((signs, (ends.T.ravel(), columns)), shape=(size, len(ends)))


def _parts(ends: NDArray[np.intp], nodes: list[Any], followers: list[Any]) -> NDArray[np.int32]:
    """The connected part that each node lies in: one of its nodes balances the demands of it."""
    size = len(nodes)
    links = sp.coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(size, size))
    parts = connected_components(links.tocsr(), directed=False)[1]
    count = Counter(int(parts[nodes.index(node)]) for node in followers)
    for node, part in zip(nodes[:-1], parts, strict=False):
        if count[int(part)] != 1:
            several = "several nodes balance" if count[int(part)] else "no node balances"
            raise InputError(
                f"{several} the demands of the part of the graph around {node}.",
                "one node in each connected part whose demand follows the others, or a slack arc.",
                "name it with balance=node (a list for several parts), or give slack={node: price}"
                "; a node without edges can be removed.",
            )
    return parts


def _nodes(graph: Any, given: Any, what: str) -> list[Any]:  # noqa: ANN401
    """Some nodes of the graph, given as a list or as a single one."""
    single = isinstance(given, Hashable) and given in graph
    several = isinstance(given, Iterable) and not isinstance(given, str) and not single
    nodes = list(cast("Iterable[Any]", given if several else [given]))
    for node in nodes:
        if node not in graph:
            raise InputError(
                f"{node!r} in {what} is no node of the graph.",
                "nodes of the graph.",
                "check the spelling; list(graph.nodes) lists them.",
            )
    return nodes


def _check_private(chosen: list[Any], followers: list[Any]) -> None:
    both = [node for node in chosen if node in followers]
    if both:
        raise InputError(
            f"the demand of {both[0]} is private and balances the others at once.",
            "a balance node that is not private: its demand is the sum of the others.",
            "leave it out of private=, or let another node (or slack=) balance.",
        )


def _check_sums(graph: Any, followers: list[Any], parts: NDArray[np.int32], demand: str) -> None:  # noqa: ANN401
    """Where a balance node has a demand of its own, it must be what the others leave."""
    nodes = list(graph.nodes)
    values = arrays.vector(
        [graph.nodes[node].get(demand, 0.0) for node in nodes], len(nodes), demand, private=True
    )
    for node in followers:
        if node is _OUTSIDE or demand not in graph.nodes[node]:
            continue
        around = values[parts[:-1] == parts[nodes.index(node)]]
        if abs(around.sum()) > _ROUNDING * np.abs(around).sum():
            raise InputError(
                f"the demand of the balance node {node} is not what the others leave.",
                "demands that add up to zero in each connected part of the graph.",
                f"remove the demand of {node} (it follows the others), or correct the others.",
            )


def _numbers(of: Iterable[Mapping[str, Any]], attribute: str, missing: float) -> Vector:
    """An attribute of nodes or edges."""
    values = [attributes.get(attribute, missing) for attributes in of]
    return arrays.vector(values, len(values), attribute, infinite=np.isinf(missing))
