"""A bound on a linear function over a polytope, from the duals that a solver offers.

    max { cost'v : G v + c >= 0,  |v_j| <= 1 }  <=  y'c + sum_j |cost + G'y|_j     for every y >= 0

(weak duality). The solver is not believed: any y >= 0 gives a bound, a good y a good one. What
holds up to `doubt` is taken so; the rounding of the sums below is bounded by the usual (count)
2^-53 (sum of sizes), four times, and added. What is no number bounds nothing: it is infinite.
"""

from __future__ import annotations

import math

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.assess.pieces import UNIT

__all__ = ["ceiling"]


def ceiling(cost: Vector, G: Dense, c: Vector, doubt: Vector, y: Vector) -> float:
    """An upper bound on cost'v over the polytope; conditions hold up to their doubt."""
    y = np.maximum(np.nan_to_num(y, nan=0.0, posinf=0.0), 0.0)
    rest = cost + y @ G
    found = float(y @ c + y @ doubt + np.abs(rest).sum())
    sizes = float(np.abs(cost).sum() + y @ (np.abs(c) + doubt + np.abs(G).sum(axis=1)))
    bound = found + 4 * (sum(G.shape) + 8) * UNIT * sizes + 1e-290
    return math.inf if math.isnan(bound) else bound
