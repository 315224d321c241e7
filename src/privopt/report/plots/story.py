"""Pictures of the demo: the same values published in three ways, the map, and why it is private."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privopt.networks.placing import layout
from privopt.show.pictures.frame import Axis, Canvas, grid
from privopt.show.pictures.legend import legend
from privopt.show.pictures.map import MapLine, MapNode, network_map
from privopt.show.pictures.marks import mark
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.scale import Scale
from privopt.show.pictures.shapes import band, line
from privopt.show.pictures.svg import Svg, group, joined, label, title

if TYPE_CHECKING:
    from privopt.experiments.story import Story

__all__ = ["UNIT", "dispatch_map", "indistinguishable", "three_ways"]

UNIT = "p.u."  # 100 MW, as PGLib has it
_SIGNS = {
    "noise outside": ("op", "cross"),
    "noise inside": ("analytic", "diamond"),
    "measured": ("measured", "dot"),
}
_ROW = 25.0
_SMALL = 5e-4  # a value below it is written as zero


def three_ways(told: Story) -> Picture:
    """One row for each published supply: the answer, and one release of each way."""
    count = len(told.names)
    box = Canvas(460, 90 + _ROW * count, 50, 14, 36, 48)
    values = np.concatenate([way.values for way in told.ways])
    low, high = told.limits
    room = 0.06 * (high - low)
    across = Scale(min(low, values.min()) - room, max(high, values.max()) + room, *box.x)
    floor, top = box.y
    beyond = [(across.start, across.at(low)), (across.at(high), across.end)]
    parts = [
        *(band([(a, top), (b, top), (b, floor), (a, floor)], "bad") for a, b in beyond),
        grid(box, Axis(across, f"supply, {UNIT}"), Axis(Scale(0, 1, *box.y), ticks=())),
    ]
    for k, name in enumerate(told.names):
        parts.append(_row(told, k, name, across, top + _ROW * (k + 0.5) + 3))
    kinds = [("answer (private)", "ink", "bar")]
    kinds += [(name, ink, shape) for name, (ink, shape) in _SIGNS.items()]
    parts.append(_legend(kinds))
    off = ", ".join(f"{way.name} {way.distance:.2g} {UNIT}" for way in told.ways)
    return Picture(
        "The same supplies, published in three ways",
        f"{count} supplies. Typical distance of a release from the answer: {off}.",
        box.width,
        box.height,
        joined(*parts),
    )


def _row(told: Story, k: int, name: str, across: Scale, y: float) -> Svg:
    """A supply: the answer as a bar across, the releases as signs."""
    answer = float(told.answer[k])
    said = [f"answer {answer:.3f}"]
    signs: list[Svg] = []
    for way in told.ways:
        ink, shape = _SIGNS[way.name]
        value = float(way.values[k])
        said.append(f"{way.name} {value:.3f}")
        signs.append(mark(shape, across.at(value), y, 4.2, ink))
    x = across.at(answer)
    return group(
        title(f"{name}: {', '.join(said)} {UNIT}"),
        label(name, 44, y + 4, "end"),
        line([(across.start, y), (across.end, y)], "grid", 1),
        line([(x, y - 9), (x, y + 9)], "ink", 3),
        *signs,
        class_="supply",
    )


def _legend(kinds: list[tuple[str, str, str]]) -> Svg:
    (first, ink, _), *others = kinds
    bar = line([(12, 3), (12, 17)], ink, 3)
    return group(bar, label(first, 20, 14, "start"), legend(others, 4, 136), class_="legend")


def dispatch_map(told: Story) -> Picture:
    """The network with the curator's dispatch behind the published supplies."""
    grid_, n = told.drawn.grid, len(told.drawn.grid.number)
    program = told.drawn.program
    place = layout(n, grid_.source, grid_.target)
    z = told.decision.complete(program.d).z
    demand = np.asarray(program.d[:n])
    flow = np.abs(grid_.beta * np.asarray(grid_.incidence @ z[n : 2 * n]))
    released = dict(zip(told.drawn.released, told.measured.values, strict=True))
    names = [str(number) for number in grid_.number.tolist()]
    nodes = [
        MapNode(
            float(place[i, 0]),
            float(place[i, 1]),
            names[i],
            left=float(demand[i]),
            right=max(float(z[i]), 0.0),
            ring=i in released,
            written=_short(float(released[i])) if i in released else "",
            text=f"node {names[i]}: demand {demand[i]:.3g} {UNIT}, supply {z[i]:.3g} {UNIT}"
            + ("; its supply is published" if i in released else ""),
        )
        for i in range(n)
    ]
    lines = [
        MapLine(
            int(a), int(b), float(load), f"line {names[a]} to {names[b]}: {load:.0%} of its limit"
        )
        for a, b, load in zip(grid_.source, grid_.target, flow / grid_.rate, strict=True)
    ]
    return network_map(
        nodes, lines, f"The network {told.drawn.name}", unit=UNIT, ring="supply is published"
    )


def _short(value: float) -> str:
    return "0" if abs(value) < _SMALL else f"{value:.2f}"


def indistinguishable(told: Story, epsilon: float, alpha: float) -> Picture:
    """How likely each published total is, for the true demands and with one demand alpha higher.

    Laplace noise of scale alpha / epsilon: the two densities differ by e^epsilon at most.
    """
    box = Canvas(460, 270, 16, 14, 34, 48)
    scale, seen = alpha / epsilon, float(told.measurement.values[0])
    centres = (told.total, told.total + alpha)
    reach = max(6 * scale, 1.15 * abs(seen - told.total))
    across = Scale(told.total - reach, told.total + alpha + reach, *box.x)
    up = Scale(0.0, 1.15, *box.y)
    xs = np.union1d(np.linspace(across.low, across.high, 121), centres)
    parts = [grid(box, Axis(across, f"published total demand, {UNIT}"), Axis(up, ticks=()))]
    for centre, ink in zip(centres, ("analytic", "sampled"), strict=True):
        curve = [
            (across.at(float(x)), up.at(math.exp(-abs(float(x) - centre) / scale))) for x in xs
        ]
        closed = [(curve[0][0], up.at(0)), *curve, (curve[-1][0], up.at(0))]
        parts += [band(closed, ink), line(curve, ink, 2)]
    at = across.at(seen)
    parts += [
        line([(at, box.y[0]), (at, box.y[1] + 12)], "measured", 2.4, "5 4"),
        label(f"published: {seen:.3f}", at, box.y[1] + 6, fill="var(--measured)", font_weight=650),
        legend(
            [
                ("these demands", "analytic", "square"),
                (f"one demand {alpha:g} {UNIT} higher", "sampled", "square"),
            ],
            2,
        ),
    ]
    return Picture(
        "What the published number gives away",
        f"Two curves, {alpha:g} apart, that differ by a factor of at most {math.exp(epsilon):.2g} "
        "everywhere.",
        box.width,
        box.height,
        joined(*parts),
    )
