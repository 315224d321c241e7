"""A certificate with a sparse gain looked at again, in exact fractions and without a solver.

What `checking` says of a dense one: with z = z0 + K (u - middle), for every u of the region,

    A_i z <= A_i z0 + sum_j half_j |A_i K e_j - m_i'W e_j| + m_i^+'high - m_i^-'low      (margin)
    |G_k z - t_k(u)| <= |G_k z0 - t_k(middle)| + sum_j half_j |G_k K e_j - F_kj|         (off)

Products of entries that are not there are zero, and are not made. The rest is whole numbers over
powers of two: nothing is rounded.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.integers import Whole, whole_numbers
from privopt.solving.robust.checking import Checked, upwards
from privopt.solving.robust.region import Region
from privopt.solving.sparse import absolute, places, taken

__all__ = ["check_sparse"]

_UNIT = 2.0**-52  # twice what one operation on floats can be wrong by, relatively
_TINY = 1e-290  # more than products below the smallest float add up to
_MORE = 8  # operations beyond the products of a sum
_ROWS = 512  # of a part of A


def check_sparse(
    A: Sparse,
    b: Vector,
    G: Sparse,
    target: Vector,
    F: Sparse,
    z0: Vector,
    K: Sparse,
    m: Dense,
    region: Region,
    implied: tuple[Sparse, Vector],
) -> Checked:
    """Look at every row and every equality; arguments as those of `checking.check`."""
    if not all(np.isfinite(part).all() for part in (z0, K.data, m)):
        return Checked(np.inf, np.inf)
    exact = _Exact(z0, K, region)
    off = exact.off(G, target, F)
    with np.errstate(over="ignore", invalid="ignore"):
        most = _in_floats(A, b, z0, K, m, region)
    worst = float(most.max(initial=-np.inf, where=most < 0))
    for i in np.flatnonzero(~(most < 0)):  # NaN, too: floats could not tell
        margin = exact.margin(taken(A, np.array([i])), m[i])
        worst = max(worst, upwards(margin - Fraction(float(b[i]))))
    return Checked(worst, max(off, exact.over(*implied)))


def _in_floats(A: Sparse, b: Vector, z0: Vector, K: Sparse, m: Dense, region: Region) -> Vector:
    """What margin_i - b_i is at most, from floats and all that they can be wrong by."""
    W: Any = sp.csr_array(region.W)
    ends = np.maximum(np.abs(region.low), np.abs(region.high))
    parts: list[Vector] = []
    for first in range(0, A.shape[0], _ROWS):
        at = slice(first, first + _ROWS)
        rows: Any = A[at]
        own: Any = sp.csr_array(m[at])
        slopes: Any = rows @ K
        bent: Any = slopes - own @ W
        slabs = np.maximum(m[at], 0.0) @ region.high + np.minimum(m[at], 0.0) @ region.low
        margin = np.asarray(rows @ z0) + np.asarray(abs(bent) @ region.half) + slabs
        size = np.asarray(absolute(rows) @ (np.abs(z0) + np.asarray(absolute(K) @ region.half)))
        size += np.asarray(abs(own) @ np.asarray(abs(W) @ region.half)) + np.abs(m[at]) @ ends
        size += np.abs(margin) + np.abs(b[at])
        entries = np.diff(rows.indptr) + np.diff(own.indptr) + np.diff(bent.indptr) + _MORE
        parts.append(margin - b[at] + (2 * entries * entries * _UNIT * size + _TINY))
    return np.concatenate(parts) if parts else np.zeros(0)


class _Exact:
    """Sums of products in whole numbers over a power of two.

    The solution at the middle is a first column, with weight one beside the half-widths.
    """

    def __init__(self, z0: Vector, K: Sparse, region: Region) -> None:
        self._region = region
        whole: Any = sp.hstack([sp.csr_array(z0[:, None]), K], format="csr")
        self._columns, self._ends = whole.indices.astype(np.intp), whole.indptr.astype(np.intp)
        self._data, self._shift = whole_numbers(whole.data)
        self._weights, self._below = whole_numbers(np.append(1.0, region.half))
        self._width = len(self._weights)

    def _products(self, M: Sparse) -> tuple[NDArray[np.intp], Whole, int]:
        """Row and column (as one number) and value of each product in M [z0, K]; their shift."""
        data, below = whole_numbers(M.data)
        length = np.diff(self._ends)[M.indices]
        row = np.repeat(places(M), length)
        start = np.repeat(self._ends[M.indices] - np.cumsum(length) + length, length)
        entry = np.arange(int(length.sum())) + start
        place = row * self._width + self._columns[entry]
        return place, np.repeat(data, length) * self._data[entry], self._shift + below

    def off(self, G: Sparse, target: Vector, F: Sparse) -> float:
        """The largest violation of an equality relative to its size."""
        place, terms, shift = self._products(G)
        whole: Any = sp.hstack([sp.csr_array(target[:, None]), F], format="csr")
        due: Sparse = sp.csr_array(whole)
        right, right_below = whole_numbers(due.data)
        most = max(shift, right_below)
        row = places(due)
        place = np.concatenate([place, row * self._width + due.indices])
        values = np.concatenate([terms << (most - shift), -(right << (most - right_below))])
        left, sizes = _summed(place, values), _summed(place, np.abs(values))
        total, size = (self._by_row(*part) for part in (left, sizes))
        first = {int(key) // self._width: value for key, value in zip(*sizes, strict=True)
                 if key % self._width == 0}  # fmt: skip
        worst = 0.0
        for k, value in total.items():
            if value:  # then its size is positive
                twice = size[k] + first.get(k, 0) * int(self._weights[0])
                worst = max(worst, upwards(Fraction(2 * int(value), int(twice))))
        return worst

    def _by_row(self, keys: NDArray[np.intp], values: Whole) -> dict[int, int]:
        """Absolute values times the weights of their columns, added up by rows."""
        rows, sums = _summed(
            keys // self._width, np.abs(values) * self._weights[keys % self._width]
        )
        return dict(zip(rows.tolist(), sums.tolist(), strict=True))

    def margin(self, row: Sparse, m: Vector) -> Fraction:
        """The margin of one row."""
        place, terms, shift = self._products(row)
        used = np.flatnonzero(m)
        slabs: Any = sp.csr_array(self._region.W[used])
        multipliers, m_below = whole_numbers(m[used])
        W, W_below = whole_numbers(slabs.data)
        most = max(shift, m_below + W_below)
        bent = np.repeat(multipliers, np.diff(slabs.indptr)) * W << (most - m_below - W_below)
        place = np.concatenate([place, slabs.indices.astype(np.intp) + 1])
        keys, sums = _summed(place, np.concatenate([terms << (most - shift), -bent]))
        first = keys == 0
        total = int(np.sum(np.abs(sums[~first]) * self._weights[keys[~first]]))
        total += int(np.sum(sums[first])) * int(self._weights[0])
        margin = Fraction(total, 1 << (most + self._below))
        for k in used:
            end = self._region.high[k] if m[k] > 0 else self._region.low[k]
            margin += Fraction(float(m[k])) * Fraction(float(end))
        return margin

    def over(self, A: Sparse, b: Vector) -> float:
        """The largest violation of a row relative to its size: |b_i| + |A_i| |z0|."""
        worst, none = 0.0, np.zeros(len(self._region.W))
        for i in np.flatnonzero(np.diff(A.indptr)):
            row = taken(A, np.array([i]))
            limit = Fraction(float(b[i]))
            left = self.margin(row, none) - limit
            if left > 0:
                place, terms, shift = self._products(row)
                size = int(np.sum(np.abs(terms[place == 0])))
                whole = abs(limit) + Fraction(size, 1) / Fraction(2) ** shift
                worst = max(worst, upwards(left / whole) if whole else math.inf)
        return worst


def _summed(keys: NDArray[np.intp], values: Whole) -> tuple[NDArray[np.intp], Whole]:
    """The keys that there are, in order, and the sum of the values of each."""
    if not len(keys):
        return keys, values
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    first = np.flatnonzero(np.concatenate([[True], np.diff(keys) > 0]))
    return keys[first], np.add.reduceat(values, first)
