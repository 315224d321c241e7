"""Every run as a point: violation or loss, by algorithm, with mean, quartiles and printed mean."""

from __future__ import annotations

import statistics
from typing import Literal

from privopt.report.compare import Line
from privopt.report.folder import ResultTable
from privopt.report.methods import method
from privopt.report.plots.style import GOLDEN, limit_line, percent, root_axis
from privopt.show.pictures.frame import Axis, Canvas, grid
from privopt.show.pictures.marks import mark
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.scale import Scale
from privopt.show.pictures.svg import Svg, element, group, joined, label, number, path, title
from privopt.show.pictures.theme import colour

__all__ = ["distribution"]

Quantity = Literal["violation", "loss"]
_BOX = Canvas(460, 320, 52, 12, 12, 74)


def distribution(table: ResultTable, lines: tuple[Line, ...], case: str, what: Quantity) -> Picture:
    """One case. The points are spread sideways by a fixed rule, only to be seen.

    All points of a method are one path with round ends, which takes a few bytes for each.
    """
    found: list[tuple[str, list[float], float | None]] = []
    for line in (one for one in lines if one.row.case == case):
        name, printed = line.row.algorithm, getattr(line, what).printed
        runs = [run for run in table.runs if (run.case, run.algorithm) == (case, name)]
        values = [value for run in runs if (value := getattr(run, what)) is not None]
        if values:
            found.append((name, values, printed.mean if printed else None))
    eta = table.eta if what == "violation" else None
    top = max([value for _, values, _ in found for value in values] + [1.0, eta or 0.0])
    box = _BOX
    across = Scale(-0.6, max(len(found), 1) - 0.4, *box.x)
    up = root_axis(f"{what}, %", top, box, eta)
    parts = [grid(box, Axis(across, ticks=()), up)]
    if eta is not None:
        parts.append(limit_line(box, up.scale.at(eta), f"η = {eta:g} %"))
    for k, (name, values, printed) in enumerate(found):
        parts += [
            _name(name, across.at(k), box.y[0]),
            _points(name, k, values, across, up.scale),
            _quartiles(name, across.at(k), values, up.scale),
        ]
        if printed is not None:
            parts.append(_printed(name, across.at(k + 0.4), up.scale.at(printed), printed))
    told = [f"{name} mean {percent(statistics.fmean(values))}" for name, values, _ in found]
    title = f"{what.capitalize()} of each run on {case}"
    return Picture(title, f"{'; '.join(told)}.", box.width, box.height, joined(*parts))


def _name(name: str, x: float, floor: float) -> Svg:
    turned = f"rotate(-30 {number(x)} {number(floor + 14)})"
    return label(
        name, x, floor + 14, "end", transform=turned, fill=colour("muted"), class_="method"
    )


def _points(name: str, at: int, values: list[float], across: Scale, up: Scale) -> Svg:
    places = [
        (across.at(at + 0.5 * ((k * GOLDEN) % 1 - 0.5)), up.at(value))
        for k, value in enumerate(values)
    ]
    return element(
        "path",
        d="".join(path("M", x, y, "h0") for x, y in places),
        stroke=colour(method(name).colour),
        stroke_width=5,
        stroke_linecap="round",
        stroke_opacity=0.4,
        fill="none",
        class_="runs",
    )


def _quartiles(name: str, x: float, values: list[float], up: Scale) -> Svg:
    """A bar from the lower to the upper quartile, with a ring at the mean."""
    mean = statistics.fmean(values)
    low, middle, high = (
        statistics.quantiles(values, method="inclusive") if values[1:] else values * 3
    )
    text = (
        f"{name}, {len(values)} runs: mean {percent(mean)}, median {percent(middle)}, quartiles "
        f"{percent(low)} to {percent(high)}"
    )
    steps = path("M", x, up.at(low), "V", up.at(high))
    bar = element("path", d=steps, stroke=colour("ink"), stroke_width=2)
    ring = mark("dot", x, up.at(mean), 4.5, "ink", is_open=True)
    return group(title(text), bar, ring, class_="quartiles")


def _printed(name: str, x: float, y: float, mean: float) -> Svg:
    """An arrow beside the points: the mean the paper prints."""
    steps = path("M", x - 5, y, "l", 9, -5, "v", 10, "Z")
    text = title(f"{name}: printed mean {percent(mean)}")
    return element("path", text, d=steps, fill=colour("printed"), class_="printed")
