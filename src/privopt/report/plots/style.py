"""What all pictures share: fonts, axes, numbers, and the cube-root axis.

Violations run from 0 to 100 percent, with the requirement at a few and many methods below one. A
cube-root axis shows all of it, zero included, which a log axis cannot.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

from privopt.foreign import shown

__all__ = [
    "Figure", "axis", "label", "line_across", "percent", "picture", "root", "root_axis", "scatter",
    "sign",
]  # fmt: skip

Figure = dict[str, Any]
FONT = "system-ui, sans-serif"
TICKS = (0.0, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 1000.0)
SPARSE_TICKS = (0.0, 0.1, 1.0, 5.0, 20.0, 50.0, 100.0)


def layout(height: int, **changes: object) -> dict[str, Any]:
    """The common layout: clear ground, the page's font, no legend unless asked for."""
    return {
        "height": height,
        "autosize": True,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 13, "color": "var(--ink)"},
        "margin": {"l": 52, "r": 14, "t": 14, "b": 48},
        "showlegend": False,
        "hovermode": "closest",
        "hoverlabel": {
            "bgcolor": "var(--raised)",
            "bordercolor": "var(--rule)",
            "font": {"family": FONT, "color": "var(--ink)", "size": 13},
            "align": "left",
        },
    } | changes


def picture(
    data: list[Figure], height: int, margin: tuple[int, int, int, int], **changes: object
) -> Figure:
    """Traces in the common layout, with margins at left, right, top and bottom."""
    room = dict(zip("lrtb", margin, strict=True))
    return {"data": data, "layout": layout(height, margin=room, **changes)}


def scatter(
    x: Sequence[float | None],
    y: Sequence[float | None],
    hover: str = "",
    mode: str = "markers",
    **changes: object,
) -> Figure:
    """A trace, and what is shown when it is pointed at, if anything is."""
    pointed = {"hovertemplate": f"{hover}<extra></extra>"} if hover else {"hoverinfo": "skip"}
    return {"type": "scatter", "mode": mode, "x": list(x), "y": list(y)} | pointed | changes


def sign(symbol: str, size: float, colour: str, width: float = 2, **changes: object) -> Figure:
    """The marker of a method; open signs have a line of that width."""
    line = {"width": width if symbol.endswith("open") else 0, "color": colour}
    return {"symbol": symbol, "size": size, "color": colour, "line": line} | changes


def axis(title: str = "", **changes: object) -> dict[str, Any]:
    """An axis with a faint grid and no zero line."""
    return {
        "title": {"text": title, "font": {"color": "var(--muted)", "size": 12}, "standoff": 8},
        "gridcolor": "var(--grid)",
        "linecolor": "var(--rule)",
        "tickfont": {"color": "var(--muted)", "size": 12},
        "zeroline": False,
        "fixedrange": True,
    } | changes


def root(value: float) -> float:
    """The cube root, which keeps the sign."""
    return round(math.cbrt(value), 5)


def root_axis(
    title: str, top: float, eta: float | None = None, *, sparse: bool = False
) -> dict[str, Any]:
    """A cube-root axis from zero to `top` percent; what is drawn on it goes through `root`.

    There is no tick at eta, where a line of its own is drawn.
    """
    ticks = [t for t in (SPARSE_TICKS if sparse else TICKS) if t <= top * 1.05 and t != eta]
    return axis(
        title,
        tickvals=[root(t) for t in ticks],
        ticktext=[f"{t:g}" for t in ticks],
        range=[-0.04 * root(top), 1.06 * root(top)],
    )


def line_across(level: float, text: str, *, colour: str = "limit", x: float = 1.0) -> Figure:
    """A dashed line at `level` with its text at the right: the shape and the annotation."""
    shape = {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": level,
        "y1": level,
        "layer": "between",
        "line": {"color": f"var(--{colour})", "width": 1.5, "dash": "dash"},
    }
    note = {
        "xref": "paper",
        "x": x,
        "y": level,
        "text": text,
        "showarrow": False,
        "xanchor": "right",
        "yanchor": "bottom",
        "font": {"color": f"var(--{colour})", "size": 11},
    }
    return {"shape": shape, "annotation": note}


def label(text: object) -> str:
    """Text from a file, so that plotly shows it as it is and reads no markup in it."""
    return html.escape(shown(text), quote=False)


def percent(value: float | None) -> str:
    """A percentage to two decimals."""
    return "none" if value is None else f"{value:.2f} %"
