"""A curve through points, with crosses where there is no value and levels to compare it with."""

from __future__ import annotations

from collections.abc import Sequence

from privopt.show.pictures.frame import Axis, Canvas, grid, level_line
from privopt.show.pictures.marks import mark
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.scale import Scale, across_scale, tick_text, up_scale
from privopt.show.pictures.shapes import line
from privopt.show.pictures.svg import group, joined, label, title
from privopt.show.pictures.theme import colour
from privopt.show.view import Table

__all__ = ["curve"]

_DASHES = ("6 5", "2 4", "9 3 2 3")
_ABOVE, _BELOW, _LINE = 5.0, 13.0, 13.0  # of a name to its line, and to the next name


def curve(
    values: Sequence[tuple[float, float | None]],
    over: str,
    of: str,
    levels: Sequence[tuple[str, float | None]] = (),
    *,
    name: str,
    caption: str = "",
    ink: str = "analytic",
    table: Table | None = None,
    counts: bool = False,
) -> Picture:
    """The curve through pairs of a value of `over` and one of `of`; None: there is none.

    Parameters
    ----------
    levels
        Names and values of what it is compared with, at most three, as lines across: dashed, then
        dotted. None: there is none.
    counts
        Whether `over` counts something: its ticks are whole numbers.
    """
    known = [(x, y) for x, y in values if y is not None]
    marked = zip(levels, _DASHES, strict=False)
    beside = [(text, y, dash) for (text, y), dash in marked if y is not None]
    box = Canvas()
    up = up_scale([y for _, y, *_ in (*known, *beside)], *box.y)
    box = box.beside(Axis(up, of))
    across = across_scale([x for x, _ in values], *box.x)
    points = [(across.at(x), up.at(y), f"{over} {x:.4g}: {of} {y:.4g}") for x, y in known]
    floor = up.at(0.0)
    crosses = [
        mark("cross", across.at(x), floor, 5, "bad", f"{over} {x:.4g}: none")
        for x, y in values
        if y is None
    ]
    best = min(known, key=lambda pair: pair[1], default=None)
    told = f"{of} over {over}, {len(known)} points"
    if best is not None:
        told += f"; the least is {best[1]:.4g} at {over} {best[0]:.4g}"
    for text, y, _ in beside:
        told += f"; {text}: {y:.4g}"
    return Picture(
        name,
        f"{told}.",
        box.width,
        box.height,
        joined(
            grid(box, Axis(across, over, _whole(across) if counts else None), Axis(up, of)),
            *(
                level_line(box, up.at(y), ink, dash, title(f"{text}: {of} {y:.4g}"))
                for text, y, dash in beside
            ),
            group(
                *(
                    label(text, box.x[1] - 4, place, "end")
                    for (text, *_), place in zip(
                        beside, _label_places([up.at(y) for _, y, _ in beside]), strict=True
                    )
                ),
                fill=colour("muted"),
                font_size=11,
            ),
            line([(x, y) for x, y, _ in points], ink),
            *(mark("dot", x, y, ink=ink, text=text) for x, y, text in points),
            *crosses,
        ),
        caption,
        table,
    )


def _whole(across: Scale) -> list[tuple[float, str]]:
    return [(tick, tick_text(tick)) for tick in across.ticks() if tick == round(tick)]


def _label_places(levels: Sequence[float]) -> list[float]:
    """Where the names of levels stand: above the line; below it where another one is there."""
    places = [0.0] * len(levels)
    taken = float("-inf")
    for k in sorted(range(len(levels)), key=lambda k: levels[k]):  # from top to bottom
        above, below = levels[k] - _ABOVE, levels[k] + _BELOW
        places[k] = above if above - taken >= _LINE else max(below, taken + _LINE)
        taken = places[k]
    return places
