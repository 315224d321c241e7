"""Values with a range around each, one row for each name: released values and their noise.

Rows of different units stand in panels of their own, each with its own axis. Of very many names the
first are drawn, and the caption says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.arrays import Vector
from privopt.show.pictures.frame import Axis, Canvas, grid
from privopt.show.pictures.legend import legend
from privopt.show.pictures.marks import mark
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.scale import Scale, near_scale
from privopt.show.pictures.shapes import line, whisker
from privopt.show.pictures.svg import Svg, clipped, group, joined, label, text_width, title
from privopt.show.pictures.theme import colour

__all__ = ["GRAIN", "Dots", "intervals"]

_WIDTH = 400.0
_MOST = 120  # names that are drawn
_WRITTEN = 40  # names up to which each is written
_NAME = 110.0  # of the width, at most, for a name
_VISIBLE = 5e-5  # of a value: a range below it is not seen in four digits
GRAIN = 1e-6  # of the largest value beside it: less is the solver's rounding
_LATER = ("sampled", "box", "measured")


@dataclass(frozen=True, eq=False, repr=False)
class Dots:
    """One value for each name, with the ends of a range around it (None: no range).

    `ink` is a colour of the theme; `width` that of the range's line.
    """

    label: str
    values: Vector
    low: Vector | None = None
    high: Vector | None = None
    ink: str = ""
    width: float = 2.0

    def ends(self, row: int) -> tuple[float, float]:
        """The range of a value; the value twice where there is none."""
        if self.low is None or self.high is None:
            return float(self.values[row]), float(self.values[row])
        return float(self.low[row]), float(self.high[row])

    def said(self, row: int, unit: str, grain: float = 0.0) -> str:
        """A value and its range in words; what is smaller than a grain is nothing."""
        value, (low, high) = float(self.values[row]), self.ends(row)
        behind = f" {unit}" if unit else ""
        up, down = high - value, value - low
        value = value if abs(value) > grain else 0.0
        if max(up, down) <= max(_VISIBLE * abs(value), grain):
            return f"{value:.4g}{behind}"
        if abs(up - down) <= 1e-6 * (up + down):
            return f"{value:.4g} ± {up:.2g}{behind}"
        return f"{value:.4g} ({low:.4g} to {high:.4g}){behind}"


def intervals(
    names: Sequence[Any],
    marks: Sequence[Dots],
    name: str,
    caption: str,
    axis: str,
    units: Sequence[str] = (),
) -> Picture:
    """Rows of dots with their ranges, above an axis of values.

    Parameters
    ----------
    names
        Of the rows.
    marks
        What stands in each row, one below the other.
    name, caption
        Title and caption of the picture.
    axis
        What the values are.
    units
        The unit of each row; none where it is not given.
    """
    count = min(len(names), _MOST)
    each = list(units) if len(units) == len(names) else [""] * len(names)
    inks = [one.ink or ("analytic", *_LATER)[k % 4] for k, one in enumerate(marks)]
    grains = _grains(marks, each[:count])
    texts = [marks[0].said(i, "", grains[i]) for i in range(count)] if count <= _WRITTEN else []
    left = 14 + min(_NAME, max((text_width(str(one), 12) for one in names[:count]), default=0))
    right = 14 + max((text_width(text, 12) for text in texts), default=0)
    parts: list[Svg] = []
    top = 8.0
    if len(marks) > 1:
        parts.append(
            legend([(m.label, ink, "dot") for m, ink in zip(marks, inks, strict=True)], top)
        )
        top += 24
    for one in dict.fromkeys(each[:count]):
        rows = [i for i in range(count) if each[i] == one]
        step = _step(count, len(marks))
        bottom = top + 4 + step * len(rows)
        box = Canvas(_WIDTH, bottom + 44, min(left, 150), min(right, 190), top, 44)
        parts += _panel(box, rows, step, [str(one) for one in names], marks, inks,
                        f"{axis}, {one}" if one else axis, texts, one, grains)  # fmt: skip
        top = bottom + 52
    more = f" The first {count} of {len(names)}." if count < len(names) else ""
    return Picture(name, _told(names, marks, each, grains), _WIDTH, top, joined(*parts),
                   f"{caption}{more}".strip())  # fmt: skip


def _panel(
    box: Canvas, rows: list[int], step: float, names: list[str], marks: Sequence[Dots],
    inks: Sequence[str], axis: str, texts: Sequence[str], unit: str, grains: Sequence[float],
) -> Iterator[Svg]:  # fmt: skip
    """The rows of one unit on their axis."""
    ends = [end for one in marks for i in rows for end in (*one.ends(i), float(one.values[i]))]
    across = near_scale([end for end in ends if np.isfinite(end)] or [0.0], *box.x)
    yield grid(box, Axis(across, axis), Axis(Scale(0, 1, *box.y), ticks=()))
    written = -(-len(rows) // _WRITTEN)
    size = 4.5 if step >= 20 else 2.5
    apart = min(15.0, step / len(marks))
    for place, i in enumerate(rows):
        middle = box.top + 4 + step * (place + 0.5)
        drawn = [
            _dot(one, i, across, middle + 0.4 * apart * (2 * k + 1 - len(marks)), ink, size)
            for k, (one, ink) in enumerate(zip(marks, inks, strict=True))
        ]
        words = Svg("")
        if place % written == 0:
            short = clipped(names[i], box.left - 10, 12)
            words = label(short, box.left - 8, middle + 4, "end")
        value = label(texts[i], box.width - 4, middle + 4, "end", fill=colour("muted")) if texts \
            else Svg("")  # fmt: skip
        said = "; ".join(f"{one.label} {one.said(i, unit, grains[i])}" for one in marks)
        yield group(title(f"{names[i]}: {said}"), words, *drawn, value)


def _dot(one: Dots, i: int, across: Scale, y: float, ink: str, size: float) -> Svg:
    """A value and its range, if it is a number."""
    if not np.isfinite(one.values[i]):
        return Svg("")
    low, high = one.ends(i)
    spread = Svg("")
    if np.isfinite(low) and np.isfinite(high) and low < high:
        a, b = across.at(low), across.at(high)
        spread = line([(a, y), (b, y)], ink, one.width)
        if one.width < 4:
            spread = whisker(y, a, b, ink, one.width, lying=True, end=size - 0.5)
    return joined(spread, mark("dot", across.at(float(one.values[i])), y, size, ink))


def _step(count: int, marks: int) -> float:
    """How high a row is: less where there are many."""
    return 14.0 + 12.0 * marks if count <= _WRITTEN else max(6.0, 12.0 * marks * _WRITTEN / count)


def _grains(marks: Sequence[Dots], units: Sequence[str]) -> list[float]:
    """For each row, what is nothing beside the largest value of its unit."""
    largest: dict[str, float] = {}
    for i, unit in enumerate(units):
        found = [abs(float(one.values[i])) for one in marks]
        largest[unit] = max([largest.get(unit, 0.0), *(x for x in found if np.isfinite(x))])
    return [GRAIN * largest[unit] for unit in units]


def _told(
    names: Sequence[Any], marks: Sequence[Dots], units: Sequence[str], grains: Sequence[float]
) -> str:
    """The first values in words."""
    some = [
        f"{name}: {marks[0].said(i, units[i], grains[i])}"
        for i, (name, _) in enumerate(zip(names, grains[:5], strict=False))
    ]
    more = f"; and {len(names) - 5} more" if len(names) > 5 else ""
    return f"{marks[0].label}: {'; '.join(some)}{more}."
