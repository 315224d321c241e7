"""Bars from zero, one row for each name, with the value written behind each."""

from __future__ import annotations

from collections.abc import Sequence

from privopt.show.pictures.frame import Axis, Canvas, grid
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.scale import Scale, near_scale
from privopt.show.pictures.shapes import bar
from privopt.show.pictures.svg import clipped, group, joined, label, text_width, title
from privopt.show.pictures.theme import colour

__all__ = ["bars"]

_MOST = 40  # bars that are drawn


def bars(
    names: Sequence[str],
    values: Sequence[float],
    name: str,
    caption: str,
    axis: str,
    texts: Sequence[str] = (),
) -> Picture:
    """Lying bars; `texts` say the values, where they are not said in four digits.

    Of very many the first are drawn, and the caption says so.
    """
    count = min(len(names), _MOST)
    said = list(texts) or [f"{value:.4g}" for value in values]
    room = 14 + min(120.0, max((text_width(one, 12) for one in names[:count]), default=0.0))
    behind = 16 + max((text_width(one, 12) for one in said[:count]), default=0.0)
    box = Canvas(400, 56 + 28.0 * count, room, behind, 8, 48)
    across = near_scale([0.0, *values[:count]], *box.x)
    zero = across.at(0.0)
    rows = [
        group(
            title(f"{names[i]}: {said[i]}"),
            label(clipped(names[i], room - 8, 12), room - 8, 8 + 28 * i + 18, "end"),
            bar(min(zero, at), 8 + 28 * i + 5, abs(at - zero), 18, "analytic"),
            label(said[i], max(zero, at) + 6, 8 + 28 * i + 18, "start", fill=colour("muted")),
        )
        for i in range(count)
        for at in [across.at(values[i])]
    ]
    told = "; ".join(f"{names[i]}: {said[i]}" for i in range(min(count, 5)))
    more = f" The first {count} of {len(names)}." if count < len(names) else ""
    ground = grid(box, Axis(across, axis), Axis(Scale(0, 1, *box.y), ticks=()))
    return Picture(name, f"{axis}: {told}.", box.width, box.height, joined(ground, *rows),
                   f"{caption}{more}".strip())  # fmt: skip
