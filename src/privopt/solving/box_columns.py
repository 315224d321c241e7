"""Columns under a box, as a part of an `arrow`.

Column j (one for each noise dimension) has numbers N_j of its own at the cost
1/2 weight_j N_j'curve N_j, and values V_j = F_j + Lambda N_j at the working directions. With
-U <= V <= U, shared row i, of direction g, takes

    size_i sum_j half_jg U_jg + tilt_i sum_j middle_j V_jg

In a Newton step U goes first (it is diagonal), then each column with a small matrix of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.column_factors import ColumnFactors
from privopt.solving.interior import Start

__all__ = ["BoxColumns", "Places"]

Places: TypeAlias = NDArray[np.intp]

_LEAST = 1e-12  # slack of an entry at the start
_SMALLEST = 1e-300


@dataclass(frozen=True, repr=False, eq=False)
class BoxColumns:
    """Columns whose values count by their size.

    Attributes
    ----------
    root, curve
        Lambda (directions x numbers) and the cost.
    weight
        Of the cost, one a column.
    fixed, half
        F and the weights of U, columns x directions.
    middle
        One a column.
    group, size, tilt
        Of the shared rows.
    """

    root: Dense
    curve: Dense
    weight: Vector
    fixed: Dense
    half: Dense
    middle: Vector
    group: NDArray[np.intp]
    size: Vector
    tilt: Vector

    @cached_property
    def _transposed(self) -> Dense:
        return np.ascontiguousarray(self.root.T)

    @property
    def cost(self) -> Vector:
        """Zero: all of its cost is quadratic."""
        r, k = self._shape
        return np.zeros(r * k + self.fixed.size)

    @property
    def limits(self) -> Vector:
        """Limits of V - U and -V - U, where V is without F."""
        return np.concatenate([-self.fixed.ravel(), self.fixed.ravel()])

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.fixed), self.root.shape[1]

    def parts(self, x: Vector) -> tuple[Dense, Dense]:
        """N and U."""
        r, k = self._shape
        return x[: r * k].reshape(r, k), x[r * k :].reshape(self.fixed.shape)

    def _values(self, N: Dense) -> Dense:
        """Lambda N_j of every column."""
        return N @ self._transposed

    def _back(self, V: Dense) -> Dense:
        """Lambda'V_j of every column."""
        return V @ self.root

    def quadratic(self, x: Vector) -> Vector:
        """P x."""
        N, U = self.parts(x)
        gradient = self.weight[:, None] * (N @ self.curve)
        return np.concatenate([gradient.ravel(), np.zeros(U.size)])

    def own(self, x: Vector) -> Vector:
        """V - U and -V - U without F."""
        N, U = self.parts(x)
        V = self._values(N)
        return np.concatenate([(V - U).ravel(), (-V - U).ravel()])

    def own_transposed(self, dual: Vector) -> Vector:
        """The transpose of `own`."""
        up, down = dual.reshape(2, *self.fixed.shape)
        return np.concatenate([self._back(up - down).ravel(), (-up - down).ravel()])

    def shared(self, x: Vector) -> Vector:
        """Its part in the shared rows."""
        N, U = self.parts(x)
        rows = self.size * (self.half * U).sum(axis=0)[self.group]
        if self._tilted:
            rows += self.tilt * (self.middle @ self._values(N))[self.group]
        return rows

    @property
    def added(self) -> Vector:
        """What F adds to the shared rows."""
        return self.tilt * (self.middle @ self.fixed)[self.group]

    def _worth(self, dual: Vector) -> Dense:
        """The multipliers of the shared rows, transposed to U."""
        return self.half * self._gathered(self.size * dual)

    def on_values(self, dual: Vector) -> Dense:
        """The multipliers of the shared rows, transposed to V (by the tilt)."""
        return np.outer(self.middle, self._gathered(self.tilt * dual))

    def shared_transposed(self, dual: Vector) -> Vector:
        """The transpose of `shared`."""
        r, k = self._shape
        on_N = self._back(self.on_values(dual)) if self._tilted else np.zeros((r, k))
        return np.concatenate([on_N.ravel(), self._worth(dual).ravel()])

    @cached_property
    def _tilted(self) -> bool:
        return bool(self.middle.any())

    def _gathered(self, weights: Vector) -> Vector:
        return np.asarray(np.bincount(self.group, weights, self.fixed.shape[1]), dtype=float)

    def start(self, N: Dense, dual: Vector, t: float) -> Start:
        """Near N, with products t of slacks and multipliers.

        With V and the multipliers `dual` of the shared rows given, the U and the multipliers of
        -U <= V <= U in balance are U = v + (v^2 + V^2)^(1/2), v the product over the multiplier.
        """
        V = self.fixed + self._values(N)
        share = t / np.maximum(self._worth(dual), _SMALLEST)
        U = share + np.sqrt(share**2 + V**2)
        slack = np.maximum(np.concatenate([(U - V).ravel(), (U + V).ravel()]), _LEAST)
        return Start(np.concatenate([N.ravel(), U.ravel()]), slack, t / slack)

    def nearest(self, V: Dense) -> Dense:
        """The N whose values are nearest to V, columns x directions."""
        off = V - self.fixed
        if not off.size:
            return np.zeros(self._shape)
        return la.lstsq(self.root, off.T, lapack_driver="gelsy", cond=1e-10)[0].T

    def places(self, directions: Places) -> tuple[Places, Places]:
        """Where U and the rows of some directions are."""
        r, k = self._shape
        every = int(self.fixed.shape[1])
        at: Places = (every * np.arange(r)[:, None] + directions).ravel()
        return r * k + at, np.concatenate([at, r * every + at])

    def reduced(self, weights: Vector) -> tuple[Dense, Callable[[Vector], Vector]]:
        """C K^-1 C' over the shared rows, and K^-1.

        U goes first (it is diagonal), then each column with a matrix of its own.
        """
        half, w = self.half, self.fixed.shape[1]
        up, down = weights.reshape(2, *self.fixed.shape)
        both = up + down
        lean = (up - down) / both
        slope = half * lean
        columns = ColumnFactors(
            self._transposed, self.curve, self.weight, 4 * up * down / both, slope,
            self.middle if self._tilted else None,
        )  # fmt: skip
        gram = columns.gram
        gram[np.arange(w), np.arange(w)] += (half**2 / both).sum(axis=0)
        at = np.ix_(self.group, self.group)
        gram = gram[at] * np.outer(self.size, self.size)
        if self._tilted:
            mixed = columns.mixed[at] * np.outer(self.size, self.tilt)
            gram += mixed + mixed.T + columns.even[at] * np.outer(self.tilt, self.tilt)

        def solve(right: Vector) -> Vector:
            rN, rU = self.parts(right)
            N = columns.solve(rN + self._back(lean * rU))
            U = rU / both + lean * self._values(N)
            return np.concatenate([N.ravel(), U.ravel()])

        return gram, solve
