"""What noise does to every row: A_i Z for Z = nu (Z_0 + Y R), as norms or as numbers.

Norms take n x r numbers, not n x p: the part of A_i Z_0 outside R is known from its norm.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.solving.scaled import ScaledProgram

__all__ = ["Spread"]

SMALL = 5_000_000  # numbers up to which A Z is simply computed
_ROUNDING = 1e-14  # of a squared norm: differences of squares below this are rounding


class Spread:
    """A Z, row by row, in scaled units."""

    def __init__(self, data: ScaledProgram, Y: Dense, R: Dense | None) -> None:
        self._data, self._Y, self._R = data, Y, R

    @cached_property
    def dense(self) -> Dense:
        """A Z."""
        data = self._data
        moved = np.asarray(data.directions.D @ self._Y)
        rows = data.base_rows + (moved if self._R is None else moved @ self._R)
        return (data.nu * data.directions.factor)[:, None] * rows[data.directions.group]

    @cached_property
    def norms(self) -> Vector:
        """||A_i Z||."""
        data = self._data
        ways = data.directions
        if self._R is None or len(ways.group) * data.noise_dimensions <= SMALL:
            return np.linalg.norm(self.dense, axis=1)
        fixed = np.asarray(ways.D @ data.along(self._R))
        rest = np.square(data.norms) - np.square(fixed).sum(axis=1)
        rest = np.where(rest > _ROUNDING * np.square(data.norms), rest, 0.0)
        moved = np.square(fixed + np.asarray(ways.D @ self._Y)).sum(axis=1)
        return data.nu * np.abs(ways.factor) * np.sqrt(moved + rest)[ways.group]
