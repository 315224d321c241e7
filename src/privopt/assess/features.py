"""What an audit looks at in a released vector y: one number for each, of four kinds.

    coordinate     y_j
    low bits       the largest t with y_j a multiple of 2^t (infinite for 0)
    Laplace score  sum_j (|y_j - m_j| - |y_j - m'_j|) / s_j
    direction      sum_j (m'_j - m_j) y_j / s_j^2

The two scores are the log-likelihood ratios of Laplace and of Gaussian noise of spread s around m
and m', up to constants. Noise that is drawn and added in floating point shows in the low bits: the
rounding of q + xi depends on q.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

import numpy as np

from privopt.arrays import Dense, Vector

__all__ = ["Coordinate", "Direction", "Feature", "LaplaceScore", "LowBits", "scores"]

_DIGITS = 53  # of a float's mantissa
_STILL = 1e-60  # a spread below it is none


def _between(label: str, low: float, high: float) -> str:
    if low == -np.inf:
        return f"{label} <= {high:.6g}"
    if high == np.inf:
        return f"{label} > {low:.6g}"
    if np.nextafter(low, high) == high:
        return f"{label} = {high:.6g}"
    return f"{low:.6g} < {label} <= {high:.6g}"


@dataclass(frozen=True)
class Coordinate:
    """A released value."""

    j: int
    label: str

    def of(self, Y: Dense) -> Vector:
        """The column."""
        return Y[:, self.j]

    def words(self, low: float, high: float) -> str:
        """The range of the value."""
        return _between(self.label, low, high)


@dataclass(frozen=True)
class LowBits:
    """The 2-adic valuation of a released value: the position of its last bit that is set."""

    j: int
    name: str

    @property
    def label(self) -> str:
        """What is counted."""
        return f"last bit of {self.name}"

    def of(self, Y: Dense) -> Vector:
        """Exact for every finite float; infinite for zero."""
        fraction, exponent = np.frexp(Y[:, self.j])
        whole = np.ldexp(fraction, _DIGITS).astype(np.int64)
        _, last = np.frexp((whole & -whole).astype(float))  # of a power of two: its place plus one
        return np.where(whole == 0, np.inf, (exponent - _DIGITS + last - 1).astype(float))

    def words(self, low: float, high: float) -> str:
        """Multiples of a power of two, or not (one of the two ends is infinite)."""
        if low == -np.inf:
            return f"{self.name} is not a multiple of 2^{high + 1:.0f}"
        return f"{self.name} is a multiple of 2^{low + 1:.0f}"


@dataclass(frozen=True, eq=False)
class _Score:
    """A number made of the centres of d and d', and of the spread about them."""

    centre: Vector = field(repr=False)
    other: Vector = field(repr=False)
    spread: Vector = field(repr=False)

    label: ClassVar[str]

    def words(self, low: float, high: float) -> str:
        """The range of the score."""
        return _between(self.label, low, high)


class LaplaceScore(_Score):
    """How much nearer y lies to the centre of d' than to that of d, in multiples of the spread."""

    label = "Laplace score of the vector"

    def of(self, Y: Dense) -> Vector:
        """The score of each row."""
        nearer = np.abs(Y - self.centre) - np.abs(Y - self.other)
        return np.asarray((nearer / self.spread).sum(axis=1))


class Direction(_Score):
    """Where y lies along the line from the centre of d to that of d'."""

    label = "score of the vector along the line between the centres"

    def of(self, Y: Dense) -> Vector:
        """The score of each row."""
        return np.asarray(Y @ ((self.other - self.centre) / self.spread**2))


Feature: TypeAlias = Coordinate | LowBits | LaplaceScore | Direction


def scores(Y: Dense, Y_prime: Dense) -> list[Feature]:
    """Both scores, with medians and mean absolute deviations of these releases.

    A single value has none: there the coordinate says as much.
    """
    if Y.shape[1] == 1:
        return []
    centre, other = np.median(Y, axis=0), np.median(Y_prime, axis=0)
    spread = 0.5 * (np.abs(Y - centre).mean(axis=0) + np.abs(Y_prime - other).mean(axis=0))
    spread = np.where(spread > _STILL, spread, 1.0)
    return [LaplaceScore(centre, other, spread), Direction(centre, other, spread)]
