"""A picture over time: a line for each thing that has a value in several periods, with its range.

Names say when: `p[3]@07` is the value of `p[3]` in period `07`.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.arrays import Vector
from privopt.foreign import shown
from privopt.show.figures import BLUE, GREEN, ORANGE, figure, titled

__all__ = ["Course", "lines_of", "over_time"]

_COLOURS = (BLUE, ORANGE, GREEN, "#7b4fa3", "#b3123c", "#5f6b73")
_LIGHT = 0.15  # of the colour of a range


@dataclass(frozen=True, eq=False, repr=False)
class Course:
    """One thing over time: values, and the ends of a range around each; NaN where it has none."""

    name: str
    values: Vector
    low: Vector
    high: Vector


def lines_of(
    names: Sequence[str], values: Vector, low: Vector, high: Vector, periods: Sequence[str]
) -> list[Course] | None:
    """The lines of named values; None where a name is of no period."""
    place = {label: k for k, label in enumerate(periods)}
    found: dict[str, tuple[Vector, Vector, Vector]] = {}
    for name, *numbers in zip(names, values, low, high, strict=True):
        stem, _, label = name.rpartition("@")
        if not stem or label not in place:
            return None
        none = (np.full(len(periods), np.nan) for _ in range(3))
        rows = found.setdefault(stem, (next(none), next(none), next(none)))
        for row, number in zip(rows, numbers, strict=True):
            row[place[label]] = number
    return [Course(name, *rows) for name, rows in found.items()]


def over_time(
    lines: Sequence[Course], periods: Sequence[str], title: str, below: str, y: str
) -> Any:  # noqa: ANN401 -- a plotly figure; plotly has no types
    """The picture: lines over the periods, each in a band between the ends of its range."""
    data: list[dict[str, Any]] = []
    labels = [_text(label) for label in periods]
    for k, one in enumerate(lines):
        colour, name = _COLOURS[k % len(_COLOURS)], _text(one.name)
        there = np.flatnonzero(np.isfinite(one.low) & np.isfinite(one.high))
        around = [*there, *there[::-1]]
        ends = [*one.high[there], *one.low[there[::-1]]]
        same = {"type": "scatter", "legendgroup": name, "name": name}
        data.append(
            same | {
                "x": [labels[int(t)] for t in around], "y": [float(end) for end in ends],
                "fill": "toself", "fillcolor": _faint(colour), "line": {"width": 0},
                "mode": "lines", "hoverinfo": "skip", "showlegend": False,
            }
        )  # fmt: skip
        data.append(
            same | {
                "x": labels, "y": [float(v) if np.isfinite(v) else None for v in one.values],
                "mode": "lines+markers", "line": {"color": colour}, "marker": {"size": 6},
                "hovertemplate": f"{name} at %{{x}}<br>%{{y:.6g}}<extra></extra>",
            }
        )  # fmt: skip
    axis = titled("period", type="category", categoryorder="array", categoryarray=labels)
    return figure(data, title, below, showlegend=len(lines) > 1, xaxis=axis, yaxis=titled(y))


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red},{green},{blue},{_LIGHT})"


def _text(text: object) -> str:
    """Text from outside: shown, and no markup."""
    return html.escape(shown(text))
