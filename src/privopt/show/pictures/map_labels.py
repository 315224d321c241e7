"""Where names are written on a map: beside their nodes, where least lies below them.

Each name is tried in eight places around its node. The one is taken that covers the fewest discs,
names and lines; the first of equals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from privopt.show.pictures.svg import text_width

__all__ = ["Label", "placed"]

_HIGH = 11.0
Box = tuple[float, float, float, float]  # left, top, right, bottom
Place = tuple[float, float]


@dataclass(frozen=True, repr=False)
class Label:
    """Words to be written beside a disc."""

    text: str
    x: float
    y: float
    radius: float


def placed(
    labels: Sequence[Label],
    discs: Sequence[tuple[float, float, float]],
    lines: Sequence[tuple[Place, Place]],
    width: float,
) -> Iterator[tuple[str, float, float, str]]:
    """Each text with its place and anchor."""
    taken: list[Box] = []
    for one in labels:
        best = min(_tried(one), key=lambda each: _covered(each[0], one, discs, lines, taken, width))
        taken.append(best[0])
        yield one.text, best[1], best[2], best[3]


def _tried(one: Label) -> Iterator[tuple[Box, float, float, str]]:
    """Boxes around a disc, with the place and the anchor of the text in each."""
    wide = text_width(one.text, _HIGH)
    near = one.radius + 2
    slant = near / math.sqrt(2)
    for dx, dy, anchor in (
        (near, 0.0, "start"), (slant, -slant, "start"), (slant, slant, "start"),
        (-near, 0.0, "end"), (-slant, -slant, "end"), (-slant, slant, "end"),
        (0.0, -near - 5, "middle"), (0.0, near + 5, "middle"),
    ):  # fmt: skip
        x, y = one.x + dx, one.y + dy
        left = {"start": x, "end": x - wide, "middle": x - wide / 2}[anchor]
        box = (left, y - _HIGH / 2, left + wide, y + _HIGH / 2)
        yield box, round(x, 1), round(y + 4, 1), anchor


def _covered(
    box: Box, own: Label, discs: Sequence[tuple[float, float, float]],
    lines: Sequence[tuple[Place, Place]], taken: Sequence[Box], width: float,
) -> float:  # fmt: skip
    """How much lies below a box: names count most, then discs, then lines; outside is worst."""
    left, top, right, bottom = box
    cost = 100.0 * (left < 1) + 100.0 * (right > width - 1)
    cost += 12.0 * sum(left < b[2] and b[0] < right and top < b[3] and b[1] < bottom for b in taken)
    cost += 6.0 * sum(
        left - r < x < right + r and top - r < y < bottom + r
        for x, y, r in discs
        if (x, y) != (own.x, own.y)
    )
    return cost + sum(_crosses(box, *ends) for ends in lines)


def _crosses(box: Box, start: Place, end: Place) -> bool:
    """Whether a line passes through a box (Liang and Barsky's clipping)."""
    left, top, right, bottom = box
    dx, dy = end[0] - start[0], end[1] - start[1]
    low, high = 0.0, 1.0
    for step, room in (
        (-dx, start[0] - left), (dx, right - start[0]), (-dy, start[1] - top),
        (dy, bottom - start[1]),
    ):  # fmt: skip
        if step == 0:
            if room < 0:
                return False
        elif step < 0:
            low = max(low, room / step)
        else:
            high = min(high, room / step)
    return low < high
