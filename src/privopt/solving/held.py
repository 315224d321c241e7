"""Variables held at given values: a smaller conic program, and the price of holding each.

    minimise 1/2 x'P x + q'x,   b - A x in K        with   x_h = v

The multipliers y of the smaller program leave the gradient (P x + q + A'y)_h at the held variables:
what the objective would gain, to first order, if they moved.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Vector
from privopt.solving.problem import ConicProblem

__all__ = ["Held"]


class Held:
    """A conic program with some variables at given values."""

    def __init__(self, whole: ConicProblem, positions: NDArray[np.intp], values: Vector) -> None:
        self._whole, self._positions, self._values = whole, positions, values
        free = np.ones(len(whole.q), dtype=bool)
        free[positions] = False
        self._free = np.flatnonzero(free)
        if len(positions) == 0:
            self.problem = whole
            return
        P, A, kept = whole.P, whole.A, self._free
        held = P[:, positions] @ values
        self.problem = replace(
            whole,
            P=P[:, kept][kept],
            q=(whole.q + held)[kept],
            A=A[:, kept],
            b=whole.b - A[:, positions] @ values,
        )

    def point(self, x: Vector) -> Vector:
        """All variables, from the free ones."""
        full = np.zeros(len(self._whole.q))
        full[self._free], full[self._positions] = x, self._values
        return full

    def value(self, x: Vector) -> float:
        """The objective of the whole program, from the free variables."""
        full = self.point(x)
        return float(self._whole.q @ full + 0.5 * full @ (self._whole.P @ full))

    def prices(self, x: Vector, dual: Vector) -> Vector:
        """The gradient at the held variables."""
        full = self.point(x)
        at = self._positions
        whole = self._whole
        return whole.P[:, at].T @ full + whole.q[at] + whole.A[:, at].T @ dual
