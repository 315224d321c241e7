"""The map of a network: what is taken and given at each node, what is released, how lines are used.

left half of a disc      demand       areas are in proportion to the values, both halves on
right half               supply       one scale; the legend shows one of them with its unit
whole disc, in a shade   supply, and how far it moves, where that is given
ring                     released; the value is written beside it
width and shade of line  loading, from none to all of its limit
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from privopt.show.pictures.map_labels import Label, placed
from privopt.show.pictures.map_legend import Meaning, half, map_legend
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.svg import Svg, element, group, joined, label, path, title
from privopt.show.pictures.theme import LOADS, colour

__all__ = ["MapLine", "MapNode", "network_map"]

_WIDTH = 400.0
_EDGE = 30.0  # room around the nodes
_WRITTEN = 60  # nodes, up to which their names are written
_SEPARATE = 400  # lines, up to which each says what it is when it is pointed at
_SHADES = 5
_TALLEST = 380.0  # of the part with the nodes


@dataclass(frozen=True, repr=False)
class MapNode:
    """A node at a place (y upwards): see the module. `text` is shown when it is pointed at."""

    x: float
    y: float
    name: str
    left: float = 0.0
    right: float = 0.0
    shade: float | None = None
    ring: bool = False
    written: str = ""
    text: str = ""


@dataclass(frozen=True, repr=False)
class MapLine:
    """A line between two nodes, by their positions; None: how loaded it is, is not known."""

    source: int
    target: int
    loading: float | None = None
    text: str = ""


def network_map(
    nodes: Sequence[MapNode],
    lines: Sequence[MapLine],
    name: str,
    caption: str = "",
    *,
    unit: str = "",
    halves: tuple[str, str] = ("demand", "supply"),
    shade: tuple[str, float] | None = None,
    ring: str = "released",
) -> Picture:
    """The map with its legend.

    Parameters
    ----------
    unit
        Of what the discs show.
    halves
        What the left and the right half are.
    shade
        What the shades are, and the value of the darkest.
    ring
        What a ring means.
    """
    across, up, high = _scales(nodes)
    places = [(across(node.x), up(node.y)) for node in nodes]
    largest = max([0.0, *(max(node.left, node.right) for node in nodes)])
    widest = 17.0 if len(nodes) <= _WRITTEN else 120.0 / math.sqrt(max(len(nodes), 1))
    radii = [_radius(max(node.left, node.right), largest, widest) for node in nodes]
    meaning = Meaning(
        unit=unit,
        halves=halves if any(node.shade is None for node in nodes) else ("", halves[1]),
        has=(any(n.left > 0 for n in nodes), any(n.right > 0 for n in nodes)),
        largest=largest,
        radius=widest,
        ring=ring if any(node.ring for node in nodes) else "",
        loads=any(one.loading is not None for one in lines),
        shade=shade,
    )
    legend, below = map_legend(meaning, high + 8, _WIDTH)
    return Picture(
        name,
        _told(nodes, lines, unit, halves, ring),
        _WIDTH,
        high + 8 + below,
        joined(
            _lines(lines, places),
            *(_node(*one) for one in zip(nodes, places, radii, strict=True)),
            _names(nodes, places, radii, lines),
            legend,
        ),
        caption,
    )


def _scales(nodes: Sequence[MapNode]) -> tuple[_Line, _Line, float]:
    """From places of nodes to those on the picture, alike in both directions; and its height."""
    xs, ys = [node.x for node in nodes] or [0.0], [node.y for node in nodes] or [0.0]
    wide, tall = max(xs) - min(xs), max(ys) - min(ys)
    times = min((_WIDTH - 2 * _EDGE) / (wide or 1e-9), _TALLEST / (tall or 1e-9))
    if not wide and not tall:
        times = 1.0
    high = max(times * tall, 40.0) + 2 * _EDGE
    across = _Line(_WIDTH / 2 - times * (min(xs) + wide / 2), times)
    return across, _Line(high / 2 + times * (min(ys) + tall / 2), -times), high


@dataclass(frozen=True, repr=False)
class _Line:
    """start + times value."""

    start: float
    times: float

    def __call__(self, value: float) -> float:
        return round(self.start + self.times * value, 1)


def _radius(value: float, largest: float, widest: float) -> float:
    """Areas in proportion to values."""
    return widest * math.sqrt(max(value, 0.0) / largest) if largest > 0 else 0.0


def _lines(lines: Sequence[MapLine], places: Sequence[tuple[float, float]]) -> Svg:
    """The lines, from the least loaded to the most; many of them as one path for each shade."""
    shades: list[list[MapLine]] = [[] for _ in range(LOADS)]
    for one in lines:
        loading = one.loading if one.loading is not None and math.isfinite(one.loading) else 0.0
        shades[max(0, min(int(loading * LOADS), LOADS - 1))].append(one)
    return joined(
        *(
            group(
                *_paths(some, places, separate=len(lines) <= _SEPARATE),
                stroke=colour(f"load{k}"),
                stroke_width=1.6 + 1.1 * k,
                fill="none",
                stroke_linecap="round",
            )
            for k, some in enumerate(shades)
            if some
        )
    )


def _paths(
    lines: Sequence[MapLine], places: Sequence[tuple[float, float]], *, separate: bool
) -> list[Svg]:
    steps = [path("M", *places[one.source], "L", *places[one.target]) for one in lines]
    if not separate:
        return [element("path", d="".join(steps))]
    return [
        element("path", *((title(one.text),) if one.text else ()), d=step)
        for one, step in zip(lines, steps, strict=True)
    ]


def _node(node: MapNode, place: tuple[float, float], radius: float) -> Svg:
    """Two half discs or one whole, on a dot of the ground; a ring around them."""
    (x, y), parts = place, list[Svg]()
    if node.ring:
        parts.append(
            element("circle", cx=x, cy=y, r=max(radius, 4.0) + 4, fill=colour("ground"),
                    stroke=colour("released"), stroke_width=3)
        )  # fmt: skip
    if node.shade is not None:
        ink = f"seq{max(0, min(int(node.shade * _SHADES), _SHADES - 1))}"
        parts.append(
            element("circle", cx=x, cy=y, r=max(radius, 3.5), fill=colour(ink),
                    stroke=colour("ink"))
        )  # fmt: skip
    else:
        largest = max(node.left, node.right)
        if not largest > 0:
            parts.append(element("circle", cx=x, cy=y, r=3, fill=colour("muted")))
        for value, ink, sweep in ((node.left, "demand", 0), (node.right, "supply", 1)):
            if value > 0:
                r = max(radius * math.sqrt(value / largest), 2.5)
                parts.append(element("path", d=half(x, y, r, sweep), fill=colour(ink)))
    return group(*((title(node.text),) if node.text else ()), *parts)


def _names(
    nodes: Sequence[MapNode], places: Sequence[tuple[float, float]], radii: Sequence[float],
    lines: Sequence[MapLine],
) -> Svg:  # fmt: skip
    """Names of the nodes, where there are not too many, and what is written beside any."""
    few = len(nodes) <= _WRITTEN
    wanted = [
        Label(f"{node.name}: {node.written}" if node.written else node.name, x, y,
              max(r, 4.0) + (6.0 if node.ring else 1.0))
        for node, (x, y), r in zip(nodes, places, radii, strict=True)
        if few or node.written
    ]  # fmt: skip
    discs = [(x, y, max(r, 3.0)) for (x, y), r in zip(places, radii, strict=True)]
    ends = [(places[one.source], places[one.target]) for one in lines]
    halo = {"stroke": colour("ground"), "stroke_width": 3, "paint_order": "stroke"}
    return group(
        *(label(text, x, y, anchor) for text, x, y, anchor in placed(wanted, discs, ends, _WIDTH)),
        stroke_linejoin="round",
        font_size=11,
        **halo,
    )


def _told(
    nodes: Sequence[MapNode], lines: Sequence[MapLine], unit: str, halves: tuple[str, str],
    ring: str,
) -> str:  # fmt: skip
    """The map in words."""
    behind = f" {unit}" if unit else ""
    parts = [f"A network of {len(nodes)} nodes and {len(lines)} lines"]
    for what, values in zip(
        halves, ([n.left for n in nodes], [n.right for n in nodes]), strict=True
    ):
        if any(value > 0 for value in values) and what:
            parts.append(f"{what} {sum(values):.4g}{behind} in all")
    rings = [f"{n.name} {n.written}".strip() for n in nodes if n.ring]
    if rings:
        more = f" and {len(rings) - 8} more" if len(rings) > 8 else ""
        parts.append(f"{ring} at {', '.join(rings[:8])}{more}")
    loads = [one.loading for one in lines if one.loading is not None]
    if loads:
        parts.append(f"the most loaded line is at {100 * max(loads):.0f}% of its limit")
    return "; ".join(parts) + "."
