"""How far an affine rule is from equalities that hold exactly, as a step that would mend it.

    G z(u) = t(u) + off(u)      |off| next to nothing, for every u of a region

With any R near a right inverse of G and H = I - G R small, dz = R (I - H)^-1 off has G dz = off
exactly. So z(u) - dz is an exact solution, and |dz| <= |R| (|off| + h / (1 - h) ||off||), where h
bounds H in a norm of weighted maxima. Everything is rounded upwards: nothing rests on floats.
"""

from __future__ import annotations

import numpy as np

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.equilibration import scaled
from privopt.solving.robust.region import Region
from privopt.solving.sparse import absolute

__all__ = ["correction"]

_UNIT = 2.0**-52  # twice what one operation on floats can be wrong by, relatively
_TINY = 1e-290  # more than products below the smallest float add up to
_SMALL = 0.5  # h up to which the series converges fast


def correction(
    G: Sparse,
    t: Vector,
    F: Sparse,
    z0: Vector,
    K: Dense,
    region: Region,
    units: tuple[Vector, Vector],
) -> Vector:
    """The most that each variable moves; infinite where G has no right inverse in floats.

    Parameters
    ----------
    G, t, F
        Equalities none of which follows from others; right-hand side at the middle, and how it
        follows u.
    units
        Factors of the equalities and sizes of the variables: they choose R, and prove nothing.
    """
    rows, n = G.shape
    if not rows:
        return np.zeros(n)
    factors, columns = units
    size = absolute(G)
    follows = F.toarray()
    off = np.abs(np.asarray(G @ z0) - t) + np.abs(np.asarray(G @ K) - follows) @ region.half
    terms = np.asarray(size @ np.abs(z0)) + np.abs(t)
    terms += (np.asarray(size @ np.abs(K)) + np.abs(follows)) @ region.half
    entries = (n + len(region.half) + 8) * _UNIT
    off = (off + entries * terms) * (1 + entries) + _TINY
    R = np.linalg.pinv(scaled(G, columns, factors).toarray())
    R = columns[:, None] * R * factors
    if not np.isfinite(R).all():
        return np.full(n, np.inf)
    H = np.abs(np.eye(rows) - np.asarray(G @ R))
    H += entries * (np.asarray(size @ np.abs(R)) + np.eye(rows)) + _TINY
    h = float(((factors[:, None] * H) / factors).sum(axis=1).max()) * (1 + entries)
    if not h < _SMALL:
        return np.full(n, np.inf)
    most = off + (h / (1 - h)) * float((factors * off).max()) / factors
    return np.asarray(np.abs(R) @ (most * (1 + entries))) * (1 + entries) + _TINY
