"""Which rows can some draw reach at all?

A row with slack s and spread a is exceeded at xi only if a'xi > s, and a'xi <= sum_j max(a_j low_j,
a_j high_j) for draws within [low, high]. Rows whose slack is more than that hold for every one of
them and need no further look.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector

__all__ = ["within_reach"]


def within_reach(slack: Vector, spread: Dense, draws: Dense) -> NDArray[np.intp]:
    """Positions of the rows that some draw (a row of `draws`) may exceed."""
    low, high = draws.min(axis=0, initial=0.0), draws.max(axis=0, initial=0.0)
    reach = np.maximum(spread * low, spread * high).sum(axis=1)
    return np.flatnonzero(reach >= slack * (1 - 1e-12))
