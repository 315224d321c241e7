"""A certificate looked at again, in exact fractions and without a solver.

For every u with |u_j - middle_j| <= half_j and low <= W (u - middle) <= high, the solution
z = z0 + K (u - middle) has

    A_i z <= A_i z0 + sum_j half_j |A_i K e_j - m_i'W e_j| + m_i^+'high - m_i^-'low      (margin)
    |G_k z - t_k(u)| <= |G_k z0 - t_k(middle)| + sum_j half_j |G_k K e_j - F_kj|         (off)

whatever m is. So rows hold exactly where the margin is at most b_i, and equalities to within `off`.
Released values are equalities, too: S z0 = q and S K = 0 are rows of G whose F is zero. Floats are
fractions: nothing is rounded here. A row whose float margin is below its limit by more than floats
can be wrong is not computed a second time. Numbers that are none prove nothing.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.scalars import round_up
from privopt.solving.integers import whole_numbers
from privopt.solving.robust.region import Region
from privopt.solving.sparse import absolute

__all__ = ["Checked", "check", "upwards"]

_UNIT = 2.0**-52  # twice what one operation on floats can be wrong by, relatively
_TINY = 1e-290  # more than products below the smallest float add up to
_ROUNDING = 1e-9  # of the size of an equality: what rounding may leave of it
_MORE = 8  # operations beyond the products of a sum


@dataclass(frozen=True)
class Checked:
    """How far rows and equalities are kept, all u of the region considered.

    Attributes
    ----------
    excess
        The largest margin_i - b_i, rounded up; at most zero: every row holds.
    off
        The largest violation of an equality relative to its size, rounded up. Its size is
        |t_k| + |G_k| |z0|, and half of what the region adds to both. Rows that equalities imply
        count here, too.
    """

    excess: float
    off: float

    @property
    def balanced(self) -> bool:
        """Whether the equalities hold, up to what rounding may leave of them."""
        return self.off <= _ROUNDING

    @property
    def holds(self) -> bool:
        """Whether the certificate does: every row, and the equalities.

        These are judged beside the size of z0. A z0 that someone made up can be so large, where
        nothing bounds it, that this shows nothing.
        """
        return self.excess <= 0 and self.balanced


def check(
    A: Sparse,
    b: Vector,
    G: Sparse,
    target: Vector,
    F: Sparse,
    z0: Vector,
    K: Dense,
    m: Dense,
    region: Region,
    implied: tuple[Sparse, Vector] | None = None,
) -> Checked:
    """Look at every row and every equality.

    Parameters
    ----------
    A, b, G
        Rows and equalities of the program.
    target, F
        Right-hand side of the equalities at the middle of the region, and how it follows u.
    z0, K, m
        The certificate: one row of m for each row of A.
    implied
        Further rows and their limits, which follow from the equalities up to rounding.
    """
    if not all(np.isfinite(part).all() for part in (z0, K, m)):
        return Checked(np.inf, np.inf)
    exact = _Exact(z0, K, region)
    off = exact.off(G, np.column_stack([target, F.toarray()]))
    with np.errstate(over="ignore", invalid="ignore"):
        most = _in_floats(A, b, z0, K, m, region)
    worst = float(most.max(initial=-np.inf, where=most < 0))
    for i in np.flatnonzero(~(most < 0)):  # NaN, too: floats could not tell
        row = slice(A.indptr[i], A.indptr[i + 1])
        margin = exact.margin(A.data[row], A.indices[row], m[i])
        worst = max(worst, upwards(margin - Fraction(float(b[i]))))
    if implied is not None:
        off = max(off, exact.over(*implied))
    return Checked(worst, off)


def _in_floats(A: Sparse, b: Vector, z0: Vector, K: Dense, m: Dense, region: Region) -> Vector:
    """What margin_i - b_i is at most, from floats and all that they can be wrong by."""
    margin = np.asarray(A @ z0) + region.bound(np.asarray(A @ K), m)
    size = np.asarray(absolute(A) @ np.abs(z0)) + np.abs(margin) + np.abs(b)
    size += (np.asarray(absolute(A) @ np.abs(K)) + np.abs(m) @ np.abs(region.W)) @ region.half
    size += np.abs(m) @ np.maximum(np.abs(region.low), np.abs(region.high))
    entries = np.diff(A.indptr) + len(region.W) + len(region.half) + _MORE
    return margin - b + (2 * entries * entries * _UNIT * size + _TINY)


class _Exact:
    """Sums of products in whole numbers over a power of two, for all columns of K at once.

    The solution at the middle is one column more, with weight one beside the half-widths.
    """

    def __init__(self, z0: Vector, K: Dense, region: Region) -> None:
        self._region = region
        self._solution, self._shift = whole_numbers(np.column_stack([z0, K]))
        self._weights, self._below = whole_numbers(np.append(1.0, region.half))

    def margin(self, data: Vector, columns: NDArray[np.integer], m: Vector) -> Fraction:
        """The margin of one row."""
        a, below = whole_numbers(data)
        multipliers, m_below = whole_numbers(m)
        W, W_below = whole_numbers(self._region.W)
        most = max(self._shift + below, m_below + W_below)
        slopes = (a @ self._solution[columns]) << (most - self._shift - below)
        slopes[1:] -= (multipliers @ W) << (most - m_below - W_below)
        total = slopes[0] * self._weights[0] + np.abs(slopes[1:]) @ self._weights[1:]
        margin = Fraction(int(total), 1 << (most + self._below))
        for multiplier, low, high in zip(m, self._region.low, self._region.high, strict=True):
            margin += Fraction(float(multiplier)) * Fraction(float(high if multiplier > 0 else low))
        return margin

    def off(self, G: Sparse, wanted: Dense) -> float:
        """The largest violation of an equality relative to its size.

        `wanted` has the right-hand side at the middle, then how it follows each column.
        """
        worst = 0.0
        right, right_below = whole_numbers(wanted)
        for k in range(G.shape[0]):
            row = slice(G.indptr[k], G.indptr[k + 1])
            a, below = whole_numbers(G.data[row])
            most = max(self._shift + below, right_below)
            terms = a[:, None] * self._solution[G.indices[row]] << (most - self._shift - below)
            due = right[k] << (most - right_below)
            left = np.abs(terms.sum(axis=0) - due) @ self._weights
            if left:  # then size is positive
                sizes = (np.abs(terms).sum(axis=0) + np.abs(due)) * self._weights
                twice = 2 * sizes[0] + sizes[1:].sum()
                worst = max(worst, upwards(Fraction(2 * int(left), int(twice))))
        return worst

    def over(self, A: Sparse, b: Vector) -> float:
        """The largest violation of a row relative to its size: |b_i| + |A_i| |z0|."""
        worst, none = 0.0, np.zeros(len(self._region.W))
        for i in np.flatnonzero(np.diff(A.indptr)):
            row = slice(A.indptr[i], A.indptr[i + 1])
            data, columns = A.data[row], A.indices[row]
            limit = Fraction(float(b[i]))
            left = self.margin(data, columns, none) - limit
            if left > 0:
                a, below = whole_numbers(data)
                size = int(np.abs(a) @ np.abs(self._solution[columns, 0]))
                whole = abs(limit) + Fraction(size, 1) / Fraction(2) ** (below + self._shift)
                worst = max(worst, upwards(left / whole) if whole else math.inf)
        return worst


def upwards(value: Fraction) -> float:
    """The float not below a fraction."""
    try:
        return round_up(value)
    except OverflowError:
        return math.inf if value > 0 else -sys.float_info.max
