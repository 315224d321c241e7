"""The ground of a chart: a grid, ticks with their texts, and the titles of both axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from privopt.show.pictures.scale import Scale, tick_text
from privopt.show.pictures.svg import Svg, element, group, joined, label, path, text_width
from privopt.show.pictures.theme import colour

__all__ = ["Axis", "Canvas", "grid", "level_line"]

_TEXT = 12.0  # the size of texts
_TITLE, _TICK, _GAP = 14.0, 7.0, 4.0  # of the title to the side, a text to its tick, and between


@dataclass(frozen=True, repr=False)
class Canvas:
    """How large a chart is, and the room around its ground."""

    width: float = 400.0
    height: float = 270.0
    left: float = 54.0
    right: float = 14.0
    top: float = 14.0
    bottom: float = 48.0

    @property
    def x(self) -> tuple[float, float]:
        """Where the ground starts and ends."""
        return self.left, self.width - self.right

    @property
    def y(self) -> tuple[float, float]:
        """Where the ground starts, at the bottom, and ends."""
        return self.height - self.bottom, self.top

    def beside(self, up: Axis) -> Canvas:
        """The same with room at the left for the texts of an axis, and its title beside them."""
        wide = max((text_width(text, _TEXT) for _, text in up.marked), default=0.0)
        title = _TITLE + _TEXT / 2 + _GAP if up.title else _GAP
        return replace(self, left=max(self.left, math.ceil(title + wide + _TICK)))


@dataclass(frozen=True, repr=False)
class Axis:
    """A scale with its title; ticks where they are given, and round values otherwise."""

    scale: Scale
    title: str = ""
    ticks: Sequence[tuple[float, str]] | None = None

    @property
    def marked(self) -> list[tuple[float, str]]:
        """Places and texts of the ticks."""
        given = self.ticks
        if given is None:
            given = [(tick, tick_text(tick)) for tick in self.scale.ticks()]
        return [(self.scale.at(value), text) for value, text in given]


def grid(box: Canvas, across: Axis, up: Axis) -> Svg:
    """Lines at the ticks, their texts, and the titles of the axes."""
    (left, right), (bottom, top) = box.x, box.y
    lines = [
        *(path("M", x, top, "V", bottom) for x, _ in across.marked),
        *(path("M", left, y, "H", right) for y, _ in up.marked),
    ]
    texts = [
        *(label(text, _within(box, x, text), bottom + 17) for x, text in across.marked),
        *(label(text, left - _TICK, y + 4, "end") for y, text in up.marked),
    ]
    middle = (top + bottom) / 2
    if across.title:
        texts.append(label(across.title, (left + right) / 2, box.height - 7))
    if up.title:
        turned = f"rotate(-90 {_TITLE:g} {middle:g})"
        texts.append(label(up.title, _TITLE, middle, transform=turned))
    return joined(
        group(
            element("path", d="".join(lines), fill="none") if lines else "", stroke=colour("grid")
        ),
        group(*texts, fill=colour("muted")),
    )


def _within(box: Canvas, x: float, text: str) -> float:
    """Where the middle of a text stands: at x, or as near to it as the picture has room."""
    half = text_width(text, _TEXT) / 2
    return max(half, min(x, box.width - half))


def level_line(box: Canvas, y: float, ink: str, dash: str = "6 5", *inside: Svg) -> Svg:
    """A dashed line across the ground."""
    left, right = box.x
    return element(
        "path",
        *inside,
        d=path("M", left, y, "H", right),
        stroke=colour(ink),
        stroke_width=2,
        stroke_dasharray=dash,
        fill="none",
    )
