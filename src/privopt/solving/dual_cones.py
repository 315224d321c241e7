"""Multipliers of cone rows: whether they lie in the dual cone, exactly, and how to get there.

    s in K, y in K*   =>   y's >= 0

Each dual cone is the cone itself seen through a linear map:

    second-order   K* = K
    exponential    (u, v, w) in K*  <=>  (u - v, -u, w) in K
    power a        (u, v, w) in K*  <=>  (u / a, v / (1 - a), w) in K

so `polygons.contains`, which decides in fractions and sixty digits, decides here too.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.solving.cone_rows import outside
from privopt.solving.polygons import Exact, contains
from privopt.solving.problem import Cone, Kind

__all__ = ["in_dual", "into_dual"]

_INWARD = 2.0**-40  # of its size: what a multiplier is moved by first
_TRIES = 24  # of moving it twice as far


def in_dual(cone: Cone, y: Vector) -> bool:
    """Whether multipliers lie in the dual cone; False where sixty digits do not tell."""
    u, v, w = (Fraction(float(value)) for value in y)
    image: Exact = (u, v, w)
    if cone.kind is Kind.EXPONENTIAL:
        image = (u - v, -u, w)
    elif cone.kind is Kind.POWER:
        a = Fraction(cone.power)
        image = (u / a, v / (1 - a), w)
    return contains(cone, image)


def into_dual(cone: Cone, y: Vector) -> Vector | None:
    """The multipliers, moved into the dual cone as little as that takes; None: zero is no worse."""
    if not y.any():
        return y
    image = _image(cone, y)
    size = float(np.abs(image).max())
    first = max(float(outside(cone, image[None])[0]), 0.0)
    step = _INWARD * size
    for _ in range(_TRIES):
        moved = y + (first + step) * _inside(cone)
        if in_dual(cone, moved):
            return moved
        step *= 2
    return None


def _image(cone: Cone, y: Vector) -> Dense:
    u, v, w = y
    if cone.kind is Kind.EXPONENTIAL:
        return np.array([u - v, -u, w])
    if cone.kind is Kind.POWER:
        return np.array([u / cone.power, v / (1 - cone.power), w])
    return y


def _inside(cone: Cone) -> Vector:
    """The multipliers whose image is `cone.inside`."""
    if cone.kind is Kind.EXPONENTIAL:
        return np.array([-1.0, 0.0, 1.0])
    if cone.kind is Kind.POWER:
        return np.array([cone.power, 1 - cone.power, 0.0])
    return cone.inside
