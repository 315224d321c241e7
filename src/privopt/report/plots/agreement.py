"""Every printed mean as one point: how many standard errors the reproduced one lies from it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from privopt.report.compare import LIMIT, Comparison, Line
from privopt.report.methods import method
from privopt.report.plots.style import Figure, axis, label, percent, picture, scatter, sign

__all__ = ["agreement"]

EDGE = 8.0  # beyond, a point is drawn at the edge with an arrow


def agreement(tables: Mapping[str, tuple[Line, ...]]) -> Figure:
    """One level for each table and quantity; the band is what counts as reproduced."""
    data: list[Figure] = []
    levels: list[str] = []
    for title, lines in tables.items():
        for what in ("violation", "loss"):
            compared = [(line, getattr(line, what)) for line in lines]
            known = [(line, item) for line, item in compared if item.z is not None]
            if known:
                data += [_point(line, item, len(levels), k) for k, (line, item) in enumerate(known)]
                levels.append(f"{title}<br>{what}")
    band = {
        "type": "rect",
        "yref": "paper",
        "x0": -LIMIT,
        "x1": LIMIT,
        "y0": 0,
        "y1": 1,
        "fillcolor": "var(--allowed)",
        "line": {"width": 0},
        "layer": "below",
    }
    ticks = [-6, -3, 0, 3, 6]
    return picture(
        data,
        70 + 62 * max(len(levels), 1),
        (74, 14, 8, 46),
        xaxis=axis(
            "standard errors from the printed mean",
            range=[-EDGE - 0.8, EDGE + 0.8],
            tickvals=ticks,
            ticktext=["−6", "−3", "0", "+3", "+6"],
        ),
        yaxis=axis(
            tickvals=list(range(len(levels))),
            ticktext=levels,
            range=[len(levels) - 0.45, -0.55],
            showgrid=False,
        ),
        shapes=[band],
    )


def _point(line: Line, item: Comparison, level: int, k: int) -> Figure:
    z = item.z or 0.0
    how = method(line.row.algorithm)
    far = abs(z) > EDGE
    symbol = ("triangle-right" if z > 0 else "triangle-left") if far else how.symbol
    means = (item.printed.mean if item.printed else None, item.found.mean if item.found else None)
    size = "∞" if math.isinf(z) else f"{abs(z):.1f}"
    return scatter(
        [round(max(-EDGE, min(EDGE, z)), 4)],
        [round(level + 0.5 * ((k * 0.6180339887) % 1 - 0.5), 4)],
        f"<b>{label(line.row.case)}, {label(line.row.algorithm)}</b><br>"
        f"printed {percent(means[0])}<br>reproduced {percent(means[1])}<br>"
        f"{'−' if z < 0 else '+'}{size} standard errors",
        marker=sign(symbol, 10, how.css, 1.8, opacity=0.9),
    )
