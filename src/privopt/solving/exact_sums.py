"""Sums of products of floats as exact fractions.

M'y,   a'b        every float is a whole number over a power of two: nothing is rounded
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from privopt.arrays import Sparse, Vector
from privopt.solving.integers import Whole, whole_numbers
from privopt.solving.sparse import places

__all__ = ["dot", "dyadic_numbers", "transposed"]


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


def dyadic_numbers(values: list[Fraction]) -> tuple[Whole, int]:
    """Integers and a shift with values = integers / 2^shift; denominators are powers of two."""
    shift = max((value.denominator.bit_length() - 1 for value in values), default=0)
    found = np.empty(len(values), dtype=object)
    found[:] = [value.numerator << (shift - value.denominator.bit_length() + 1) for value in values]
    return found, shift
