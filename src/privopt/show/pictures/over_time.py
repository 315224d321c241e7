"""A picture over time: a line for each thing that has a value in several periods, with its range.

Names say when: `p[3]@07` is the value of `p[3]` in period `07`. More than six things stand in
several panels: lines of one colour each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privopt.arrays import Vector
from privopt.show.pictures.frame import Axis, Canvas, grid
from privopt.show.pictures.legend import legend
from privopt.show.pictures.marks import mark
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.scale import Scale, near_scale
from privopt.show.pictures.shapes import band, line
from privopt.show.pictures.svg import Svg, joined

__all__ = ["Course", "lines_of", "over_time"]

_INKS = ("analytic", "sampled", "box", "measured", "bad", "muted")
_TICKS = 8  # periods that are written


@dataclass(frozen=True, eq=False, repr=False)
class Course:
    """One thing over time: values, and the ends of a range around each; NaN where it has none."""

    name: str
    values: Vector
    low: Vector
    high: Vector


def lines_of(
    names: Sequence[str], values: Vector, low: Vector, high: Vector, periods: Sequence[str]
) -> list[Course] | None:
    """The lines of named values; None where a name is of no period."""
    place = {label: k for k, label in enumerate(periods)}
    found: dict[str, tuple[Vector, Vector, Vector]] = {}
    for name, *numbers in zip(names, values, low, high, strict=True):
        stem, _, label = name.rpartition("@")
        if not stem or label not in place:
            return None
        none = (np.full(len(periods), np.nan) for _ in range(3))
        rows = found.setdefault(stem, (next(none), next(none), next(none)))
        for row, number in zip(rows, numbers, strict=True):
            row[place[label]] = number
    return [Course(name, *rows) for name, rows in found.items()]


def over_time(
    lines: Sequence[Course], periods: Sequence[str], name: str, caption: str, axis: str
) -> Picture:
    """Lines over the periods, each in a band between the ends of its range."""
    parts: list[Svg] = []
    top = 8.0
    for first in range(0, len(lines), len(_INKS)):
        some = lines[first : first + len(_INKS)]
        inks = dict(zip([one.name for one in some], _INKS, strict=False))
        for row in range(0, len(some), 3):
            few = list(inks.items())[row : row + 3]
            parts.append(legend([(name, ink, "dot") for name, ink in few], top))
            top += 18
        box = Canvas(400, top + 254, top=top + 6)
        ends = np.concatenate([[*one.values, *one.low, *one.high] for one in some])
        up = near_scale(ends[np.isfinite(ends)].tolist() or [0.0], *box.y)
        box = box.beside(Axis(up, axis))
        across = Scale(-0.5, len(periods) - 0.5, *box.x)
        step = -(-len(periods) // _TICKS)
        ticks = [(float(t), str(periods[t])) for t in range(0, len(periods), step)]
        parts.append(grid(box, Axis(across, "period", ticks), Axis(up, axis)))
        parts += [_band(one, across, up, inks[one.name]) for one in some]
        parts += [_line(one, across, up, inks[one.name], periods) for one in some]
        top = box.height + 8
    told = f"{axis} of {', '.join(one.name for one in lines[:6])} over {len(periods)} periods"
    more = f", and of {len(lines) - 6} more" if len(lines) > 6 else ""
    return Picture(name, f"{told}{more}.", 400, top, joined(*parts), caption)


def _band(one: Course, across: Scale, up: Scale, ink: str) -> Svg:
    there = np.flatnonzero(np.isfinite(one.low) & np.isfinite(one.high))
    above = [(across.at(float(t)), up.at(float(one.high[t]))) for t in there]
    below = [(across.at(float(t)), up.at(float(one.low[t]))) for t in there[::-1]]
    return band([*above, *below], ink)


def _line(one: Course, across: Scale, up: Scale, ink: str, periods: Sequence[str]) -> Svg:
    """Dots at the values, joined where no period between them is without one."""
    pieces: list[list[tuple[float, float]]] = [[]]
    dots: list[Svg] = []
    for t, value in enumerate(one.values.tolist()):
        if not np.isfinite(value):
            pieces.append([])
            continue
        at = across.at(float(t)), up.at(value)
        pieces[-1].append(at)
        reach = f" ({one.low[t]:.4g} to {one.high[t]:.4g})" if np.isfinite(one.low[t]) else ""
        dots.append(mark("dot", *at, 3.5, ink, f"{one.name} at {periods[t]}: {value:.6g}{reach}"))
    return joined(*(line(piece, ink) for piece in pieces if len(piece) > 1), *dots)
