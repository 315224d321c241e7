"""What a solve under margins comes back with."""

from __future__ import annotations

from dataclasses import dataclass

from privopt.arrays import Vector
from privopt.solving.recourse import Recourse
from privopt.solving.working import Marks

__all__ = ["Solved"]


@dataclass(frozen=True, repr=False, eq=False)
class Solved:
    """A solution in the user's units: z, Z with S Z = I, and how far it is to be trusted.

    `residual` is the largest A_i z + h_i(A_i Z) - b_i over all rows, each relative to its size;
    `exact` tells whether the equalities hold to rounding; `marks` is what bound.
    """

    z: Vector
    Z: Recourse
    residual: float
    exact: bool
    marks: Marks | None = None
