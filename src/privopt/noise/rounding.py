"""What grids and floats move of noisy sums y = W u + noise: how far y is from continuous noise.

    P( |y - W u| <= h + rounding )  >=  P( |xi| <= h )      all sums together, for every u

u is the data as the curator has them, clamped to a public box; xi has the continuous law; h is at
most 2^8 scales; W u, y - h and y + h may be evaluated in floats. Rounding is the sum of

    |W| (2 steps + ulp(ends))    u as floats, on its grid, within the box on the grid
    cell / 2                     W u, exact in integers, rounded to its grid
    2^k                          the discrete law of the noise
    (entries + 9) ulp(reach)     y, and what is evaluated of it, as floats

*Data.* As floats entries move by ulp(ends)/2, to the grid 2^-c by half a step, and the ends of the
box, to lie on the grid, by a step. W is made of the integers of the map: their sum is exact.

*Noise.* Beyond h + g, g = 2^k, the discrete law has no more mass than the continuous one beyond h.
Laplace: with r = exp(-g/scale) and m = floor(h/g), 2 r^(m+2)/(1+r) <= r^(m+1) <= exp(-h/scale).
Truncated at B: (1 - t exp(-h/scale)) / (1 - t exp(-B/scale)) falls with t, and t = 2r/(1+r) <= 1.
Gaussian: Canonne, Kamath and Steinke (2020), Proposition 25. Entries are independent.

*Floats.* reach = 2 (bound + 2^8 scales) is above |y| and all that is evaluated of it, if |W u| is
at most the bound.
"""

from __future__ import annotations

import math

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.noise.calibration import Calibration

__all__ = ["rounding"]


def rounding(
    W: Dense, noise: Calibration, coarse: int, cell: int, ends: float, bound: float
) -> Vector:
    """What to add to a half-width h, for each sum.

    Parameters
    ----------
    W, noise
        What is summed, and the noise on it.
    coarse, cell
        Grids: 2^-coarse of the data, 2^cell (or that of the noise, if coarser) of the sums.
    ends, bound
        The largest |u| and |W u| there can be.
    """
    entry = 2 * math.ldexp(1.0, -coarse) + math.ulp(ends)
    grids = math.ldexp(1.0, noise.exponent) + math.ldexp(0.5, max(noise.exponent, cell))
    floats = (W.shape[1] + 9) * math.ulp(2 * (bound + 256 * noise.scale))
    return 1.01 * (np.abs(W).sum(axis=1) * entry + grids + floats)  # 1.01: this sum itself
