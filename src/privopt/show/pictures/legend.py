"""What the colours of a chart mean: dots and words in a line, above it."""

from __future__ import annotations

from collections.abc import Sequence

from privopt.show.pictures.marks import mark
from privopt.show.pictures.svg import Svg, group, joined, label, text_width

__all__ = ["legend"]


def legend(items: Sequence[tuple[str, str]], top: float, left: float = 10.0) -> Svg:
    """Names with their colours, from the left."""
    parts: list[Svg] = []
    for name, ink in items:
        parts.append(group(mark("dot", left, top + 6, ink=ink), label(name, left + 10, top + 10,
                                                                      "start")))  # fmt: skip
        left += 30 + text_width(name, 12)
    return joined(*parts)
