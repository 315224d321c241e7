"""From values to places on a picture, and ticks at round values.

even    in proportion            ticks at multiples of 1, 2 or 5 times a power of ten
ratio   by the logarithm         ticks at 1, 2 and 5 times powers of ten; over many decades, at
                                 the powers alone
root    by the cube root, which shows small and large values and has a zero
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Scale", "across_scale", "near_scale", "tick_text", "up_scale"]

_TICKS = 6  # at most, on an even axis
_RATIO = 4.0  # of the largest value to the smallest, from which an axis shows ratios
_DECADES = 5  # up to which 2 and 5 times a power of ten have ticks


@dataclass(frozen=True, repr=False)
class Scale:
    """Values from `low` to `high`, at places from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    kind: Literal["even", "ratio", "root"] = "even"

    def at(self, value: float) -> float:
        """The place of a value, to a tenth."""
        low, high = self._even(self.low), self._even(self.high)
        share = (self._even(value) - low) / (high - low)
        return round(self.start + (self.end - self.start) * share, 1)

    def inside(self, value: float) -> float:
        """The place of a value, or the end of the axis that it lies beyond."""
        return self.at(min(max(value, self.low), self.high))

    def ticks(self, most: int = _TICKS) -> list[float]:
        """Round values on the axis."""
        if self.kind == "ratio":
            return self._powers()
        if self.kind == "root":
            return self._cubes(most)
        width = self.high - self.low
        power = math.floor(math.log10(width / most))
        step = next(
            one for k in (1, 2, 5, 10, 20) if width / (one := float(f"{k}e{power}")) <= most
        )
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [k * step for k in range(first, last + 1)]

    def _even(self, value: float) -> float:
        if self.kind == "ratio":
            return math.log10(value)
        return math.cbrt(value) if self.kind == "root" else value

    def _powers(self) -> list[float]:
        low, high = math.log10(self.low), math.log10(self.high)
        decades = range(math.floor(low), math.ceil(high) + 1)
        steps = (1, 2, 5) if len(decades) <= _DECADES else (1,)
        found = [float(f"{step}e{decade}") for decade in decades for step in steps]
        return [one for one in found if one and low <= math.log10(one) <= high]

    def _cubes(self, most: int) -> list[float]:
        """Zero, and round values of either sign that are not too near each other."""
        largest = max(abs(self.low), abs(self.high))
        gap = (math.cbrt(self.high) - math.cbrt(self.low)) / (1.5 * most)
        power = math.floor(math.log10(largest))
        kept = [0.0]
        for one in sorted(float(f"{k}e{power - down}") for down in range(7) for k in (1, 2, 5)):
            if math.cbrt(one) - math.cbrt(kept[-1]) >= gap:
                kept.append(one)
        both = sorted({*kept, *(-one for one in kept)})
        return [one + 0.0 for one in both if self.low <= one <= self.high]


def across_scale(values: Sequence[float], start: float, end: float) -> Scale:
    """An axis around values, with some room at its ends; by ratio where they span a lot."""
    low, high = min(values), max(values)
    if low > 0 and high / _RATIO >= low:
        room = math.exp(0.04 * (math.log(high) - math.log(low)))
        return Scale(max(low / room, 5e-324), min(high * room, 1.7e308), start, end, "ratio")
    room = 0.04 * (high - low) or 0.1 * abs(low) or 0.1
    return Scale(low - room, high + room, start, end)


def near_scale(values: Sequence[float], start: float, end: float) -> Scale:
    """An even axis around values; zero is on it where it is not far off."""
    low, high = min(values), max(values)
    if low == high == 0:
        return Scale(0.0, 1.0, start, end)
    width = high - low or abs(low)
    if 0 < low <= width:
        low = 0.0
    elif -width <= high < 0:
        high = 0.0
    room = 0.04 * (high - low) or 0.1 * abs(low) or 0.1
    return Scale(low - (room if low else 0.0), high + (room if high else 0.0), start, end)


def up_scale(values: Sequence[float], start: float, end: float) -> Scale:
    """An axis on which zero is."""
    low, high = min([0.0, *values]), max([0.0, *values])
    room = 0.06 * (high - low) or 1.0
    return Scale(low - (room if low < 0 else 0.0), high + room, start, end)


def tick_text(value: float) -> str:
    """A round value, in digits where they are few."""
    plain = f"{value:,.10g}" if 1e-4 <= abs(value) < 1e6 or not value else f"{value:g}"
    return plain.replace("-", "\u2212")
