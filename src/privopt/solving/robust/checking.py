"""A certificate proven by arithmetic, without a solver.

For every u with |u_j - middle_j| <= half_j and low <= W (u - middle) <= high, the solution
z = z0 + K (u - middle) has

    A_i z <= A_i z0 + sum_j half_j |A_i K e_j - m_i'W e_j| + m_i^+'high - m_i^-'low      (margin)

whatever m is. Floats cannot keep an equality to the last bit. So it is shown that a solution that
keeps all of them exactly is near, at most `shift` away in each variable, and a row is proven where
its margin is at most b_i - |A_i| shift. Released values are equalities, too: S z0 = q, S K = 0.

Floats are fractions. A row that floats and all that they can be wrong by do not decide is computed
in whole numbers: nothing is rounded. Numbers beyond 1e100, or below 1e-100 and not zero, prove
nothing: products of theirs may be none.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.scalars import round_up
from privopt.solving.directions import Positions
from privopt.solving.equilibration import largest_of_rows, scaled
from privopt.solving.integers import whole_numbers
from privopt.solving.projector import Projector
from privopt.solving.rank import independent_rows
from privopt.solving.robust.region import Region
from privopt.solving.sparse import absolute, taken

__all__ = ["Checked", "Equalities", "check", "powers"]

_UNIT = 2.0**-52  # twice what one operation on floats can be wrong by, relatively
_TINY = 1e-290  # more than products below the smallest float add up to
_MORE = 8  # operations beyond the products of a sum
_UP = 1 + 1e-9  # more than the last few operations on a bound can be wrong by
_CONSISTENT = 1e-12  # relative: equalities that differ by less from what others imply repeat them
_LARGE = 1e100  # products of three numbers up to it, and of their inverses, are numbers
_SQUARES = 10.0 ** -np.arange(0, 13)  # of the least singular value: what is tried to be proven
_ROWS = 512  # of a part of A


@dataclass(frozen=True)
class Checked:
    """How far rows and equalities are kept, all u of the region considered.

    Attributes
    ----------
    excess
        The largest A_i z - b_i, rounded up, for the exact solution z that is near the stated one.
    off
        How far that is from it at most, in units in which the program's variables have one size;
        infinite where none could be shown to exist.
    """

    excess: float
    off: float

    @property
    def holds(self) -> bool:
        """Whether the certificate does: an exact solution keeps every row, at every u."""
        return self.excess <= 0


@dataclass(frozen=True, eq=False, repr=False)
class Equalities:
    """Equalities C z = target + F (u - middle).

    `columns` are sizes of the variables, any powers of two: they decide how sharp bounds are.
    """

    C: Sparse
    target: Vector
    F: Sparse
    columns: Vector

    def off(self, z0: Vector, K: Sparse, half: Vector) -> float:
        """How far an exact solution is from z0 + K (u - middle) at most, for any u.

        With C scaled to independent rows of about one, the least change that makes up for a
        residual r has at most the norm |r| / s, where C C' - s^2 I is positive definite. That is
        what a Cholesky factorisation proves that comes to its end, once what rounding can do is
        taken off the diagonal (Rump 2006). Infinite where nothing can be proven, or where
        equalities that depend on others contradict them by more than rounding of data.
        """
        factor = 1 / powers(largest_of_rows(self.C, self.columns))
        C = scaled(self.C, self.columns, factor)
        first = independent_rows(Projector(C))
        rows, count = taken(C, first), len(first)
        gram = (rows @ rows.T).toarray()
        sums: Any = (absolute(rows) @ absolute(rows).T).sum(axis=1)
        entries = int(np.diff(rows.indptr).max(initial=0))
        wrong = (entries + _MORE) * _UNIT * float(np.max(sums, initial=0.0))
        wrong += (count + _MORE) * _UNIT * float(np.trace(gram))
        least = next((s for s in _SQUARES if _definite(gram, s + wrong)), 0.0)
        residual = (factor * self._residual(z0, K, half))[first]
        if not least or not self._consistent(C, first, factor, half):
            return math.inf
        return _UP * float(np.linalg.norm(residual)) / math.sqrt(least)

    def _residual(self, z0: Vector, K: Sparse, half: Vector) -> Vector:
        """The largest |C z - target - F (u - middle)| over the box, rounded up."""
        left = np.abs(self.C @ z0 - self.target) + absolute(self.C @ K - self.F) @ half
        size = absolute(self.C) @ (np.abs(z0) + absolute(K) @ half)
        size += np.abs(self.target) + absolute(self.F) @ half
        entries = np.diff(self.C.indptr) + len(half) + _MORE
        return np.asarray(left + (2 * entries * _UNIT * size + _TINY))

    def _consistent(self, C: Sparse, first: Positions, factor: Vector, half: Vector) -> bool:
        """Whether equalities that depend on the `first` say the same, up to rounding of data."""
        others = np.setdiff1d(np.arange(C.shape[0]), first)
        if not len(others):
            return True
        rows, rest = taken(C, first), taken(C, others).toarray()
        follows: Any = self.F @ sp.diags_array(half)
        data = factor[:, None] * np.column_stack([self.target, follows.toarray()])
        L = np.linalg.lstsq(rows.toarray().T, rest.T)[0].T
        L = np.where(np.abs(L) > _CONSISTENT, L, 0.0)
        due = np.abs(data[others]) + np.abs(L) @ np.abs(data[first])
        same = np.abs(rest - L @ rows) <= _CONSISTENT
        agree = np.abs(data[others] - L @ data[first]) <= _CONSISTENT * due.sum(1, keepdims=True)
        return bool(same.all() and agree.all())


def check(
    A: Sparse,
    b: Vector,
    equalities: Equalities,
    z0: Vector,
    K: Sparse,
    m: Dense,
    region: Region,
    rounding: Callable[[Vector], Vector | float] = lambda _: 0.0,
) -> Checked:
    """Look at every row and every equality.

    Parameters
    ----------
    A, b, equalities
        The program.
    z0, K, m
        The certificate: one row of m for each row of A.
    rounding
        How far floats may have moved each row, at solutions z with |z| <= its argument.
    """
    of_region = (region.half, region.W, region.low, region.high)
    of_program = (A.data, b, equalities.C.data, equalities.target, equalities.F.data)
    for part in (z0, K.data, m, *of_region, *of_program):
        size = np.abs(part[part != 0])
        if not ((size >= 1 / _LARGE) & (size <= _LARGE)).all():  # NaN, too
            return Checked(np.inf, np.inf)
    with np.errstate(over="ignore", invalid="ignore"):
        off = equalities.off(z0, K, region.half)
        if not off < np.inf:
            return Checked(np.inf, np.inf)
        shift = off * equalities.columns
        size = np.abs(z0) + absolute(K) @ region.half + shift
        b = b - _UP * (absolute(A) @ shift) - rounding(size)
        most = _in_floats(A, b, z0, K, m, region)
    worst = float(most.max(initial=-np.inf, where=most < 0))
    undecided = np.flatnonzero(~(most < 0))  # NaN, too: floats could not tell
    if len(undecided):
        exact = _Exact(z0, K, region)
        for i in undecided:
            margin = exact.margin(taken(A, np.array([i])), m[i])
            worst = max(worst, _upwards(margin - Fraction(float(b[i]))))
    return Checked(worst, off)


def powers(sizes: Vector) -> Vector:
    """The powers of two nearest to some sizes: to scale by them rounds nothing."""
    return np.asarray(np.exp2(np.round(np.log2(sizes))), dtype=float)


def _definite(gram: Dense, less: float) -> bool:
    """Whether a matrix is positive definite with so much less on its diagonal."""
    try:
        np.linalg.cholesky(gram - less * np.eye(len(gram)))
    except np.linalg.LinAlgError:
        return False
    return True


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
    """Margins of rows in whole numbers over a power of two.

    The solution at the middle is a first column, with weight one beside the half-widths.
    """

    def __init__(self, z0: Vector, K: Sparse, region: Region) -> None:
        self._region = region
        self._solution: Any = sp.hstack([sp.csr_array(z0[:, None]), K], format="csr")
        self._data, self._shift = whole_numbers(self._solution.data)
        self._W, self._W_shift = whole_numbers(region.W)
        self._weights, self._below = whole_numbers(np.append(1.0, region.half))

    def margin(self, row: Sparse, m: Vector) -> Fraction:
        """The margin of one row."""
        a, below = whole_numbers(row.data)
        multipliers, m_below = whole_numbers(m)
        slopes = np.zeros(len(self._weights), dtype=object)
        for value, j in zip(a, row.indices, strict=True):
            own = slice(*self._solution.indptr[j : j + 2])
            slopes[self._solution.indices[own]] += value * self._data[own]
        most = max(self._shift + below, m_below + self._W_shift)
        slopes <<= most - self._shift - below
        slopes[1:] -= (multipliers @ self._W) << (most - m_below - self._W_shift)
        total = slopes[0] * self._weights[0] + np.abs(slopes[1:]) @ self._weights[1:]
        margin = Fraction(int(total), 1 << (most + self._below))
        for multiplier, low, high in zip(m, self._region.low, self._region.high, strict=True):
            margin += Fraction(float(multiplier)) * Fraction(float(high if multiplier > 0 else low))
        return margin


def _upwards(value: Fraction) -> float:
    """The float not below a fraction."""
    try:
        return round_up(value)
    except OverflowError:
        return math.inf if value > 0 else -sys.float_info.max
