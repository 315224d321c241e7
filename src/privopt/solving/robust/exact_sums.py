"""Sums of products of floats as exact fractions, and a worst case over a region that they prove.

    M'y,   a'b                                 every float is a whole number over a power of two
    max over U of s'(u - middle)  <=  sum_j half_j |s_j - m'W e_j| + m^+'high - m^-'low

Nothing is rounded. The bound holds for every m (`region`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Sparse, Vector
from privopt.solving.integers import Whole, whole_numbers
from privopt.solving.robust.region import Region
from privopt.solving.sparse import places

__all__ = ["dot", "dyadic_numbers", "transposed", "worst_case"]


def dot(a: Vector, b: Vector) -> Fraction:
    """A'b."""
    left, one = whole_numbers(np.asarray(a, dtype=float))
    right, other = whole_numbers(np.asarray(b, dtype=float))
    return Fraction(int(left @ right) if len(a) else 0, 1 << (one + other))


def transposed(M: Sparse, y: Vector) -> list[Fraction]:
    """M'y, one fraction for each column."""
    entries, one = whole_numbers(M.data)
    values, other = whole_numbers(np.asarray(y, dtype=float))
    total = np.zeros(M.shape[1], dtype=object)
    np.add.at(total, M.indices, entries * values[places(M)])
    below = 1 << (one + other)
    return [Fraction(int(value), below) for value in total]


def dyadic_numbers(values: Sequence[Fraction]) -> tuple[Whole, int]:
    """Integers and a shift with values = integers / 2^shift; denominators are powers of two."""
    shift = max((value.denominator.bit_length() - 1 for value in values), default=0)
    found = np.empty(len(values), dtype=object)
    found[:] = [value.numerator << (shift - value.denominator.bit_length() + 1) for value in values]
    return found, shift


def worst_case(slope: Sequence[Fraction], m: Vector, region: Region) -> Fraction:
    """What slope'(u - middle) is at most over a region, by multipliers m of its slabs."""
    slabs = transposed(sp.csr_array(region.W), m) if len(m) else [Fraction(0)] * len(slope)
    total = Fraction(0)
    for s, slab, half in zip(slope, slabs, region.half, strict=True):
        total += abs(s - slab) * Fraction(float(half))
    for one, low, high in zip(m, region.low, region.high, strict=True):
        total += Fraction(float(one)) * Fraction(float(high if one > 0 else low))
    return total
