"""The network under one plan: who takes up the noise, and how loaded the lines are.

A node's area is its supply and its shade the deviation of that supply under the noise; a ring marks
the nodes whose supply is released. A line's width and shade are its loading.
"""

from __future__ import annotations

from privopt.report.folder import Drawing
from privopt.report.records import Edge, Node
from privopt.show.pictures.map import MapLine, MapNode, network_map
from privopt.show.pictures.picture import Picture

__all__ = ["network"]


def network(drawing: Drawing) -> Picture:
    """The map of a drawing; lines to nodes that are not there are left out."""
    at = {node.bus: k for k, node in enumerate(drawing.nodes)}
    edges = [edge for edge in drawing.edges if edge.start in at and edge.end in at]
    largest = max([node.deviation for node in drawing.nodes] + [1e-9])
    return network_map(
        [_node(node, largest) for node in drawing.nodes],
        [MapLine(at[e.start], at[e.end], e.loading, _of_edge(e)) for e in edges],
        f"The network {drawing.network}",
        unit="p.u.",
        shade=("deviation of the supply", largest),
        ring="released",
    )


def _node(node: Node, largest: float) -> MapNode:
    limit = "" if node.limit is None else f" of at most {node.limit:.3g}"
    released = "; its supply is released" if node.released else ""
    text = (
        f"node {node.bus}: supply {node.supply:.3g} p.u.{limit}; deviation under the noise "
        f"{node.deviation:.3g} p.u.{released}"
    )
    return MapNode(
        node.x,
        node.y,
        node.bus,
        right=max(node.supply, 0.0),
        shade=node.deviation / largest,
        ring=node.released,
        text=text,
    )


def _of_edge(edge: Edge) -> str:
    return (
        f"line {edge.start} to {edge.end}: loading {edge.loading:.0%} of the limit; deviation "
        f"{edge.deviation:.1%} of the limit"
    )
