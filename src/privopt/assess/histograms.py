"""What was released of d and of d', side by side, with the event of an audit shaded.

The feature of the event's last range is shown: a value, a score, or the last bit of a value. If the
event has another range (values within an interval), only releases within that one are counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.assess.events import Coordinate, LowBits, Range, ReleaseEvent
from privopt.show.figures import BLUE, GREEN, ORANGE, figure, titled

__all__ = ["Histograms"]

_BINS = 60
_FEW = 40  # so many distinct numbers get a bar each
_MIDDLE = (0.002, 0.998)  # quantiles between which a continuous feature is shown


@dataclass(frozen=True, eq=False)
class Histograms:
    """Shares of the releases of d and of d' in bars.

    Attributes
    ----------
    label
        The feature.
    among
        The event's other range, in words; empty if there is none.
    edges
        Where the bars begin and end: one more than there are bars.
    shares, others
        Of the releases of d and of d'.
    region
        Where the event lies, in the units of `edges`.
    ticks
        Words for the bars if they stand for single numbers, else empty.
    """

    label: str
    among: str
    edges: Vector
    shares: Vector
    others: Vector
    region: tuple[float, float]
    ticks: tuple[str, ...]

    @classmethod
    def of(
        cls, event: ReleaseEvent, Y: Dense, Y_prime: Dense, names: tuple[str, ...]
    ) -> Histograms:
        """Count the releases."""
        ranges = event.ranges or (Range(Coordinate(0, names[0]), -np.inf, np.inf),)
        shown, filters = ranges[-1], ReleaseEvent(ranges[:-1])
        t = shown.feature.of(Y[filters.holds(Y)])
        t_prime = shown.feature.of(Y_prime[filters.holds(Y_prime)])
        both = np.concatenate([t, t_prime])
        distinct = np.unique(both)
        bits = isinstance(shown.feature, LowBits)
        ticks: tuple[str, ...] = ()
        low, high = shown.low, shown.high
        if bits or len(distinct) <= _FEW:
            ticks = tuple((_power(value) if bits else f"{value:.6g}") for value in distinct)
            low, high = (
                float(np.searchsorted(distinct, end, "right")) - 0.5 for end in (low, high)
            )
            t, t_prime = np.searchsorted(distinct, t), np.searchsorted(distinct, t_prime)
            edges = np.arange(len(distinct) + 1, dtype=float) - 0.5
        else:
            edges = _edges(both, shown)
        return cls(
            label=shown.feature.label,
            among=str(filters) if filters.ranges else "",
            edges=edges,
            shares=np.histogram(t, edges)[0] / len(Y),
            others=np.histogram(t_prime, edges)[0] / len(Y_prime),
            region=(max(low, float(edges[0])), min(high, float(edges[-1]))),
            ticks=ticks,
        )

    def figure(self, title: str, below: str) -> Any:  # noqa: ANN401 -- plotly has no types
        """Both as bars, under a title of two lines (the extra `report`)."""
        bars = [
            {
                "type": "bar",
                "x": self.edges[:-1],
                "y": 100 * shares,
                "width": widths,
                "offset": offset,
                "name": f"releases of {name}",
                "marker": {"color": colour, "opacity": opacity, "line": {"width": 0}},
                "hovertemplate": f"%{{y:.3g}}% of the releases of {name}<extra></extra>",
            }
            for name, colour, shares, (widths, offset, opacity) in zip(
                ("d", "d'"), (BLUE, ORANGE), (self.shares, self.others), self._places(), strict=True
            )
        ]
        among = f", where {self.among}" if self.among else ""
        ends = [self.edges[0], self.edges[-1]]
        x_axis = titled(f"{self.label}{among}", range=ends)
        if self.ticks:
            step = -(-len(self.ticks) // 20)
            x_axis |= {"tickvals": self.edges[:-1:step] + 0.5, "ticktext": self.ticks[::step]}
        top = 115 * max(self.shares.max(), self.others.max())
        made = figure(
            bars,
            title,
            below,
            xaxis=x_axis,
            yaxis=titled("% of the releases", range=[0, top]),
            barmode="overlay",
        )
        return made.add_vrect(
            *self.region,
            fillcolor="rgba(29, 122, 79, 0.12)",
            line_width=0,
            layer="below",
            annotation={"text": "the event", "font": {"color": GREEN, "size": 12}},
            annotation_position="top",
        )

    def _places(self) -> Iterator[tuple[Vector, float, float]]:
        """Width, offset and opacity of the bars of d and d': side by side, or over each other."""
        width = np.diff(self.edges)
        for offset in (0.1, 0.5):
            yield (0.4 * width, offset, 0.85) if self.ticks else (width, 0.0, 0.55)


def _edges(values: Vector, shown: Range) -> Vector:
    """Equal bars over the middle of the values, one of which begins where the event does."""
    low, high = (float(end) for end in np.quantile(values, _MIDDLE))
    if low == high:
        low, high = float(values.min()), float(values.max())
    start = next((end for end in (shown.low, shown.high) if np.isfinite(end)), low)
    low, high = min(low, start), max(high, start)
    width = (high - low) / _BINS
    before, after = math.ceil((start - low) / width), math.ceil((high - start) / width)
    return start + width * np.arange(-before, after + 1, dtype=float)


def _power(exponent: float) -> str:
    """A power of two in figures."""
    return "zero" if exponent == np.inf else f"2<sup>{exponent:.0f}</sup>"
