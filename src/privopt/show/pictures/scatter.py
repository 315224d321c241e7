"""Points by two quantities, each with a name; joined by a line where they are in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privopt.show.pictures.frame import Axis, Canvas, grid
from privopt.show.pictures.marks import mark
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.scale import up_scale
from privopt.show.pictures.shapes import line
from privopt.show.pictures.svg import Svg, joined, label

__all__ = ["ScatterPoint", "scatter"]


@dataclass(frozen=True, repr=False)
class ScatterPoint:
    """A place by two quantities; open where it stands for nothing, `written` where it is named."""

    x: float
    y: float
    text: str
    is_open: bool = False
    written: bool = False


def scatter(
    points: Sequence[ScatterPoint], across: str, up: str, name: str, caption: str = "",
    *, joining: bool = False, ink: str = "analytic",
) -> Picture:  # fmt: skip
    """The points on axes that begin at zero."""
    box = Canvas()
    y_scale = up_scale([one.y for one in points], *box.y)
    box = box.beside(Axis(y_scale, up))
    x_scale = up_scale([one.x for one in points], *box.x)
    places = [(x_scale.at(one.x), y_scale.at(one.y)) for one in points]
    marks: list[Svg] = []
    for one, (x, y) in zip(points, places, strict=True):
        said = f"{across} {one.x:.4g}, {up} {one.y:.4g}: {one.text}"
        marks.append(mark("dot", x, y, 5, ink, said, is_open=one.is_open))
        if one.written:
            anchor = "end" if x > box.width - 90 else "start" if x < box.left + 40 else "middle"
            marks.append(label(one.text, x, y - 10, anchor))
    told = "; ".join(f"{one.text}: {one.x:.4g}, {one.y:.4g}" for one in points[:6])
    return Picture(
        name,
        f"{up} against {across}, {len(points)} points: {told}.",
        box.width,
        box.height,
        joined(
            grid(box, Axis(x_scale, across), Axis(y_scale, up)),
            line(places, ink) if joining else Svg(""),
            *marks,
        ),
        caption,
    )
