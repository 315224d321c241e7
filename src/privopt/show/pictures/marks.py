"""Signs of a chart, by shape, filled or open: dots, squares and other polygons, stars, crosses."""

from __future__ import annotations

import math

from privopt.show.pictures.svg import Svg, element, path, title
from privopt.show.pictures.theme import colour

__all__ = ["SHAPES", "mark"]


def _polygon(*radii: float, turn: float = 0.0) -> tuple[tuple[float, float], ...]:
    """Corners at these radii, evenly around, the first one above."""
    angles = [2 * math.pi * (k + turn) / len(radii) for k in range(len(radii))]
    pairs = zip(angles, radii, strict=True)
    return tuple((radius * math.sin(angle), -radius * math.cos(angle)) for angle, radius in pairs)


_CORNERS = {
    "square": _polygon(*[1.25] * 4, turn=0.5),
    "diamond": _polygon(*[1.3] * 4),
    "triangle": _polygon(*[1.35] * 3),
    "pentagon": _polygon(*[1.2] * 5),
    "hexagon": _polygon(*[1.2] * 6),
    "star": _polygon(*[1.5, 0.65] * 5),
}
SHAPES = ("dot", *_CORNERS, "cross")


def mark(
    shape: str, x: float, y: float, size: float = 4.5, ink: str = "accent", text: str = "",
    *, is_open: bool = False,
) -> Svg:  # fmt: skip
    """A sign at a place; `text` is shown on hover."""
    inside = (title(text),) if text else ()
    paint = {"fill": colour(ink)}
    if is_open or shape == "cross":
        paint = {"fill": "none", "stroke": colour(ink), "stroke_width": 2.2}
        if shape != "cross":
            paint["fill"] = colour("ground")
    if shape == "dot":
        return element("circle", *inside, cx=x, cy=y, r=size, **paint)
    if shape == "cross":
        s = size
        steps = path("M", x - s, y - s, "L", x + s, y + s, "M", x + s, y - s, "L", x - s, y + s)
        return element("path", *inside, d=steps, **paint)
    corners = [(x + size * dx, y + size * dy) for dx, dy in _CORNERS[shape]]
    steps = "M" + "L".join(path(*corner) for corner in corners) + "Z"
    return element("path", *inside, d=steps, **paint)
