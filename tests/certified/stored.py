"""A saved instrument, read without privopt: its integers and floats as exact fractions.

What is measured before the noise, as documented:

    u   the private entries, clamped to [low, high] 2^-c and rounded to the grid 2^-c
    y   (offset + matrix u) 2^-(f+c), exactly
    q   floor(y / 2^k + 1/2) 2^k, k the grid of the noise, or the finest on which every y of the
        box is a float, whichever is coarser
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

Real: TypeAlias = float | Fraction  # what a curator has: more than floats

ORDER = {"Laplace": 1, "TruncatedLaplace": 1, "Gaussian": 2}  # the norm each noise hides


@dataclass(frozen=True)
class Noise:
    """What a file says of its noise: the sensitivity it was made for, and its charge."""

    size: int
    sensitivity: Fraction
    scale: Fraction
    exponent: int
    epsilon: Fraction
    delta: Fraction


@dataclass(frozen=True)
class Distance:
    """How far two measurements lie apart before the noise."""

    l1: Fraction
    l2_squared: Fraction

    def within(self, bound: Fraction, order: int) -> bool:
        """Whether the distance in the norm is at most the bound."""
        return self.l1 <= bound if order == 1 else self.l2_squared <= bound * bound

    def of(self, order: int) -> float:
        """The distance in the norm, as a float."""
        return float(self.l1) if order == 1 else math.sqrt(self.l2_squared)


@dataclass(frozen=True)
class Stored:
    """The numbers of a file."""

    kind: str
    asked_epsilon: Fraction
    asked_delta: Fraction
    alpha: Fraction
    matrix: list[list[int]]
    offset: list[int]
    low: list[int]
    high: list[int]
    fine: int
    coarse: int
    noise: Noise
    whole: dict[str, Any]

    @property
    def order(self) -> int:
        """The norm in which neighbours must be near."""
        return ORDER[self.kind]

    @property
    def alphas(self) -> list[Fraction]:
        """Of each private entry."""
        alpha = self.whole["noise"]["alpha"]
        return [
            _written(a) for a in (alpha if isinstance(alpha, list) else [alpha] * len(self.low))
        ]

    @property
    def total(self) -> bool:
        """Whether all entries of an owner share one alpha."""
        return self.whole["noise"].get("change") == "total"

    @property
    def owners(self) -> list[list[int]]:
        """The entries that one owner has, as the file says."""
        asked, q = self.whole["noise"], len(self.low)
        usual = [0] * q if self.total else list(range(q))
        owner = asked.get("owners", usual)
        return [[j for j in range(q) if owner[j] == one] for one in sorted(set(owner))]

    @property
    def box(self) -> list[tuple[Fraction, Fraction]]:
        """Ends of the domain of each private entry."""
        step = power(-self.coarse)
        return [(a * step, b * step) for a, b in zip(self.low, self.high, strict=True)]

    @property
    def grid(self) -> int:
        """k of the grid on which the values lie before the noise."""
        reach = [max(abs(a), abs(b)) for a, b in zip(self.low, self.high, strict=True)]
        most = max(
            abs(start) + sum(abs(m) * r for m, r in zip(row, reach, strict=True))
            for start, row in zip(self.offset, self.matrix, strict=True)
        )
        bound = upward(most * power(-self.fine - self.coarse))
        return max(self.noise.exponent, math.frexp(bound)[1] - 53)

    def steps(self, private: Sequence[Real]) -> list[int]:
        """Private entries, clamped and rounded (halves to even), in steps of their grid."""
        unit = power(self.coarse)
        return [
            round(min(max(Fraction(float(x)) * unit, Fraction(a)), Fraction(b)))
            for x, a, b in zip(private, self.low, self.high, strict=True)
        ]

    def exact(self, private: Sequence[Real]) -> list[Fraction]:
        """The map at some private entries, before it is rounded to the grid of the noise."""
        u, unit = self.steps(private), power(-self.fine - self.coarse)
        return [
            (start + sum(m * x for m, x in zip(row, u, strict=True))) * unit
            for start, row in zip(self.offset, self.matrix, strict=True)
        ]

    def values(self, private: Sequence[Real]) -> list[Fraction]:
        """What is measured of some private entries, before the noise."""
        cell = power(self.grid)
        return [math.floor(y / cell + Fraction(1, 2)) * cell for y in self.exact(private)]


def read(path: Path) -> Stored:
    """The numbers of a file that Instrument.save wrote."""
    data: dict[str, Any] = json.loads(path.read_text())
    made, asked, given = data["map"], data["noise"], data["calibration"]
    noise = Noise(
        int(given["size"]),
        Fraction(given["sensitivity"]),
        Fraction(given["scale"]),
        int(given["exponent"]),
        Fraction(given["epsilon"]),
        Fraction(given["delta"]),
    )
    return Stored(
        asked["kind"],
        Fraction(asked["epsilon"]),
        Fraction(asked.get("delta", 0)),
        max(
            map(_written, asked["alpha"] if isinstance(asked["alpha"], list) else [asked["alpha"]])
        ),
        made["matrix"],
        made["offset"],
        made["low"],
        made["high"],
        int(made["fine"]),
        int(made["coarse"]),
        noise,
        data,
    )


def _written(alpha: float) -> Fraction:
    """The float, or the decimal that it is written as, if that is larger."""
    return max(Fraction(alpha), Fraction(repr(alpha)))


def exact_distance(stored: Stored, first: Sequence[Real], second: Sequence[Real]) -> Distance:
    """How far apart the measurements of two private data lie, before the noise."""
    moved = [abs(a - b) for a, b in zip(stored.values(first), stored.values(second), strict=True)]
    return Distance(sum(moved, Fraction(0)), sum((v * v for v in moved), Fraction(0)))


def power(k: int) -> Fraction:
    """2^k, exactly."""
    return Fraction(2) ** k


def upward(value: Fraction) -> float:
    """Smallest float that is not below an exact number."""
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)
