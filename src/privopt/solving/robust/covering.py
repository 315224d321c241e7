"""Whether a region holds all that it must: in exact fractions, one row after the other.

    { u : lower <= u <= upper,  low <= W u <= high }   is a part of the region

A certificate is over a region; what it is worth depends on what that region holds. Rows of W with
one entry are bounds of the box. A slab of the region may be looser than asked, or end where its
box does.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.solving.robust.region import Region

__all__ = ["covers"]


def covers(
    region: Region, lower: Vector, upper: Vector, W: Dense, low: Vector, high: Vector
) -> bool:
    """Whether every such u lies in the region, as far as box and slabs show one by one."""
    entries = np.count_nonzero(W, axis=1)
    several = entries > 1
    if region.half.shape != lower.shape or not np.array_equal(region.W, W[several]):
        return False
    ends = [[Fraction(float(a)), Fraction(float(b))] for a, b in zip(lower, upper, strict=True)]
    for k in np.flatnonzero(entries == 1):
        j = int(np.flatnonzero(W[k])[0])
        weight = Fraction(float(W[k, j]))
        least, most = (low[k], high[k]) if weight > 0 else (high[k], low[k])
        if np.isfinite(least):
            ends[j][0] = max(ends[j][0], Fraction(float(least)) / weight)
        if np.isfinite(most):
            ends[j][1] = min(ends[j][1], Fraction(float(most)) / weight)
    middle = [Fraction(float(v)) for v in region.middle]
    half = [Fraction(float(v)) for v in region.half]
    for at, wide, (least, most) in zip(middle, half, ends, strict=True):
        if least <= most and not at - wide <= least <= most <= at + wide:
            return False
    for i, k in enumerate(np.flatnonzero(several)):
        used = np.flatnonzero(W[k])
        row = [(Fraction(float(W[k, j])), int(j)) for j in used]
        at = sum((w * middle[j] for w, j in row), Fraction(0))
        reach = sum((abs(w) * half[j] for w, j in row), Fraction(0))
        least = -reach if np.isinf(low[k]) else max(Fraction(float(low[k])) - at, -reach)
        most = reach if np.isinf(high[k]) else min(Fraction(float(high[k])) - at, reach)
        if Fraction(float(region.low[i])) > least or Fraction(float(region.high[i])) < most:
            return False
    return True
