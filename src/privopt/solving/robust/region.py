"""Where private data can lie, a box and slabs, and the worst case of a linear function over it.

    U = { u : |u_j - middle_j| <= half_j,  low <= W (u - middle) <= high }

    max a'(u - middle) over U
        = min over m of  sum_j half_j |a_j - m'W e_j| + sum_k (m_k^+ high_k - m_k^- low_k)

with m^+ and m^- the positive and negative parts of m, by linear programming duality. *Every* m
gives an upper bound, so a bound is proven by its m, whatever found it. Where rows of W share no
entry each m_k is a weighted median: a sort, exact. Elsewhere HiGHS finds them. An end that is
infinite, or beyond what the box allows, is brought to where the box ends: nothing changes but that
it is a number.

Over an empty U the dual falls without end and everything would be certified: `empty` is asked
first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.highs import WarmLP

__all__ = ["Region"]

_UNIT = 2.0**-52  # twice what one operation on floats can be wrong by, relatively
_HALF = 0.5  # the mantissa of a power of two


@dataclass(frozen=True, repr=False, eq=False)
class Region:
    """A box around its middle, and slabs of W (u - middle).

    Attributes
    ----------
    middle, half
        Middle and half-widths of the box.
    W, low, high
        The slabs: rows that are sums of several entries.
    """

    middle: Vector
    half: Vector
    W: Dense
    low: Vector
    high: Vector

    @classmethod
    def of(cls, lower: Vector, upper: Vector, W: Dense, low: Vector, high: Vector) -> Region:
        """The box `lower` to `upper` and slabs low <= W u <= high.

        A row of W with one entry is a bound of the box. Every such u lies in the region exactly:
        what floats round is rounded outwards.
        """
        lower, upper = lower.copy(), upper.copy()
        entries = np.count_nonzero(W, axis=1)
        for k in np.flatnonzero(entries == 1):
            j = int(np.flatnonzero(W[k])[0])
            ends = sorted((low[k] / W[k, j], high[k] / W[k, j]))
            if abs(np.frexp(W[k, j])[0]) != _HALF:  # no power of two: the quotients were rounded
                ends = [np.nextafter(ends[0], -np.inf), np.nextafter(ends[1], np.inf)]
            lower[j], upper[j] = max(lower[j], ends[0]), min(upper[j], ends[1])
        middle = 0.5 * lower + 0.5 * upper
        half = np.maximum(_difference(upper, middle), _difference(middle, lower))
        W, low, high = (part[entries > 1] for part in (W, low, high))
        wrong = (len(middle) + 4) * _UNIT
        reach, at = np.abs(W) @ half * (1 + wrong), W @ middle
        off = wrong * (np.abs(W) @ np.abs(middle))
        low = np.maximum(low - at - off - wrong * np.abs(low), -reach)
        high = np.minimum(high - at + off + wrong * np.abs(high), reach)
        return cls(middle, half, W, low, high)

    @cached_property
    def disjoint(self) -> bool:
        """Whether rows of W share no entry."""
        return bool((np.count_nonzero(self.W, axis=0) <= 1).all())

    @cached_property
    def empty(self) -> bool:
        """Whether there is no such u."""
        if (self.half < 0).any():
            return True
        if (self.low > self.high).any():
            return True
        return not self.disjoint and self._lp.solve() is None

    def holds(self, u: Dense) -> NDArray[np.bool_]:
        """Which rows of u lie in the region."""
        off = u - self.middle
        sums = off @ self.W.T
        inside = (np.abs(off) <= self.half).all(axis=1)
        return np.asarray(inside & (sums >= self.low).all(axis=1) & (sums <= self.high).all(axis=1))

    def bound(self, a: Dense, m: Dense) -> Vector:
        """The upper bound of a'(u - middle) that multipliers m prove, for each row of a and m."""
        slabs = np.maximum(m, 0.0) @ self.high + np.minimum(m, 0.0) @ self.low
        return np.abs(a - m @ self.W) @ self.half + slabs

    def support(self, a: Dense) -> tuple[Vector, Dense]:
        """The largest a'(u - middle) for each row of a, and the multipliers that prove it.

        Where rows of W overlap, to the tolerance of a solver; the bound is one for its multipliers.
        """
        m = np.zeros((len(a), len(self.W)))
        if self.disjoint:
            for k in range(len(self.W)):
                self._least(a, m, k)
            return self.bound(a, m), m
        box = self.bound(a, m)
        for i in np.flatnonzero(box):
            worth = a[i] * self.half
            size = float(np.abs(worth).max())
            answer = self._lp.minimise(-worth / size)
            if answer is not None and len(answer.dual):
                m[i] = -answer.dual * size / self._reach
        value = self.bound(a, m)
        m[value > box] = 0.0  # the solver came to nothing: the box alone bounds it
        return np.minimum(value, box), m

    def _least(self, a: Dense, m: Dense, k: int) -> None:
        """Make m_k the best one, for each row of a: no other row of W has its entries.

        The bound is convex and piecewise linear in m_k: kinks where a_j - m_k W_kj is zero, and at
        zero from low_k to high_k. It is least where its slope changes sign.
        """
        used = np.flatnonzero(self.W[k])
        weight = self.W[k, used]
        kinks = np.concatenate([a[:, used] / weight, np.zeros((len(a), 1))], axis=1)
        steps = np.append(2 * self.half[used] * np.abs(weight), self.high[k] - self.low[k])
        start = self.low[k] - self.half[used] @ np.abs(weight)
        order = np.argsort(kinks, axis=1, kind="stable")
        slope = start + np.cumsum(steps[order], axis=1)
        first = np.argmax(slope >= 0, axis=1)
        rows = np.arange(len(a))
        m[:, k] = kinks[rows, order[rows, first]]

    @cached_property
    def _reach(self) -> Vector:
        """How far each row of W gets within the box; 1 where it does not move."""
        reach = np.abs(self.W) @ self.half
        return np.where(reach > 0, reach, 1.0)

    @cached_property
    def _lp(self) -> WarmLP:
        """The largest a'(u - middle) as a linear program, in units of box and slabs."""
        one = np.ones(len(self.half))
        rows: Any = sp.csr_array(self.W * self.half / self._reach[:, None])
        low, high = self.low / self._reach, self.high / self._reach
        return WarmLP(np.zeros(len(one)), rows, low, high, -one, one)


def _difference(a: Vector, b: Vector) -> Vector:
    """The float a - b, or the next one where that was rounded down (Knuth's two-sum)."""
    found = a - b
    back = found - a
    rest = (a - (found - back)) - (b + back)
    return np.where(rest > 0, np.nextafter(found, np.inf), found)
