"""The program in scaled variables, for noise of scale one: what the models are made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.directions import Directions, Positions
from privopt.solving.normal import NormalEquations
from privopt.solving.particular import Particular

__all__ = ["ScaledProgram", "watched"]


@dataclass(frozen=True, repr=False)
class ScaledProgram:
    """Cost, rows, equalities and C = [G; S]; Z_0 is `units` times `particular`.

    `norms` are those of D Z_0, one for each direction; nu is the size of Z_0; phi, L and T are the
    deviation in the objective.
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
    variance: float
    phi: float
    L: Any
    T: Dense | None
    still: NDArray[np.intp] | None = None  # entries of Y (by columns) that are zero; needs R = None

    @property
    def noise_dimensions(self) -> int:
        """Number of noise dimensions p."""
        return self.particular.shape[1]

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
    def normal(self) -> NormalEquations:
        """The system for z, with weights on the rows."""
        return NormalEquations(2 * (1 - self.phi) * self.quadratic, self.A, self.G)

    @cached_property
    def base_rows(self) -> Dense:
        """D Z_0, one row for each direction."""
        return np.asarray(self.directions.D @ self.base)


def watched(data: ScaledProgram, *directions: Positions) -> Sparse:
    """The rows a space must know: those of directions, and those of the objective."""
    parts = [data.directions.D[np.concatenate(directions)]]
    if data.phi > 0 and data.T is not None:
        parts.append(data.L)
    return sp.csr_array(sp.vstack(parts))
