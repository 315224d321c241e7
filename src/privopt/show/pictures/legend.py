"""What the colours of a chart mean: signs and words in a line, above it."""

from __future__ import annotations

from collections.abc import Sequence

from privopt.show.pictures.marks import mark
from privopt.show.pictures.shapes import line
from privopt.show.pictures.svg import Svg, group, joined, label, text_width

__all__ = ["legend"]


def legend(items: Sequence[tuple[str, str, str]], top: float, left: float = 10.0) -> Svg:
    """Names with their colours and shapes, from the left; the shape "dash" is a dashed line."""
    parts: list[Svg] = []
    for name, ink, shape in items:
        y = top + 6
        if shape == "dash":
            sign, wide = line([(left - 4, y), (left + 18, y)], ink, 2, "6 5"), 24
        else:
            sign, wide = mark(shape, left, y, ink=ink), 10
        parts.append(group(sign, label(name, left + wide, top + 10, "start")))
        left += wide + 20 + text_width(name, 12)
    return joined(*parts)
