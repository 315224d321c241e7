"""What was released of d and of d', side by side, with the event of an audit shaded.

The feature of the event's last range is shown: a value, a score, or the last bit of a value. If the
event has another range (values within an interval), only releases within that one are counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.assess.events import Coordinate, LowBits, Range, ReleaseEvent
from privopt.show.pictures.frame import Axis, Canvas, grid
from privopt.show.pictures.legend import legend
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.scale import Scale
from privopt.show.pictures.shapes import band, bar, line
from privopt.show.pictures.svg import Svg, group, joined, label
from privopt.show.pictures.theme import colour

__all__ = ["Histograms"]

_BINS = 60
_FEW = 40  # so many distinct numbers get a bar each
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
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

    def picture(self, name: str, caption: str = "") -> Picture:
        """Both as bars, the event shaded."""
        box = Canvas(460, 320, 52, 12, 40, 48)
        across = Scale(float(self.edges[0]), float(self.edges[-1]), *box.x)
        top = 1.08 * 100 * max(self.shares.max(), self.others.max(), 1e-9)
        up = Scale(0.0, float(top), *box.y)
        among = f", where {self.among}" if self.among else ""
        words = Axis(across, f"{self.label}{among}", self._ticks())
        low, high = (across.inside(end) for end in self.region)
        floor, ceiling = box.y
        corners = [(low, ceiling), (high, ceiling), (high, floor), (low, floor)]
        written = label("the event", (low + high) / 2, ceiling - 5, fill=colour("good"))
        kinds = (("d", "analytic", self.shares), ("d'", "sampled", self.others))
        return Picture(
            name,
            self._told(),
            box.width,
            box.height,
            joined(
                band(corners, "good"),
                grid(box, words, Axis(up, "% of the releases")),
                written,
                *(
                    self._bars(name, ink, 100 * shares, across, up, place)
                    for place, (name, ink, shares) in enumerate(kinds)
                ),
                legend([(f"releases of {name}", ink, "square") for name, ink, _ in kinds], 2),
            ),
            caption,
        )

    def _bars(
        self, name: str, ink: str, shares: Vector, across: Scale, up: Scale, place: int
    ) -> Svg:
        """The bars of one of the two: beside those of the other, or an outline over them."""
        floor = up.at(0.0)
        if self.ticks:
            bars = [
                bar(
                    across.at(float(edge) + 0.1 + 0.4 * place),
                    up.at(float(share)),
                    across.at(float(edge) + 0.5) - across.at(float(edge) + 0.1),
                    floor - up.at(float(share)),
                    ink,
                    f"{share:.3g}% of the releases of {name}",
                )
                for edge, share in zip(self.edges[:-1], shares, strict=True)
                if share > 0
            ]
            return group(*bars, class_="shares")
        steps = [(across.at(float(self.edges[0])), floor)]
        for start, end, share in zip(self.edges[:-1], self.edges[1:], shares, strict=True):
            y = up.at(float(share))
            steps += [(across.at(float(start)), y), (across.at(float(end)), y)]
        steps.append((across.at(float(self.edges[-1])), floor))
        return group(band(steps, ink), line(steps, ink, 1.6), class_="shares")

    def _ticks(self) -> list[tuple[float, str]] | None:
        """Words below the bars; None where their numbers are an axis."""
        if not self.ticks:
            return None
        step = -(-len(self.ticks) // 10)
        places = (self.edges[:-1] + 0.5).tolist()
        return list(zip(places, self.ticks, strict=True))[::step]

    def _told(self) -> str:
        """Where most releases of both lie."""
        peaks = [float(self.edges[int(np.argmax(one))]) for one in (self.shares, self.others)]
        words = [self.ticks[round(at + 0.5)] if self.ticks else f"{at:.4g}" for at in peaks]
        return (
            f"Shares of the releases by {self.label}: most of d at {words[0]}, most of d' at "
            f"{words[1]}."
        )


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
    return "zero" if exponent == np.inf else f"2{f'{exponent:.0f}'.translate(_RAISED)}"
