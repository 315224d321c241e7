"""Rounding taken out of a certificate before it is looked at in exact fractions.

    G z0 = t,   G K = F        hold to rounding of the solver's units, which may be large beside t

A value of 1e-5 beside others of 50 is off by rounding of the 50. So each equality that is off is
corrected by its own variables, in their own sizes, and what is next to nothing is made zero.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import lsqr

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.equilibration import scaled
from privopt.solving.sparse import absolute

__all__ = ["balanced", "cleaned"]

_ROUNDING = 1e-10  # of what an equality is made of
_NOTHING = 1e-13  # of a variable in scaled units


def balanced(G: Sparse, wanted: Dense, found: Dense, weights: Vector) -> Dense:
    """Solutions with equalities off by rounding of their own terms, not of larger ones.

    A column for the middle of a region and for each entry, which count by their weights. Where an
    equality is off, each variable moves in its own size: min ||v|| with G (z + |z| v) = wanted.
    """
    sizes = np.abs(wanted) + np.asarray(absolute(G) @ np.abs(found))
    rest = wanted - np.asarray(G @ found)
    most = _ROUNDING * (sizes @ weights)
    off = np.abs(rest) * weights > most[:, None] / len(weights)
    if (np.abs(rest) @ weights <= most).all():
        return found
    found = found.copy()
    for k in np.flatnonzero(off.any(axis=0)):
        size = np.where(sizes[:, k] > 0, sizes[:, k], 1.0)
        own = scaled(G, np.abs(found[:, k]), 1.0 / size)
        step = np.asarray(lsqr(own, rest[:, k] / size, atol=_ROUNDING, btol=_ROUNDING)[0])
        found[:, k] += np.abs(found[:, k]) * step
    return found


def cleaned(scaled: Dense, moves: Vector) -> Dense:
    """Without what is rounding: a fixed variable is fixed, a value that K keeps is kept exactly."""
    return np.where(np.abs(scaled) * np.where(moves > 0, moves, 1.0) <= _NOTHING, 0.0, scaled)
