"""What the pictures of experiments share: signs of methods, percentages, and the cube-root axis.

Violations run from 0 to 100 percent, with the requirement at a few and many methods below one. A
cube-root axis shows all of it, zero included, which a log axis cannot.
"""

from __future__ import annotations

from privopt.report.methods import Method
from privopt.show.pictures.frame import Axis, Canvas, level_line
from privopt.show.pictures.marks import mark
from privopt.show.pictures.scale import Scale
from privopt.show.pictures.svg import Svg, joined, label, title
from privopt.show.pictures.theme import colour

__all__ = ["GOLDEN", "limit_line", "percent", "root_axis", "sign"]

GOLDEN = 0.6180339887  # multiples of it, without their whole part, lie evenly in [0, 1]
_TICKS = (0.0, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 1000.0)
_SPARSE = (0.0, 0.1, 1.0, 5.0, 20.0, 50.0, 100.0)
_BELOW, _ABOVE = -(0.04**3), 1.06**3  # of the largest value: where the axis begins and ends


def sign(how: Method, x: float, y: float, size: float = 5.0, text: str = "") -> Svg:
    """The sign of a method at a place; `text` is shown on hover."""
    shape, _, is_open = how.symbol.partition("-")
    return mark(shape, x, y, size, how.colour, text, is_open=bool(is_open))


def root_axis(
    title: str, top: float, box: Canvas, without: float | None = None, *, sparse: bool = False
) -> Axis:
    """An upward cube-root axis from zero to `top` percent.

    There is no tick at `without`, where a line of its own is drawn.
    """
    scale = Scale(_BELOW * top, _ABOVE * top, *box.y, "root")
    ticks = [t for t in (_SPARSE if sparse else _TICKS) if t <= top * 1.05 and t != without]
    return Axis(scale, title, [(tick, f"{tick:g}") for tick in ticks])


def limit_line(box: Canvas, y: float, text: str, *, below: bool = False) -> Svg:
    """A dashed line across the ground, with its words at the right."""
    right = box.x[1]
    words = label(text, right, y + (14 if below else -5), "end", fill=colour("limit"), font_size=11)
    return joined(level_line(box, y, "limit", "5 4", title(text)), words)


def percent(value: float | None) -> str:
    """A percentage to two decimals."""
    return "none" if value is None else f"{value:.2f} %"
