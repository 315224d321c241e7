"""What noise does to every row: A_i Z for Z = nu (Z_0 + Y R), as norms or as numbers.

Norms take n x r numbers, not n x p: the part of A_i Z_0 outside R is known from its norm.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.solving.margins import Margins
from privopt.solving.scaled import Point, ScaledProgram

__all__ = ["Spread"]

SMALL = 5_000_000  # numbers up to which A Z is simply computed
_ROUNDING = 1e-14  # of a squared norm: differences of squares below this are rounding


class Spread:
    """A Z, row by row, in scaled units."""

    def __init__(self, data: ScaledProgram, point: Point) -> None:
        self._data, self._point = data, point

    @cached_property
    def dense(self) -> Dense:
        """A Z."""
        data, point = self._data, self._point
        changes = np.asarray(data.directions.D @ point.Y)
        changes = changes if point.R is None else changes @ point.R
        rows = data.base_rows + changes
        return (data.nu * data.directions.factor)[:, None] * rows[data.directions.group]

    @cached_property
    def norms(self) -> Vector:
        """||A_i Z||."""
        data, point = self._data, self._point
        ways = data.directions
        if point.R is None or len(ways.group) * data.noise_dimensions <= SMALL:
            return np.linalg.norm(self.dense, axis=1)
        fixed, whole = np.asarray(ways.D @ data.along(point.R)), np.square(data.norms)
        rest = whole - np.square(fixed).sum(axis=1)
        rest = np.where(rest > _ROUNDING * whole, rest, 0.0)
        squares = np.square(fixed + np.asarray(ways.D @ point.Y)).sum(axis=1)
        size = np.sqrt(squares + rest)
        return data.nu * np.abs(ways.factor) * size[ways.group]

    def under(self, margins: Margins, deviation: float) -> Vector:
        """h_i(A_i Z) of every row, for noise of this deviation at scale one."""
        if margins.is_norm:
            return margins.of_norms(self.norms, deviation)
        return margins.value(self.dense, deviation)
