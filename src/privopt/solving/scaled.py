"""The affine model z + Z xi in scaled variables: the program behind a plan.

    minimise   (1-phi) (c1'z + z'C2 z + tr(Z'C2 Z) Var(xi)) + phi ||L Z Sigma^(1/2) T||_F
    subject to G z = d,   G Z = 0,   S Z = I,   A_i z + h_i(A_i Z) <= b_i

xi is noise of scale one. The recourse is Z = nu (Z_0 + Y R): the particular one Z_0, a change Y
with [G; S] Y = 0, and a basis R of the noise directions it uses (orthonormal rows; None for all).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.directions import Directions, Positions
from privopt.solving.normal import NormalEquations
from privopt.solving.particular import Particular
from privopt.solving.sparse import stacked, taken

__all__ = ["Point", "ScaledProgram", "watched"]


@dataclass(frozen=True, repr=False, eq=False)
class Point:
    """A solution: z, and the change Y and the basis R of its recourse."""

    z: Vector
    Y: Dense
    R: Dense | None


@dataclass(frozen=True, repr=False, eq=False)
class ScaledProgram:
    """Cost, rows, equalities and C, which Y keeps at zero; Z_0 is `units` times `particular`.

    Attributes
    ----------
    C
        [G; S].
    norms
        Of D Z_0, one for each direction.
    nu
        The size of noise of scale one, so that Z_0 is around one.
    energy
        tr(Z_0'C2 Z_0).
    still
        Entries of Y (by columns) that are zero; only with R = None.
    """

    linear: Vector
    quadratic: Any
    A: Any
    directions: Directions
    G: Any
    d: Vector
    C: Any
    particular: Particular
    units: Vector
    norms: Vector
    nu: float
    energy: float
    variance: float
    phi: float = 0.0
    L: Any = None
    T: Dense | None = None
    still: NDArray[np.intp] | None = None

    @property
    def noise_dimensions(self) -> int:
        """Number of noise dimensions p."""
        return self.particular.shape[1]

    @property
    def deviation(self) -> float:
        """Standard deviation of noise of scale one."""
        return float(np.sqrt(self.variance))

    def along(self, R: Dense | None) -> Dense:
        """Z_0 R', n x r."""
        if R is None:
            return self.base
        return self.units[:, None] * self.particular.times(R.T)

    @cached_property
    def base(self) -> Dense:
        """Z_0 as a matrix."""
        return self.units[:, None] * self.particular.dense()

    @cached_property
    def base_rows(self) -> Dense:
        """D Z_0, one row for each direction."""
        return np.asarray(self.directions.D @ self.base)

    @cached_property
    def normal(self) -> NormalEquations:
        """The system for z, with weights on the rows."""
        return NormalEquations(2 * (1 - self.phi) * self.quadratic, self.A, self.G)

    @property
    def spread(self) -> float:
        """Twice the cost of a unit of tr(Z'C2 Z) / nu^2."""
        return 2 * (1 - self.phi) * self.variance * self.nu**2

    def energy_of(self, Y: Dense, R: Dense | None) -> float:
        """tr(Z'C2 Z) / nu^2 of a recourse."""
        change = float(((2 * self.along(R) + Y) * np.asarray(self.quadratic @ Y)).sum())
        return self.energy + change

    def value(self, point: Point) -> float:
        """The objective, up to a constant."""
        z, C2 = point.z, self.quadratic
        value = float(self.linear @ z + z @ (C2 @ z))
        value += self.variance * self.nu**2 * self.energy_of(point.Y, point.R)
        value *= 1 - self.phi
        if self.phi > 0 and self.T is not None:
            along = self.along(point.R) + point.Y
            T = self.T if point.R is None else point.R @ self.T
            size = float(np.linalg.norm(np.asarray(self.L @ along) @ T))
            value += self.phi * self.nu * self.deviation * size
        return value


def watched(data: ScaledProgram, *directions: Positions) -> Sparse:
    """The rows a space of Y must know: those of directions, and of the objective."""
    rows = taken(data.directions.D, np.concatenate(directions))
    return stacked(rows, data.L) if data.phi > 0 and data.T is not None else rows
