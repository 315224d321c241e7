"""Figure 2: expected loss against variance, one line for each spread of the costs, as phi grows."""

from __future__ import annotations

import math
from typing import Any

from privopt.report.folder import Curves
from privopt.report.plots.style import Figure, axis, line_across, picture, scatter
from privopt.report.records import CurvePoint

__all__ = ["TITLES", "variance"]

TITLES = {"cost": "Variance of the loss", "solution": "Variance of the whole solution"}
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "pentagon")


def variance(curves: Curves, network: str, panel: str) -> Figure:
    """One panel; the solution's variance is on a log axis above that of the noise itself."""
    points = [p for p in curves.points if (p.network, p.panel) == (network, panel)]
    spreads = list(dict.fromkeys(p.cbar for p in points))
    log = panel == "solution"
    lines = [
        _line([p for p in points if p.cbar == cbar], cbar, k, log=log)
        for k, cbar in enumerate(spreads)
    ]
    more: dict[str, Any] = {}
    noise = curves.settings.get("noise_variance")
    if log and isinstance(noise, (int, float)) and noise > 0:
        across = line_across(noise, f"variance of the noise itself, tr Σ = {noise:g}")
        across["annotation"]["y"] = math.log10(noise)  # annotations take log coordinates
        across["annotation"] |= {"yanchor": "top"}
        more = {"shapes": [across["shape"]], "annotations": [across["annotation"]]}
        floor = [p.variance for p in points if p.variance and p.variance > 0]
        span = [math.log10(min([noise, *floor])), math.log10(max([noise, *floor]))]
        more["yaxis"] = axis(
            "variance of the solution",
            type="log",
            tickvals=[m * 10.0**k for k in range(-6, 9) for m in (1, 2, 5)],
            range=[span[0] - 0.18, span[1] + 0.1],
            fixedrange=False,
        )
    else:
        kind = {"type": "log"} if log else {"rangemode": "tozero"}
        what = "solution" if log else "loss, %²"
        more["yaxis"] = axis(f"variance of the {what}", fixedrange=False, **kind)
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": {"size": 12}}
    across = axis("expected loss, %", fixedrange=False)
    return picture(
        lines, 380, (56, 14, 40, 48), xaxis=across, showlegend=True, legend=legend, **more
    )


def _line(points: list[CurvePoint], cbar: float, k: int, *, log: bool) -> Figure:
    points = sorted(points, key=lambda p: p.phi)
    colour = f"var(--line{k % len(SYMBOLS)})"

    def shown(value: float | None) -> float | None:
        return None if value is None or (log and value <= 0) else value

    return scatter(
        [p.loss for p in points],
        [shown(p.variance) for p in points],
        f"<b>c̄ = {cbar:g}, φ = %{{customdata[0]:.3g}}</b><br>"
        "loss %{x:.2f} %<br>variance %{y:.3g}%{customdata[1]}",
        "lines+markers",
        name=f"c̄ = {cbar:g}",
        customdata=[
            [p.phi, f"<br>{p.infeasible} runs without a plan" if p.infeasible else ""]
            for p in points
        ],
        line={"color": colour, "width": 2},
        marker={"symbol": SYMBOLS[k % len(SYMBOLS)], "size": 7, "color": colour},
    )
