"""Loss (and, of policies, distance) against a parameter; crosses where there is no solution."""

from __future__ import annotations

import math
from typing import Any

from privopt.jobs.frontier import Frontier
from privopt.report.plots.style import Figure, axis, layout

__all__ = ["distance_figure", "loss_figure"]

_RATIO = 4.0  # of the largest value to the smallest, from which the axis shows ratios


def loss_figure(found: Frontier) -> Figure:
    """Expected extra cost in percent."""
    points = [(p.value, None if p.loss is None else 100 * p.loss) for p in found.points]
    return _figure(found.over, points, "loss, %", "analytic")


def distance_figure(found: Frontier) -> Figure:
    """Expected distance of the release from the non-private answer."""
    points = [(point.value, point.distance) for point in found.points]
    return _figure(found.over, points, "distance", "box")


def _ticks(values: list[float]) -> list[float]:
    """1, 2 and 5 times powers of ten within the values; over many decades, the powers alone."""
    low, high = min(values), max(values)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(decades) <= 5 else (1,)
    ticks = [float(f"{step}e{decade}") for decade in decades for step in steps]
    return [tick for tick in ticks if low / 1.5 <= tick <= high * 1.5]


def _figure(over: str, points: list[tuple[float, float | None]], title: str, colour: str) -> Figure:
    known = [(x, y) for x, y in points if y is not None]
    none = [x for x, y in points if y is None]
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": [x for x, _ in known],
            "y": [y for _, y in known],
            "line": {"color": f"var(--{colour})", "width": 2},
            "marker": {"color": f"var(--{colour})", "size": 9},
            "cliponaxis": False,
            "hovertemplate": f"{over} %{{x:.4g}}<br>{title} %{{y:.4g}}<extra></extra>",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": none,
            "y": [0.0] * len(none),
            "marker": {"symbol": "x", "size": 10, "color": "var(--bad)"},
            "cliponaxis": False,
            "hovertemplate": f"{over} %{{x:.4g}}: no solution<extra></extra>",
        },
    ]
    values = [x for x, _ in points]
    ratios = min(values) > 0 and max(values) >= _RATIO * min(values)
    shown = axis(over, type="log", tickvals=_ticks(values)) if ratios else axis(over)
    return {"data": data, "layout": layout(320, xaxis=shown, yaxis=axis(title, rangemode="tozero"))}
