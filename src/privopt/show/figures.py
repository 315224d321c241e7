"""Pictures of results, in one style (plotly).

`spans` draws a mark for each name, with a range around it: released values and their noise, rows
and how often they break. Names may be anybody's, and plotly reads HTML: they are escaped.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.arrays import Vector
from privopt.extra import library
from privopt.foreign import shown

__all__ = ["BLUE", "GREEN", "ORANGE", "Dots", "figure", "spans", "titled"]

BLUE, ORANGE, GREEN = "#0068a8", "#c65500", "#1d7a4f"


@dataclass(frozen=True, eq=False, repr=False)
class Dots:
    """One value for each name, with the ends of a range around it (None: no range)."""

    label: str
    values: Vector
    low: Vector | None = None
    high: Vector | None = None
    colour: str = BLUE
    symbol: str = "circle"
    width: float = 2.0


def figure(data: Sequence[dict[str, Any]], title: str, below: str = "", **layout: Any) -> Any:  # noqa: ANN401
    """A plotly figure with a title and a line below it."""
    go = library("plotly.graph_objects", "report")
    common = {
        "title": {"text": _text(title), "subtitle": {"text": _text(below)}},
        "template": "plotly_white",
        "legend": {"orientation": "h", "x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom"},
        "margin": {"t": 110},
    }
    return go.Figure(list(data), layout=common | layout)


def titled(text: str, **changes: Any) -> dict[str, Any]:  # noqa: ANN401
    """An axis with a title."""
    return {"title": {"text": _text(text)}, "automargin": True} | changes


def spans(names: Sequence[Any], marks: Sequence[Dots], title: str, below: str, y: str) -> Any:  # noqa: ANN401
    """Dots above the names, those of one name side by side."""
    places = np.arange(len(names), dtype=float)
    offsets = 0.24 * (np.arange(len(marks)) - 0.5 * (len(marks) - 1))
    data = [_trace(one, places + offset, names) for one, offset in zip(marks, offsets, strict=True)]
    step = -(-len(names) // 40)
    ticks = {
        "tickvals": places[::step].tolist(),
        "ticktext": [_text(name) for name in names[::step]],
        "range": [-0.7, len(names) - 0.3],
        "showgrid": False,
        "zeroline": False,
    }
    return figure(
        data, title, below, showlegend=len(marks) > 1, xaxis=titled("", **ticks), yaxis=titled(y)
    )


def _trace(one: Dots, places: Vector, names: Sequence[Any]) -> dict[str, Any]:
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "x": places.tolist(),
        "y": np.asarray(one.values, dtype=float).tolist(),
        "name": _text(one.label),
        "marker": {"color": one.colour, "size": 9, "symbol": one.symbol},
        "customdata": [_text(name) for name in names],
        "hovertemplate": f"%{{customdata}}<br>{_text(one.label)} %{{y:.6g}}<extra></extra>",
    }
    if one.low is not None and one.high is not None:
        trace["error_y"] = {
            "type": "data",
            "symmetric": False,
            "array": (one.high - one.values).tolist(),
            "arrayminus": (one.values - one.low).tolist(),
            "color": one.colour,
            "thickness": one.width,
            "width": 4,
        }
    return trace


def _text(text: object) -> str:
    """Text from outside: shown, and no markup."""
    return html.escape(shown(text))
