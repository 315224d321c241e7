"""Every printed mean as one point: how many standard errors the reproduced one lies from it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from privopt.report.compare import LIMIT, Comparison, Line
from privopt.report.methods import method
from privopt.report.plots.style import GOLDEN, percent, sign
from privopt.show.pictures.frame import Axis, Canvas, grid
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.scale import Scale
from privopt.show.pictures.shapes import band
from privopt.show.pictures.svg import Svg, element, group, joined, label, path, title
from privopt.show.pictures.theme import colour

__all__ = ["EDGE", "agreement"]

EDGE = 8.0  # beyond, a point is drawn at the edge as an arrow
_LEVEL = 54.0  # how high a table and quantity stands
_TICKS = ((-6.0, "−6"), (-3.0, "−3"), (0.0, "0"), (3.0, "+3"), (6.0, "+6"))


def agreement(tables: Mapping[str, tuple[Line, ...]]) -> Picture:
    """One level for each table and quantity; the band is what counts as reproduced."""
    levels: list[tuple[str, str, list[tuple[Line, Comparison]]]] = []
    for name, lines in tables.items():
        for what in ("violation", "loss"):
            compared = [(line, getattr(line, what)) for line in lines]
            known = [(line, item) for line, item in compared if item.z is not None]
            if known:
                levels.append((name, what, known))
    box = Canvas(460, 60 + _LEVEL * max(len(levels), 1), 70, 12, 8, 46)
    across = Scale(-EDGE - 0.8, EDGE + 0.8, *box.x)
    (bottom, top), (low, high) = box.y, (across.at(-LIMIT), across.at(LIMIT))
    parts = [
        band([(low, top), (high, top), (high, bottom), (low, bottom)], "good"),
        grid(
            box,
            Axis(across, "standard errors from the printed mean", _TICKS),
            Axis(Scale(0, 1, *box.y), ticks=()),
        ),
    ]
    for k, (name, what, known) in enumerate(levels):
        middle = top + _LEVEL * (k + 0.5)
        parts.append(_names(name, what, middle))
        parts += [
            _point(line, item, across, middle + 0.5 * _LEVEL * ((j * GOLDEN) % 1 - 0.5))
            for j, (line, item) in enumerate(known)
        ]
    items = [item for _, _, known in levels for _, item in known]
    within = sum(item.within for item in items)
    told = f"{within} of {len(items)} printed means lie within {LIMIT:g} standard errors."
    return Picture("Reproduced against printed", told, box.width, box.height, joined(*parts))


def _names(name: str, what: str, y: float) -> Svg:
    return group(
        label(name, 62, y - 3, "end"),
        label(what, 62, y + 12, "end", fill=colour("muted")),
        class_="level",
    )


def _point(line: Line, item: Comparison, across: Scale, y: float) -> Svg:
    z = item.z or 0.0
    how = method(line.row.algorithm)
    means = (item.printed.mean if item.printed else None, item.found.mean if item.found else None)
    size = "∞" if math.isinf(z) else f"{abs(z):.1f}"
    text = (
        f"{line.row.case}, {line.row.algorithm}: printed {percent(means[0])}, reproduced "
        f"{percent(means[1])}, {'−' if z < 0 else '+'}{size} standard errors"
    )
    x = across.at(max(-EDGE, min(EDGE, z)))
    if abs(z) <= EDGE:
        return sign(how, x, y, 4.6, text)
    tip = 7 if z > 0 else -7
    arrow = path("M", x - tip, y - 6, "L", x + tip, y, "L", x - tip, y + 6, "Z")
    return element("path", title(text), d=arrow, fill=colour(how.colour), class_="beyond")
