"""The mean of the highest of some affine functions of one noise term: exact.

    f(x) = max_i (slope_i x + offset_i),       x symmetric about 0

f is a line that is highest at 0, and a kink for each breakpoint x_k of the upper envelope, where
the slope rises by r_k:

    f(x) = f(0) + slope(0) x + sum over x_k >= 0 of r_k max(x - x_k, 0)
                             + sum over x_k <  0 of r_k max(x_k - x, 0)
    E f  = f(0) + sum_k r_k overshoot(|x_k|),      overshoot(x) = E max(x' - x, 0)  (`noise.law`)

Nothing cancels: what is added to f(0), the gap in Jensen's inequality, is a sum of terms >= 0.
Breakpoints are found by walking along the envelope from 0, both ways.
"""

from __future__ import annotations

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.noise.law import Law
from privopt.solving.directions import Positions

__all__ = ["mean_height", "single_term"]

_NOTHING = 1e-10  # of the largest entry: what solvers leave where there is zero


def mean_height(slopes: Vector, offsets: Dense, law: Law) -> Vector:
    """E max_i (slopes_i x + offsets_i) for each row of offsets; x has the law."""
    highest = np.argmax(offsets, axis=1)
    at_zero = offsets[np.arange(len(offsets)), highest]
    kinks = _kinks(slopes, offsets, highest, law) + _kinks(-slopes, offsets, highest, law)
    return at_zero + kinks


def _kinks(slopes: Vector, offsets: Dense, at: Positions, law: Law) -> Vector:
    """What the breakpoints at x >= 0 add, from the pieces that are highest at 0."""
    every, total = np.arange(len(offsets)), np.zeros(len(offsets))
    for _ in range(len(slopes) - 1):
        rise = slopes - slopes[at][:, None]
        fall = np.maximum(offsets[every, at][:, None] - offsets, 0.0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            crossing = np.where(rise > 0, fall / rise, np.inf)
        x = crossing.min(axis=1)
        goes_on = np.isfinite(x)
        if not goes_on.any():
            break
        steepest = np.where(crossing <= x[:, None], rise, -np.inf).argmax(axis=1)
        total[goes_on] += rise[every, steepest][goes_on] * law.overshoot(x[goes_on])
        at = np.where(goes_on, steepest, at)
    return total


def single_term(moved: Dense, *, spherical: bool) -> Vector | None:
    """Slopes over one noise term that stand for affine functions moved xi, moved m x p; or None.

    max_i (m_i'xi + offset_i) = m_0'xi + max_i ((m_i - m_0)'xi + offset_i), and the mean of m_0'xi
    is zero. The differences must be multiples of one entry of xi; of Gaussian noise (`spherical`),
    of any one sum w'xi with |w| = 1, which has the law of an entry.
    """
    apart = moved - moved[0]
    size = float(np.abs(apart).max(initial=0.0))
    if size == 0.0:
        return np.zeros(len(moved))
    if spherical:
        _, sizes, ways = np.linalg.svd(apart, full_matrices=False)
        one = len(sizes) == 1 or sizes[1] <= _NOTHING * sizes[0]
        return apart @ ways[0] if one else None
    entries = np.flatnonzero(np.abs(apart).max(axis=0) > _NOTHING * size)
    return apart[:, entries[0]] if len(entries) == 1 else None
