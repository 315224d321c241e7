"""Lines, bars and bands of a chart; bars are filled, hollow or hatched.

Hatching is drawn as lines, not as an SVG pattern: a pattern has an id, and the ids of several
pictures on one page would collide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from privopt.show.pictures.svg import Svg, element, group, number, path, title
from privopt.show.pictures.theme import colour

__all__ = ["Fill", "band", "bar", "line", "whisker"]

Fill = Literal["full", "hollow", "hatched"]
_STEP = 6.0  # between two lines of hatching
_FAINT = 0.16  # how opaque a band is


def line(
    points: Sequence[tuple[float, float]],
    ink: str = "accent",
    width: float = 2.0,
    dash: str | None = None,
    text: str = "",
) -> Svg:
    """A line through places; nothing where there are none."""
    if not points:
        return Svg("")
    return element(
        "polyline",
        *_hover(text),
        points=_places(points),
        fill="none",
        stroke=colour(ink),
        stroke_width=width,
        stroke_dasharray=dash,
        stroke_linejoin="round",
    )


def band(points: Sequence[tuple[float, float]], ink: str = "accent", text: str = "") -> Svg:
    """A faint area with these corners; nothing where there are fewer than three."""
    if len(points) < 3:
        return Svg("")
    return element(
        "polygon", *_hover(text), points=_places(points), fill=colour(ink), fill_opacity=_FAINT
    )


def bar(
    x: float, y: float, width: float, height: float, ink: str = "accent", text: str = "",
    *, fill: Fill = "full",
) -> Svg:  # fmt: skip
    """A rectangle with its upper left corner at (x, y)."""
    if fill == "full":
        return element(
            "rect", *_hover(text), x=x, y=y, width=width, height=height, fill=colour(ink)
        )
    rim = element(
        "rect", x=x, y=y, width=width, height=height, fill=colour("ground"), stroke=colour(ink),
        stroke_width=1.4,
    )  # fmt: skip
    if fill == "hollow":
        return group(*_hover(text), rim)
    lines = element("path", d=_hatching(x, y, width, height), stroke=colour(ink), fill="none")
    return group(*_hover(text), rim, lines)


def whisker(
    x: float, low: float, high: float, ink: str = "accent", width: float = 2.0, *,
    end: float = 4.0, lying: bool = False,
) -> Svg:  # fmt: skip
    """A line from `low` to `high` at x, with short lines across its ends; `lying`: at height x."""
    if lying:
        steps = path(
            "M", low, x, "H", high, "M", low, x - end, "V", x + end, "M", high, x - end, "V",
            x + end,
        )  # fmt: skip
    else:
        steps = path(
            "M", x, low, "V", high, "M", x - end, low, "H", x + end, "M", x - end, high, "H",
            x + end,
        )  # fmt: skip
    return element("path", d=steps, stroke=colour(ink), stroke_width=width, fill="none")


def _hatching(x: float, y: float, width: float, height: float) -> str:
    """Lines that rise to the right, cut off at the sides of the rectangle."""
    steps: list[str] = []
    offset = _STEP
    while offset < width + height:
        left, right = max(0.0, offset - height), min(width, offset)
        steps.append(path("M", x + left, y + offset - left, "L", x + right, y + offset - right))
        offset += _STEP
    return "".join(steps)


def _places(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in points)


def _hover(text: str) -> tuple[Svg, ...]:
    return (title(text),) if text else ()
