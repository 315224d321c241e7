"""A gain that answers each change of the data near where it happens: where certificates can begin.

    minimise   sum_i (w_i / size_i)^2 |A_i K|^2      subject to   C K = (N F, 0)

over the gain K of a condensed program, with w_i = 1 for rows with one entry (a limit of a variable)
and more for the others (lines, which a change far away would load). One matrix for all columns, so
it is quickly found, also where a gain that is the best of all would take too long.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la

from privopt.arrays import Dense
from privopt.solving.robust.completing import Completing

__all__ = ["local_gain"]

_FLOWS = 10.0**0.5  # what a row with several entries weighs beside one with one
_LITTLE = 1e-9  # on |K|^2: makes it unique


def local_gain(parts: Completing, F: Dense) -> Dense:
    """The gain, for a right-hand side that follows the data by F (scaled)."""
    small = parts.small
    M, R = small.rows(np.arange(len(small.limits)))
    weights = np.full(len(small.limits), _FLOWS)
    weights[small.own] = 1.0
    rows = M.toarray() * (weights / small.sizes)[:, None]
    moved = np.asarray(R @ F) * (weights / small.sizes)[:, None]
    first = parts.inverse @ np.asarray(parts.right @ F)
    free = rows @ parts.Z
    H = free.T @ free + _LITTLE * np.eye(free.shape[1])
    right = free.T @ (moved + rows @ first)
    return first - parts.Z @ la.solve(H, right, assume_a="pos")
