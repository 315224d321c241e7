"""An affine map of private data in exact integers: what makes a measurement's epsilon provable.

    y = offset + M u,    u = d rounded to the grid 2^-c and clamped to a public box

M, the offset and the ends of the box are integers over powers of two, fixed from public data. Every
step is exact: no rounding depends on d but the rounding of d itself. Floats d_j, d'_j that differ
by at most alpha_j (`Neighbours.widened`: a little more than the curator's alpha) have rounded
entries that differ by at most steps_j = floor(alpha_j 2^c) + 1, or by the width of the box, and
neighbours, which differ in the entries of one owner o, have

    each     ||y - y'|| <= max_o || sum over j in o of |M_j| steps_j || 2^-c
    total    ||y - y'|| <= max_o ( max over j in o of ||M_j|| alpha_j
                                   + sum over j in o of ||M_j|| (2^-c + what conversion moves) )

exactly, in the norm asked for: absolute values, so that no two changes cancel. Where each entry has
an owner of its own, both are max_j ||M_j|| steps_j 2^-c; a total is never beyond the bound for
each. `on_grid` rounds y to a grid 2^k, which adds at most one step a value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.noise.neighbours import Neighbours, widened
from privopt.plain import integer, integers, listed
from privopt.scalars import dyadic, integer_norm, round_up

__all__ = ["FixedMap"]

_FINE = 40  # the grid of d is 2^-40 of alpha,
_COARSE = 24  # or coarser, where d is far from zero: at most 2^-24 of it
_BITS = 62  # of a sum that stays exact in 64-bit integers
_PRECISION = 48  # bits of M
_LARGEST = 2**53  # ends of the box, in steps: below it they are floats too
_DEEPEST = 2**12  # exponents of the grids; those of floats lie within


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
        """The map nearest to y = start + gain (d - middle of the box), the box rounded inwards.

        `alpha`, the smallest there is, decides on the grid. A box so far from zero that d is
        coarse there against it is refused.
        """
        widened(alpha, lower, upper)  # so the ends, in steps, are below 2^53
        reach = max((abs(float(end)) for end in (*lower, *upper)), default=0.0)
        wide = math.frexp(reach / alpha)[1]
        coarse = max(_COARSE, min(_FINE, 52 - wide)) - math.floor(math.log2(alpha))
        low, high = _inwards(lower, upper, coarse)
        size = float(np.abs(gain).max(initial=0.0))
        top = math.frexp(size)[1] if size else 0  # |gain| < 2^top
        fine = _PRECISION - top
        matrix = [[round(Fraction(float(v)) * Fraction(2) ** fine) for v in row] for row in gain]
        middle = [(a + b) for a, b in zip(low, high, strict=True)]  # twice the middle
        offset = [
            round(Fraction(float(y)) * Fraction(2) ** (fine + coarse))
            - sum(m * u for m, u in zip(row, middle, strict=True)) // 2
            for y, row in zip(start, matrix, strict=True)
        ]
        return cls._of(matrix, offset, low, high, fine, coarse)

    @classmethod
    def _of(
        cls, matrix: list[list[int]], offset: list[int], low: list[int], high: list[int],
        fine: int, coarse: int,
    ) -> FixedMap:  # fmt: skip
        return cls(
            np.array(matrix, dtype=object).reshape(len(offset), len(low)),
            np.array(offset, dtype=object),
            np.array(low, dtype=np.int64),
            np.array(high, dtype=np.int64),
            fine,
            coarse,
        )

    @property
    def gain(self) -> Dense:
        """M as floats (exact while its entries have at most 53 bits)."""
        found = [math.ldexp(int(v), -self.fine) for v in self.matrix.ravel()]
        return np.array(found, dtype=float).reshape(self.matrix.shape)

    @property
    def middle(self) -> Vector:
        """Y at the middle of the box, as floats."""
        twice = 2 * self.offset + self.matrix @ (self.low.astype(object) + self.high.astype(object))
        return np.array([dyadic(int(v), self.fine + self.coarse + 1) for v in twice])

    @property
    def box(self) -> tuple[Vector, Vector]:
        """Ends of the box."""
        return np.ldexp(self.low.astype(float), -self.coarse), np.ldexp(
            self.high.astype(float), -self.coarse
        )

    def clamps_to(self, lower: Vector, upper: Vector) -> bool:
        """Whether the box is that of these ends, on its grid."""
        return _inwards(lower, upper, self.coarse) == (self.low.tolist(), self.high.tolist())

    def clamped(self, d: Vector) -> NDArray[np.int64]:
        """The private entries, rounded to the grid and clamped to the box, as integers."""
        low, high = self.box
        steps = np.rint(np.ldexp(np.clip(d, low, high), self.coarse))
        return np.clip(steps, self.low, self.high).astype(np.int64)

    @cached_property
    def limbs(self) -> list[tuple[int, NDArray[Any]]]:
        """The matrix in slices of so few bits that their products with u stay exact in int64."""
        ends = max((abs(int(v)) for v in (*self.low, *self.high)), default=0)
        room = _BITS - ends.bit_length() - len(self.low).bit_length()
        if room < 1:  # many entries on a fine grid: integers of any size, slower
            return [(0, self.matrix)]
        rest, shift = self.matrix, 0
        found: list[tuple[int, NDArray[Any]]] = []
        while rest.any():
            part = rest & ((1 << room) - 1)  # never negative; what is left carries the sign
            found.append((shift, part.astype(np.int64)))
            rest, shift = rest >> room, shift + room
            if (rest == -1).any() and not ((rest != -1) & (rest != 0)).any():
                found.append((shift, rest.astype(np.int64)))
                break
        return found

    def at(self, d: Vector) -> NDArray[Any]:
        """The integers of y at the private entries d."""
        u = self.clamped(d)
        y = self.offset
        for shift, part in self.limbs:
            y = y + ((part @ u).astype(object) << shift)
        return y

    @cached_property
    def coarsest(self) -> int:
        """The finest grid on which every y of the box is a float."""
        return math.frexp(self.bound())[1] - 53

    def on_grid(self, d: Vector, k: int) -> Vector:
        """Y at the private entries d, on the grid 2^k (rounded half up), as exact floats.

        On a coarser grid where a float could not hold it.
        """
        k = max(k, self.coarsest)
        shift = self.fine + self.coarse + k
        if shift <= 0:
            steps = [int(v) << -shift for v in self.at(d)]
        else:
            steps = [(int(v) + (1 << (shift - 1))) >> shift for v in self.at(d)]
        return np.array([math.ldexp(step, k) for step in steps])

    def bound(self) -> float:
        """A bound on |y| over the box."""
        ends = np.maximum(np.abs(self.low), np.abs(self.high)).astype(object)
        total = np.abs(self.offset) + np.abs(self.matrix) @ ends
        return max((dyadic(int(v), self.fine + self.coarse, up=True) for v in total), default=0.0)

    def steps(self, relation: Neighbours) -> list[int]:
        """How far apart the floats of neighbours end in each entry, in steps of d's grid."""
        scale, ends = Fraction(2) ** self.coarse, zip(self.low, self.high, strict=True)
        return [
            min(math.floor(Fraction(alpha) * scale) + 1, int(high - low)) if alpha else 0
            for alpha, (low, high) in zip(relation.alphas(len(self.low)), ends, strict=True)
        ]

    def sensitivity(self, relation: Neighbours | float, order: int, k: int) -> float:
        """The largest distance of y on the grid 2^k between neighbours, as floats, rounded up.

        In the l1 norm (order 1) or the l2 norm (order 2). A number is the plain relation's alpha;
        ValueError if the relation is about another number of entries.
        """
        relation = relation if isinstance(relation, Neighbours) else Neighbours(relation)
        steps = self.steps(relation)
        unit = Fraction(2) ** -(self.fine + self.coarse)
        p, cell = len(self.offset), Fraction(2) ** max(k, self.coarsest)
        most = max(
            (self._apart(owner, steps, relation, order) for owner in relation.groups(len(steps))),
            default=Fraction(0),
        )
        return round_up(most * unit + (p if order == 1 else math.isqrt(p) + 1) * cell)

    def _apart(
        self, owner: list[int], steps: list[int], relation: Neighbours, order: int
    ) -> Fraction:
        """How far apart y is at most where one owner's entries differ, in its own unit."""
        own = [j for j in owner if steps[j]]
        columns = np.abs(self.matrix[:, own])
        each = integer_norm(columns @ np.array([steps[j] for j in own], dtype=object), order)
        if relation.change == "each":
            return each
        scale, alphas = Fraction(2) ** self.coarse, relation.alphas(len(steps))
        sizes = [integer_norm(columns[:, n], order) for n in range(len(own))]
        moved = [size * Fraction(alphas[j]) for size, j in zip(sizes, own, strict=True)]
        rounding = sum(sizes, Fraction(0)) * (1 + Fraction(relation.moved) * scale)
        return min(each, max(moved, default=Fraction(0)) * scale + rounding)

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
        """The map that `to_dict` wrote; ValueError if it is none."""
        matrix = [integers(row) for row in listed(data["matrix"])]
        low, high, offset = (integers(data[name]) for name in ("low", "high", "offset"))
        fine, coarse = (integer(data[name], -_DEEPEST, _DEEPEST) for name in ("fine", "coarse"))
        ends = [abs(v) for v in (*low, *high)]
        if (
            any(a > b for a, b in zip(low, high, strict=True))
            or max(ends) >= _LARGEST
            or max(ends).bit_length() - coarse > 1000  # no float
        ):
            raise ValueError
        return cls._of(matrix, offset, low, high, fine, coarse)


def _inwards(lower: Vector, upper: Vector, coarse: int) -> tuple[list[int], list[int]]:
    """Ends of a box on the grid 2^-coarse, in steps; a box thinner than the grid is a point."""
    low = [math.ceil(Fraction(float(end)) * Fraction(2) ** coarse) for end in lower]
    high = [math.floor(Fraction(float(end)) * Fraction(2) ** coarse) for end in upper]
    return [min(a, b) for a, b in zip(low, high, strict=True)], high
