"""A curve to be drawn as SVG: where its points, crosses and ticks lie.

A page with a library of plots in it has five megabytes. This has a few kilobytes, needs no script,
and takes the colours of the page's theme; `sheet.html.jinja` writes it down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Curve", "PlottedPoint", "curve"]

_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 466.0, 14.0, 252.0  # of the ground, in a box of 480 by 300
_RATIO = 4.0  # of the largest value to the smallest, from which the axis shows ratios
_TICKS = 6  # at most, on an even axis


@dataclass(frozen=True)
class PlottedPoint:
    """A place on the picture, and what is said there."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Curve:
    """A line through points, and crosses where there is no value; titles and ticks of both axes.

    `levels` are lines across: what the points are to be compared with.
    """

    over: str
    of: str
    points: tuple[PlottedPoint, ...]
    crosses: tuple[PlottedPoint, ...]
    across: tuple[PlottedPoint, ...]
    up: tuple[PlottedPoint, ...]
    levels: tuple[PlottedPoint, ...] = ()


def curve(
    values: Sequence[tuple[float, float | None]],
    over: str,
    of: str,
    levels: Sequence[tuple[str, float | None]] = (),
) -> Curve:
    """The curve through pairs of a value of `over` and one of `of`; None: there is none.

    `levels` are names and values of what it is compared with; None: there is none.
    """
    known = [(x, y) for x, y in values if y is not None]
    beside = [(name, y) for name, y in levels if y is not None]
    heights = [y for _, y in (*known, *beside)]
    across, up = _across([x for x, _ in values]), _up(heights)
    floor = up.at(0.0)
    return Curve(
        over,
        of,
        tuple(
            PlottedPoint(across.at(x), up.at(y), f"{over} {x:.4g}: {of} {y:.4g}") for x, y in known
        ),
        tuple(
            PlottedPoint(across.at(x), floor, f"{over} {x:.4g}: none")
            for x, y in values
            if y is None
        ),
        tuple(PlottedPoint(across.at(tick), _BOTTOM, f"{tick:g}") for tick in across.ticks()),
        tuple(PlottedPoint(_LEFT, up.at(tick), f"{tick:g}") for tick in up.ticks()),
        tuple(PlottedPoint(_LEFT, up.at(y), f"{name}: {of} {y:.4g}") for name, y in beside),
    )


@dataclass(frozen=True)
class _Axis:
    """From values to places, evenly or by ratio: then the ends are exponents of ten."""

    low: float
    high: float
    start: float
    end: float
    ratios: bool = False

    def at(self, value: float) -> float:
        even = math.log10(value) if self.ratios else value
        share = (even - self.low) / (self.high - self.low)
        return round(self.start + (self.end - self.start) * share, 1)

    def ticks(self) -> list[float]:
        """1, 2 and 5 times powers of ten; over many decades, the powers alone."""
        if self.ratios:
            decades = range(math.floor(self.low), math.ceil(self.high) + 1)
            steps = (1, 2, 5) if len(decades) <= 5 else (1,)
            found = [float(f"{step}e{decade}") for decade in decades for step in steps]
            return [one for one in found if one and self.low <= math.log10(one) <= self.high]
        width = self.high - self.low
        power = math.floor(math.log10(width / _TICKS))
        step = next(
            one for k in (1, 2, 5, 10, 20) if width / (one := float(f"{k}e{power}")) <= _TICKS
        )
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [k * step for k in range(first, last + 1)]


def _across(values: Sequence[float]) -> _Axis:
    """The axis from left to right, with some room at its ends."""
    low, high = min(values), max(values)
    ratios = low > 0 and high / _RATIO >= low
    if ratios:
        low, high = math.log10(low), math.log10(high)
    room = 0.04 * (high - low) or 0.1 * abs(low) or 0.1
    return _Axis(low - room, high + room, _LEFT, _RIGHT, ratios)


def _up(values: Sequence[float]) -> _Axis:
    """The axis from the bottom up: zero is on it."""
    low, high = min([0.0, *values]), max([0.0, *values])
    return _Axis(low, high + (0.06 * (high - low) or 1.0), _BOTTOM, _TOP)
