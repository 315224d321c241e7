"""What solvers leave of a zero: beside the other values it is nothing, and is shown as 0.

Files keep every bit; this is for eyes alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from privopt.arrays import Vector

__all__ = ["without_dust"]

_DUST = 1e-9  # of the largest value


def without_dust(values: ArrayLike, size: float = 0.0) -> Vector:
    """The values with 0 in place of those that are nothing beside the largest, or beside `size`."""
    found = np.asarray(values, dtype=float)
    largest = max(float(np.abs(found).max(initial=0.0)), size)
    return np.where(np.abs(found) <= _DUST * largest, 0.0, found)
