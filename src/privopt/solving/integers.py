"""Floats as whole numbers over a power of two, and linear systems solved in whole numbers.

    H x = right,   H positive definite,   x = numerators / determinant        (Bareiss 1968)

Elimination without fractions: every number that appears is a minor of H, so every division is
exact. The pivots are leading principal minors of H, all positive: no pivot search is needed.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Whole", "solved", "whole_numbers"]

Whole: TypeAlias = NDArray[Any]  # Python's integers, of any size


def whole_numbers(values: NDArray[np.float64]) -> tuple[Whole, int]:
    """Integers and a shift with values = integers / 2^shift, exactly."""
    ratios = [float(value).as_integer_ratio() for value in values.ravel()]
    shift = max((below.bit_length() - 1 for _, below in ratios), default=0)
    integers = np.empty(len(ratios), dtype=object)
    integers[:] = [above << (shift - below.bit_length() + 1) for above, below in ratios]
    return integers.reshape(values.shape), shift


def solved(H: Whole, right: Whole) -> tuple[Whole, int]:
    """Numerators and determinant of the solution of H x = right; H symmetric."""
    k = len(right)
    table = np.empty((k, k + 1), dtype=object)
    table[:, :k], table[:, k] = H, right
    last = 1
    for i in range(k - 1):
        pivot, row = table[i, i], table[i]
        for j in range(i + 1, k):  # the table stays symmetric: the upper half is enough
            table[j, j:] = (table[j, j:] * pivot - row[j] * row[j:]) // last
        last = pivot
    numerators = np.zeros(k, dtype=object)
    determinant = int(table[k - 1, k - 1]) if k else 1
    for i in range(k - 1, -1, -1):
        rest = table[i, i + 1 : k] @ numerators[i + 1 :] if i + 1 < k else 0
        numerators[i] = (determinant * table[i, k] - rest) // table[i, i]
    return numerators, determinant
