"""What a solver leaves where there is nothing: shown as 0, beside values of a size.

settled(1.8e-5, 260.0) -> 0.0       a millionth of the largest value of the same unit
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privopt.arrays import Vector
from privopt.digits import finite
from privopt.model.program import ConvexProgram
from privopt.show.pictures.intervals import GRAIN

__all__ = ["settled", "settled_all", "size_of"]


def settled(value: float | None, size: float = 1.0) -> float | None:
    """A number, or 0 beside that size; None where it is not finite. Losses have the size 1."""
    if value is None:
        return None
    return 0.0 if abs(value) <= GRAIN * size else finite(value)


def settled_all(values: Vector, size: float) -> Vector:
    """The same of each number of a vector."""
    found = np.array(values, dtype=float)
    found[np.abs(found) <= GRAIN * size] = 0.0
    return found


def size_of(program: ConvexProgram, z: Vector, kept: Sequence[int] | None = None) -> float:
    """The largest value of a solution among those with the unit of the data."""
    units, columns = program.units, range(program.n) if kept is None else kept
    sizes = np.abs(np.asarray(z, dtype=float)).tolist()
    if units is not None:
        labels = units.each(program.n)
        alike = [
            size for size, j in zip(sizes, columns, strict=True) if labels[int(j)] == units.data
        ]
        sizes = alike or sizes
    return max(sizes, default=0.0)
