"""The legend of a map: what halves, rings and shades mean, in the unit of the values."""

from __future__ import annotations

import math
from dataclasses import dataclass

from privopt.show.pictures.scale import tick_text
from privopt.show.pictures.svg import Svg, element, group, joined, label, path, text_width
from privopt.show.pictures.theme import LOADS, colour

__all__ = ["Meaning", "half", "map_legend"]

_SWATCH = 22.0  # of one shade


@dataclass(frozen=True, repr=False)
class Meaning:
    """What is to be explained; empty or None where there is nothing of it."""

    unit: str
    halves: tuple[str, str]
    has: tuple[bool, bool]
    largest: float
    radius: float
    ring: str
    loads: bool
    shade: tuple[str, float] | None


def half(x: float, y: float, r: float, sweep: int) -> str:
    """The path of half a disc: 0 for the left half, 1 for the right."""
    return path("M", x, y - r, "A", r, r, 0, 0, sweep, x, y + r, "Z")


def map_legend(meaning: Meaning, top: float, width: float) -> tuple[Svg, float]:
    """The legend from `top` downwards, and how high it is."""
    items = [*_halves(meaning), *_ring(meaning)]
    parts: list[Svg] = []
    x, y = 10.0, top + 14
    for drawn, text, wide in items:
        needed = wide + 8 + text_width(text, 11)
        if x > 10 and x + needed > width - 6:
            x, y = 10.0, y + 30
        parts += [
            group(drawn, transform=f"translate({x:g} {y:g})"),
            label(text, x + wide + 5, y + 4, "start"),
        ]
        x += needed + 14
    y += 22 if items else -14
    for shown, ink, words, ends in (
        (meaning.loads, "load", "loading of a line, % of its limit", [0.0, 100.0]),
        (meaning.shade is not None, "seq", meaning.shade[0] if meaning.shade else "",
         [0.0, meaning.shade[1] if meaning.shade else 0.0]),
    ):  # fmt: skip
        if shown:
            parts.append(_shades(ink, words, ends, y))
            y += 24
    return group(joined(*parts), font_size=11, fill=colour("muted")), y - top


def _halves(meaning: Meaning) -> list[tuple[Svg, str, float]]:
    """A half disc of a round value for what there is."""
    if not meaning.largest > 0:
        return []
    value = _round(meaning.largest)
    r = max(2.0, meaning.radius * math.sqrt(value / meaning.largest))
    behind = f" {meaning.unit}" if meaning.unit else ""
    found: list[tuple[Svg, str, float]] = []
    for side, (words, there) in enumerate(zip(meaning.halves, meaning.has, strict=True)):
        if not (words and there):
            continue
        size = f"{words}, {tick_text(value)}{behind}"
        if meaning.shade is not None:
            disc = element("circle", cx=r, cy=0, r=r, fill=colour("seq2"))
            found.append((disc, size, 2 * r))
            continue
        ink = ("demand", "supply")[side]
        x = r if side == 0 else 0
        found.append((element("path", d=half(x, 0, r, side), fill=colour(ink)), size, r))
    return found


def _ring(meaning: Meaning) -> list[tuple[Svg, str, float]]:
    if not meaning.ring:
        return []
    drawn = element("circle", cx=8, cy=0, r=7, fill="none", stroke=colour("released"),
                    stroke_width=3)  # fmt: skip
    return [(drawn, meaning.ring, 16.0)]


def _shades(ink: str, words: str, ends: list[float], y: float) -> Svg:
    """Swatches from the least to the most, with the values at both ends."""
    first, last = (tick_text(float(f"{end:.3g}")) for end in ends)
    start = 14 + text_width(first, 11)
    swatches = [
        element("rect", x=start + _SWATCH * k, y=y - 5, width=_SWATCH, height=9,
                fill=colour(f"{ink}{k}"))
        for k in range(LOADS)
    ]  # fmt: skip
    end = start + _SWATCH * LOADS + 5
    return joined(
        label(first, 10, y + 4, "start"),
        *swatches,
        label(f"{last}   {words}", end, y + 4, "start"),
    )


def _round(value: float) -> float:
    """1, 2 or 5 times a power of ten, not above a value."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(step * power for step in (1, 2, 5) if step * power <= value * (1 + 1e-9))
