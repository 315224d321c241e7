"""Several pictures as one, each below the one before, with its own title."""

from __future__ import annotations

from collections.abc import Sequence

from privopt.show.pictures.picture import Picture
from privopt.show.pictures.svg import Svg, clipped, group, joined, label

__all__ = ["stacked"]

_TITLE = 26.0  # room above each


def stacked(pictures: Sequence[Picture], name: str, caption: str = "") -> Picture:
    """The pictures below each other."""
    parts: list[Svg] = []
    top = 0.0
    for one in pictures:
        parts += [
            label(clipped(one.title, one.width - 20, 13), 10, top + 18, "start", font_weight=600),
            group(one.inside, transform=f"translate(0 {top + _TITLE:g})"),
        ]
        top += _TITLE + one.height
    told = " ".join(f"{one.title}: {one.description}" for one in pictures)
    width = max((one.width for one in pictures), default=0.0)
    return Picture(name, told, width, top, joined(*parts), caption)
