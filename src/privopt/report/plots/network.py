"""The network under one plan: who takes up the noise, and how loaded the lines are.

A node's area is its supply and its colour the deviation of that supply under the noise; a ring
marks the nodes whose supply is released. A line's width and colour are its loading.
"""

from __future__ import annotations

import math
from typing import Any

from privopt.report.folder import Drawing
from privopt.report.plots.style import Figure, label, picture, scatter
from privopt.report.records import Edge, Node

__all__ = ["network"]

LOADS = 5  # shades of loading
LABELLED = 60  # beyond so many nodes their numbers would only be clutter


def network(drawing: Drawing) -> Figure:
    """Lines first, then the rings, then the nodes on top."""
    place = {node.bus: (node.x, node.y) for node in drawing.nodes}
    edges = [e for e in drawing.edges if e.start in place and e.end in place]
    shades = [_shade(edges, place, k) for k in range(LOADS)]
    hidden = {"visible": False, "fixedrange": False}
    across, up = ([at[k] for at in place.values()] or [0.0, 1.0] for k in (0, 1))
    return picture(
        [
            *[shade for shade in shades if shade["x"]],
            _hover(edges, place),
            _rings(drawing.nodes),
            _nodes(drawing.nodes),
        ],
        560,
        (6, 6, 6, 92),
        xaxis=hidden | {"range": [min(across) - 0.05, max(across) + 0.05]},
        yaxis=hidden | {"range": [min(up) - 0.08, max(up) + 0.1]},
        dragmode="pan",
    )


def _shade(edges: list[Edge], place: dict[str, tuple[float, float]], k: int) -> Figure:
    """The lines of one shade of loading, as one trace with gaps."""
    x: list[float | None] = []
    y: list[float | None] = []
    for edge in edges:
        if min(int(edge.loading * LOADS), LOADS - 1) == k:
            (x0, y0), (x1, y1) = place[edge.start], place[edge.end]
            x += [x0, x1, None]
            y += [y0, y1, None]
    return scatter(x, y, "", "lines", line={"color": f"var(--load{k})", "width": 1.5 + 1.3 * k})


def _hover(edges: list[Edge], place: dict[str, tuple[float, float]]) -> Figure:
    """Points in the middle of the lines: what to show on hover, and the colour bar of loading."""
    middle = [
        [(a + b) / 2 for a, b in zip(place[e.start], place[e.end], strict=True)] for e in edges
    ]
    ticks = [k / LOADS for k in range(LOADS + 1)]
    texts = [f"{100 * tick:.0f}" for tick in ticks]
    return scatter(
        [round(x, 5) for x, _ in middle],
        [round(y, 5) for _, y in middle],
        "%{text}",
        text=[
            f"<b>line {label(e.start)} to {label(e.end)}</b><br>loading {e.loading:.0%} of the "
            f"limit<br>deviation {e.deviation:.1%} of the limit"
            for e in edges
        ],
        marker={
            "size": 9,
            "opacity": 0,
            "color": [min(e.loading, 1.0) for e in edges],
            "cmin": 0,
            "cmax": 1,
            "colorscale": [[ticks[j], f"var(--load{k})"] for k in range(LOADS) for j in (k, k + 1)],
            "showscale": True,
            "colorbar": _bar("line: loading, %", 0.52, tickvals=ticks, ticktext=texts),
        },
    )


def _rings(nodes: tuple[Node, ...]) -> Figure:
    chosen = [(n, size) for n, size in zip(nodes, _sizes(nodes), strict=True) if n.released]
    ring = {
        "opacity": 1,
        "size": [size + 10 for _, size in chosen],
        "color": "var(--ground)",
        "line": {"width": 3, "color": "var(--released)"},
    }
    return scatter([n.x for n, _ in chosen], [n.y for n, _ in chosen], marker=ring)


def _nodes(nodes: tuple[Node, ...]) -> Figure:
    small = len(nodes) <= LABELLED
    return scatter(
        [n.x for n in nodes],
        [n.y for n in nodes],
        "%{customdata}",
        "markers+text" if small else "markers",
        text=[label(n.bus) for n in nodes],
        textposition="top right",
        textfont={"size": 12, "color": "var(--ink)"},
        cliponaxis=False,
        customdata=[_describe(n) for n in nodes],
        marker={
            "size": _sizes(nodes),
            "opacity": 1,
            "color": [n.deviation for n in nodes],
            "cmin": 0,
            "cmax": max([n.deviation for n in nodes] + [1e-9]),
            "colorscale": [[k / 4, f"var(--seq{k})"] for k in range(5)],
            "line": {"width": 1, "color": "var(--ink)"},
            "colorbar": _bar("node: deviation", 0.0, nticks=5),
        },
    )


def _describe(node: Node) -> str:
    limit = "" if node.limit is None else f" of at most {node.limit:.3g}"
    released = "<br>its supply is released" if node.released else ""
    return (
        f"<b>node {label(node.bus)}</b><br>supply {node.supply:.3g}{limit}<br>"
        f"deviation under the noise {node.deviation:.3g}{released}"
    )


def _sizes(nodes: tuple[Node, ...]) -> list[float]:
    """Areas in proportion to supply, smaller where there are many nodes."""
    largest = max([n.supply for n in nodes] + [1e-9])
    width = 30.0 if len(nodes) <= LABELLED else 18.0
    return [round(7 + width * math.sqrt(max(n.supply, 0) / largest), 2) for n in nodes]


def _bar(title: str, x: float, **changes: object) -> dict[str, Any]:
    return {
        "orientation": "h",
        "x": x,
        "xanchor": "left",
        "y": -0.02,
        "yanchor": "top",
        "len": 0.46,
        "thickness": 10,
        "outlinewidth": 0,
        "title": {"text": title, "side": "top", "font": {"size": 12, "color": "var(--muted)"}},
        "tickfont": {"size": 11, "color": "var(--muted)"},
        "tickangle": 0,
    } | changes
