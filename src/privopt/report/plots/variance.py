"""Figure 2: expected loss against variance, one line for each spread of the costs, as phi grows."""

from __future__ import annotations

from itertools import pairwise

from privopt.report.folder import Curves
from privopt.report.plots.style import limit_line
from privopt.report.records import CurvePoint
from privopt.show.pictures.frame import Axis, Canvas, grid
from privopt.show.pictures.marks import mark
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.scale import Scale, up_scale
from privopt.show.pictures.shapes import line
from privopt.show.pictures.svg import Svg, group, joined, label, text_width

__all__ = ["TITLES", "variance"]

TITLES = {"cost": "Variance of the loss", "solution": "Variance of the whole solution"}
_SHAPES = ("dot", "square", "diamond", "triangle", "pentagon")
_BOX = Canvas(460, 340, 62, 14, 34, 48)


def variance(curves: Curves, network: str, panel: str) -> Picture:
    """One panel; the solution's variance is on a log axis above that of the noise itself."""
    points = [p for p in curves.points if (p.network, p.panel) == (network, panel)]
    spreads = list(dict.fromkeys(p.cbar for p in points))
    by_ratio = panel == "solution"
    box = _BOX
    noise = curves.settings.get("noise_variance") if by_ratio else None
    noise = float(noise) if isinstance(noise, (int, float)) and noise > 0 else None
    heights = [p.variance for p in points if _drawn(p, by_ratio=by_ratio)]
    up = _upward([h for h in heights if h is not None], noise, box, by_ratio=by_ratio)
    across = up_scale([p.loss for p in points if p.loss is not None] or [1.0], *box.x)
    parts = [
        grid(
            box,
            Axis(across, "expected loss, %"),
            Axis(up, f"variance of the {'solution' if by_ratio else 'loss, %²'}"),
        )
    ]
    if noise is not None:
        words = f"variance of the noise itself, tr Σ = {noise:g}"
        parts.append(limit_line(box, up.at(noise), words, below=True))
    for k, cbar in enumerate(spreads):
        chosen = sorted((p for p in points if p.cbar == cbar), key=lambda p: p.phi)
        parts += _line(chosen, cbar, k, across, up, by_ratio=by_ratio)
    parts.append(_legend(spreads))
    name = f"{TITLES.get(panel, panel)} on {network}"
    told = f"{len(spreads)} lines, one for each spread of the costs, from small to large phi."
    return Picture(name, told, box.width, box.height, joined(*parts))


def _upward(heights: list[float], noise: float | None, box: Canvas, *, by_ratio: bool) -> Scale:
    if not by_ratio:
        return up_scale(heights or [1.0], *box.y)
    known = [*heights, *([] if noise is None else [noise])] or [1.0]
    return Scale(min(known) / 1.5, max(known) * 1.3, *box.y, "ratio")


def _drawn(point: CurvePoint, *, by_ratio: bool) -> bool:
    """Whether a point has both numbers, and a place on the axis."""
    if point.loss is None or point.variance is None:
        return False
    return point.variance > 0 or not by_ratio


def _line(
    points: list[CurvePoint], cbar: float, k: int, across: Scale, up: Scale, *, by_ratio: bool
) -> list[Svg]:
    """The line of one spread of costs; where a point is missing, it is broken."""
    ink, shape = f"line{k % len(_SHAPES)}", _SHAPES[k % len(_SHAPES)]

    def place(point: CurvePoint) -> tuple[float, float]:
        return across.at(point.loss or 0.0), up.at(point.variance or 0.0)

    drawn = [_drawn(point, by_ratio=by_ratio) for point in points]
    pairs = pairwise(zip(points, drawn, strict=True))
    steps = [line([place(a), place(b)], ink) for (a, here), (b, there) in pairs if here and there]
    signs: list[Svg] = []
    for point in (p for p, one in zip(points, drawn, strict=True) if one):
        text = (
            f"c̄ = {cbar:g}, φ = {point.phi:.3g}: loss {point.loss:.2f} %, variance "
            f"{point.variance:.3g}"
        )
        if point.infeasible:
            text += f"; {point.infeasible} runs without a plan"
        signs.append(mark(shape, *place(point), 4, ink, text))
    return [*steps, *signs]


def _legend(spreads: list[float]) -> Svg:
    parts: list[Svg] = []
    left = 16.0
    for k, cbar in enumerate(spreads):
        text = f"c̄ = {cbar:g}"
        ink, shape = f"line{k % len(_SHAPES)}", _SHAPES[k % len(_SHAPES)]
        parts += [mark(shape, left, 13, 4.5, ink), label(text, left + 9, 17, "start")]
        left += 28 + text_width(text, 12)
    return group(*parts, class_="legend")
