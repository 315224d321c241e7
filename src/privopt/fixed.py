"""An affine map of private data in exact integers: what makes a policy's epsilon provable.

    y = offset + M u,    u = d rounded to the grid 2^-c and clamped to a public box

M, the offset and the ends of the box are integers over powers of two, fixed from public data. Every
step is exact: no rounding depends on d but the rounding of d itself. Neighbours d, d' differ in one
entry by at most alpha, so their rounded entries by at most (floor(alpha 2^c) + 1) 2^-c, or by the
width of the box, and

    ||y - y'|| <= max_j ||M_j|| min(floor(alpha 2^c) + 1, width_j) 2^-c

exactly, in the norm asked for. `on_grid` rounds y to a grid 2^k, which adds at most one step a value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.errors import InputError
from privopt.noise.sensitivity import round_up

__all__ = ["FixedMap"]

_FINE = 24  # the grid of d is 2^-24 of alpha
_BITS = 62  # of a sum that stays exact in 64-bit integers
_LEAST = 24  # bits of M below which Python's own integers are used
_ENOUGH = 34  # bits of M that are plenty


@dataclass(frozen=True, eq=False)
class FixedMap:
    """y = (offset + matrix (d rounded and clamped)) 2^-(fine + coarse).

    Attributes
    ----------
    matrix, offset
        Integers: M times 2^fine, and the offset times 2^(fine + coarse), for d itself (not for its
        distance from the middle of the box).
    low, high
        Ends of the box, times 2^coarse.
    fine, coarse
        Exponents of the grids of M and of d.
    """

    matrix: NDArray[Any]
    offset: NDArray[Any]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    fine: int
    coarse: int

    @classmethod
    def of(cls, gain: Dense, start: Vector, lower: Vector, upper: Vector, alpha: float) -> FixedMap:
        """The map nearest to y = start + gain (d - middle of the box), the box rounded inwards."""
        coarse = _FINE - math.floor(math.log2(alpha))
        low = [math.ceil(Fraction(float(end)) * Fraction(2) ** coarse) for end in lower]
        high = [math.floor(Fraction(float(end)) * Fraction(2) ** coarse) for end in upper]
        # A box thinner than the grid is a point.
        low = [min(a, b) for a, b in zip(low, high, strict=True)]
        largest = max((abs(v) for v in (*low, *high)), default=0)
        if largest >= 2**53:
            raise InputError(
                "the domain is more than 2^28 times as wide, or as far from zero, as alpha.",
                "a domain and an alpha of comparable size.",
                "measure d from a public reference value, or use a larger alpha.",
            )
        wide = largest.bit_length() + max(1, len(low)).bit_length() + 1
        size = float(np.abs(gain).max(initial=0.0))
        top = math.frexp(size)[1] if size else 0  # |gain| < 2^top
        bits = min(_ENOUGH, _BITS - wide)
        kind: Any = np.int64
        if bits < _LEAST:
            bits, kind = _ENOUGH, object
        fine = bits - top
        matrix = [[round(Fraction(float(v)) * Fraction(2) ** fine) for v in row] for row in gain]
        middle = [(a + b) for a, b in zip(low, high, strict=True)]  # twice the middle
        offset = [
            round(Fraction(float(y)) * Fraction(2) ** (fine + coarse))
            - sum(m * u for m, u in zip(row, middle, strict=True)) // 2
            for y, row in zip(start, matrix, strict=True)
        ]
        if any(abs(v) >= 2**61 for v in offset):
            kind = object
        return cls(
            np.array(matrix, dtype=kind).reshape(len(start), len(low)),
            np.array(offset, dtype=kind),
            np.array(low, dtype=np.int64),
            np.array(high, dtype=np.int64),
            fine,
            coarse,
        )

    @property
    def gain(self) -> Dense:
        """M as floats (exact while its entries have at most 53 bits)."""
        return np.array(
            [[math.ldexp(int(v), -self.fine) for v in row] for row in self.matrix]
        ).reshape(self.matrix.shape)

    @property
    def middle(self) -> Vector:
        """Y at the middle of the box, as floats."""
        twice = 2 * self.offset.astype(object) + self.matrix.astype(object) @ (
            self.low.astype(object) + self.high.astype(object)
        )
        return np.array([_float(int(v), self.fine + self.coarse + 1) for v in twice])

    @property
    def box(self) -> tuple[Vector, Vector]:
        """Ends of the box."""
        return np.ldexp(self.low.astype(float), -self.coarse), np.ldexp(
            self.high.astype(float), -self.coarse
        )

    def clamped(self, d: Vector) -> NDArray[np.int64]:
        """The private entries, rounded to the grid and clamped to the box, as integers."""
        low, high = self.box
        return np.clip(
            np.rint(np.ldexp(np.clip(d, low, high), self.coarse)), self.low, self.high
        ).astype(np.int64)

    def at(self, d: Vector) -> NDArray[Any]:
        """The integers of y at the private entries d."""
        u = self.clamped(d)
        return self.offset + self.matrix @ (u if self.matrix.dtype != object else u.astype(object))

    def on_grid(self, d: Vector, k: int) -> Vector:
        """Y at the private entries d, on the grid 2^k (rounded half up), as exact floats."""
        y, shift = self.at(d), self.fine + self.coarse + k
        if shift <= 0:
            steps = [int(v) << -shift for v in y]
        elif y.dtype == object:
            steps = [(int(v) + (1 << (shift - 1))) >> shift for v in y]
        else:
            steps = ((y >> (shift - 1)) + 1 >> 1).tolist() if shift < 63 else [0] * len(y)
        return np.array([math.ldexp(step, k) for step in steps])

    def bound(self) -> float:
        """A bound on |y| over the box."""
        ends = np.maximum(np.abs(self.low), np.abs(self.high)).astype(object)
        total = np.abs(self.offset.astype(object)) + np.abs(self.matrix.astype(object)) @ ends
        return max((_float(int(v), self.fine + self.coarse, up=True) for v in total), default=0.0)

    def steps(self, alpha: float) -> list[int]:
        """How far neighbours lie apart in each entry, at most, in steps of the grid of d."""
        most = math.floor(Fraction(alpha) * Fraction(2) ** self.coarse) + 1
        return [min(most, int(b - a)) for a, b in zip(self.low, self.high, strict=True)]

    def sensitivity(self, alpha: float, order: int, k: int) -> float:
        """The largest distance of y on the grid 2^k between neighbours, rounded up.

        In the l1 norm (order 1) or the l2 norm (order 2).
        """
        best = Fraction(0)
        for j, step in enumerate(self.steps(alpha)):
            column = [abs(int(v)) * step for v in self.matrix[:, j]]
            size = sum(column) if order == 1 else sum(v * v for v in column)
            best = max(best, Fraction(size))
        unit = Fraction(2) ** -(self.fine + self.coarse)
        p, cell = len(self.offset), Fraction(2) ** k
        if order == 1:
            return round_up(best * unit + p * cell)
        root = math.isqrt(int(best)) + 1
        return round_up(root * unit + (math.isqrt(p) + 1) * cell)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: integers as they are."""
        return {
            "matrix": [[int(v) for v in row] for row in self.matrix],
            "offset": [int(v) for v in self.offset],
            "low": [int(v) for v in self.low],
            "high": [int(v) for v in self.high],
            "fine": self.fine,
            "coarse": self.coarse,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> FixedMap:
        """The map that `to_dict` wrote."""
        matrix = [[int(v) for v in row] for row in data["matrix"]]
        low, high = ([int(v) for v in data[name]] for name in ("low", "high"))
        offset = [int(v) for v in data["offset"]]
        most = max((abs(v) for v in (*low, *high)), default=0)
        total = [
            abs(y) + sum(abs(v) for v in row) * most for y, row in zip(offset, matrix, strict=True)
        ]
        kind: Any = np.int64 if max(total, default=0) < 2**_BITS else object
        return cls(
            np.array(matrix, dtype=kind).reshape(len(offset), len(low)),
            np.array(offset, dtype=kind),
            np.array(low, dtype=np.int64),
            np.array(high, dtype=np.int64),
            int(data["fine"]),
            int(data["coarse"]),
        )


def _float(value: int, exponent: int, *, up: bool = False) -> float:
    """An integer over a power of two as a float, the nearest or one not below."""
    exact = Fraction(value) / Fraction(2) ** exponent
    return round_up(exact) if up else float(exact)
