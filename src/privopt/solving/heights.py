"""How high an epigraph must be: the least t for which a point v + t r lies in a cone.

    t(v) = min { t : v + t r in K },      r in K

convex in v, with the slope dt = - n'dv / n'r, n the normal of K at v + t r. Closed forms for the
directions in which epigraphs rise. Infinite where no t will do.
"""

from __future__ import annotations

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.solving.problem import Cone, Kind

__all__ = ["height", "rises"]

_EDGE = 1e-12  # relative: a direction this near to the boundary is on it


def rises(cone: Cone, r: Vector) -> bool:
    """Whether there is a closed form for this direction."""
    x, y, z = r
    if cone.kind is Kind.SECOND_ORDER:
        return bool(x > 0 and x >= (1 - _EDGE) * np.hypot(y, z))
    if cone.kind is Kind.EXPONENTIAL:
        return bool(y == 0 and x <= 0 <= z and (x < 0) != (z > 0))
    return bool(z == 0 and min(x, y) >= 0 and (x > 0) != (y > 0))


def height(cone: Cone, v: Dense, r: Vector) -> tuple[Vector, Dense]:
    """T and its slope for each row of v; a slope means nothing where t is infinite."""
    with np.errstate(all="ignore"):
        if cone.kind is Kind.SECOND_ORDER:
            t, normal = _second_order(v, r)
        elif cone.kind is Kind.EXPONENTIAL:
            t, normal = _exponential(v, r)
        else:
            t, normal = _power(cone.power, v, r)
        slope = -normal / (normal @ r)[:, None]
    bad = ~np.isfinite(t)
    slope[bad | ~np.isfinite(slope).all(axis=1)] = 0.0
    return np.where(bad, np.inf, t), slope


def _second_order(v: Dense, r: Vector) -> tuple[Vector, Dense]:
    sign = np.array([1.0, -1.0, -1.0])
    a, b, c = float(r @ (sign * r)), v @ (sign * r), (v * v) @ sign
    if a <= _EDGE * float(r @ r):  # along the edge
        t = np.where(b > 0, -c / (2 * b), np.inf)
    else:
        t = (np.sqrt(np.maximum(b * b - a * c, 0.0)) - b) / a
    s = v + t[:, None] * r
    return t, s * sign


def _exponential(v: Dense, r: Vector) -> tuple[Vector, Dense]:
    x, y, z = v.T
    if r[2] > 0:
        t = np.where(y > 0, (y * np.exp(x / y) - z) / r[2], np.inf)
    else:
        t = np.where((y > 0) & (z > 0), (y * np.log(z / y) - x) / r[0], np.inf)
        x = x + t * r[0]
    grows = np.exp(x / y)
    return t, np.column_stack([-grows, -grows * (1 - x / y), np.ones(len(v))])


def _power(a: float, v: Dense, r: Vector) -> tuple[Vector, Dense]:
    first = r[0] > 0
    own, other = (v[:, 0], v[:, 1]) if first else (v[:, 1], v[:, 0])
    share = a if first else 1 - a
    size = np.abs(v[:, 2])
    least = np.where(size > 0, np.power(size / np.power(other, 1 - share), 1 / share), 0.0)
    t = np.where((other > 0) | ((other == 0) & (size == 0)), (least - own) / r.max(), np.inf)
    # own >= size^(1/share) other^(-(1-share)/share)
    on_other = (1 - share) / share * least / np.where(other > 0, other, np.inf)
    on_size = -np.sign(v[:, 2]) * np.where(size > 0, least / (share * size), 0.0)
    one = np.ones(len(v))
    normal = (one, on_other) if first else (on_other, one)
    return t, np.column_stack([*normal, on_size])
