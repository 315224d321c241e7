"""Columns under a box, as a part of an `arrow`.

Column j (one for each private entry, or noise dimension) has numbers N_j of its own at the cost
1/2 weight_j N_j'curve N_j, and values V_j = F_j + Lambda N_j at the working directions. With
-U <= V <= U, shared row i, of direction g, takes

    size_i sum_j half_jg U_jg + tilt_i sum_j middle_j V_jg

In a Newton step U goes first (it is diagonal), then each column with a small matrix of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.arrow import Places, Reduced
from privopt.solving.column_factors import ColumnFactors
from privopt.solving.cones import Weights
from privopt.solving.interior import Start

__all__ = ["BoxColumns"]

_LEAST = 1e-12  # slack of an entry at the start
_SMALLEST = 1e-300


@dataclass(frozen=True, repr=False, eq=False)
class BoxColumns:
    """Columns whose values count by their size.

    Attributes
    ----------
    root, curve
        Lambda (directions x numbers) and the cost; or one for each column.
    weight
        Of the cost, one a column.
    fixed, half
        F and the weights of U, columns x directions.
    middle
        One a column.
    group, size, tilt
        Of the shared rows. Rows from `len(group)` up to `rows` are budgets of the columns, whose U
        are those of the directions from `working` on; without such, it has no part in them.
    owner
        Which budget each column shares; None where each has its own.
    """

    root: Dense
    curve: Dense
    weight: Vector
    fixed: Dense
    half: Dense
    middle: Vector
    working: int
    group: NDArray[np.intp]
    size: Vector
    tilt: Vector
    rows: int
    owner: NDArray[np.intp] | None = None

    @property
    def budgets(self) -> bool:
        """Whether each column has a budget."""
        return self.fixed.shape[1] > self.working

    @cached_property
    def _budget(self) -> NDArray[np.intp]:
        """The row of each column's budget, behind those of the group."""
        return np.arange(len(self.fixed)) if self.owner is None else self.owner

    @cached_property
    def _transposed(self) -> Dense:
        return np.ascontiguousarray(np.swapaxes(self.root, -1, -2))

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
    def cones(self) -> int:
        """None."""
        return 0

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.fixed), self.root.shape[-1]

    def parts(self, x: Vector) -> tuple[Dense, Dense]:
        """N and U."""
        r, k = self._shape
        return x[: r * k].reshape(r, k), x[r * k :].reshape(self.fixed.shape)

    def _values(self, N: Dense) -> Dense:
        """Lambda N_j of every column."""
        if self.root.ndim == 2:
            return N @ self._transposed
        return np.matmul(self.root, N[:, :, None])[:, :, 0]

    def _back(self, V: Dense) -> Dense:
        """Lambda'V_j of every column."""
        if self.root.ndim == 2:
            return V @ self.root
        return np.matmul(self._transposed, V[:, :, None])[:, :, 0]

    def quadratic(self, x: Vector) -> Vector:
        """P x."""
        N, U = self.parts(x)
        if self.curve.ndim == 2:
            gradient = self.weight[:, None] * (N @ self.curve)
        else:
            gradient = self.weight[:, None] * np.matmul(self.curve, N[:, :, None])[:, :, 0]
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
        w, paid = self.working, self.half * U
        rows = self.size * paid[:, :w].sum(axis=0)[self.group]
        if self._tilted:
            rows += self.tilt * (self.middle @ self._values(N)[:, :w])[self.group]
        return self._padded(rows, paid[:, w:].sum(axis=1))

    def _padded(self, rows: Vector, budgets: Vector) -> Vector:
        """Rows with a margin, then budgets."""
        padded = np.zeros(self.rows)
        padded[: len(rows)] = rows
        if self.budgets:
            np.add.at(padded, len(rows) + self._budget, budgets)
        return padded

    def added_by(self, F: Dense) -> tuple[Vector, Vector]:
        """What values F add to its own rows, and to the shared ones."""
        rows = self.tilt * (self.middle @ F[:, : self.working])[self.group]
        own = np.concatenate([F.ravel(), -F.ravel()])
        return own, self._padded(rows, np.zeros(len(self.fixed)))

    def on_fixed(self, own: Vector, shared: Vector) -> Dense:
        """The transpose of `added_by`."""
        up, down = own.reshape(2, *self.fixed.shape)
        return up - down + self.on_values(shared)

    def _worth(self, dual: Vector) -> Dense:
        """The multipliers of the shared rows, transposed to U."""
        rows = dual[: len(self.group)]
        worth = self.half.copy()
        worth[:, : self.working] *= self._gathered(self.size * rows)
        if self.budgets:
            worth[:, self.working :] *= dual[len(rows) + self._budget, None]
        return worth

    def on_values(self, dual: Vector) -> Dense:
        """The multipliers of the shared rows, transposed to V (by the tilt)."""
        on_V = np.zeros(self.fixed.shape)
        on_V[:, : self.working] = np.outer(
            self.middle, self._gathered(self.tilt * dual[: len(self.group)])
        )
        return on_V

    def shared_transposed(self, dual: Vector) -> Vector:
        """The transpose of `shared`."""
        r, k = self._shape
        on_N = self._back(self.on_values(dual)) if self._tilted else np.zeros((r, k))
        return np.concatenate([on_N.ravel(), self._worth(dual).ravel()])

    @cached_property
    def _tilted(self) -> bool:
        return bool(self.middle.any())

    def _gathered(self, weights: Vector) -> Vector:
        return np.asarray(np.bincount(self.group, weights, self.working), dtype=float)

    def start(self, N: Dense, extra: Dense | float, dual: Vector, t: float) -> Start:
        """Near N, with products t of slacks and multipliers; `extra` is added to V.

        With V and the multipliers `dual` of the shared rows given, the U and the multipliers of
        -U <= V <= U in balance are U = v + (v^2 + V^2)^(1/2), v the product over the multiplier.
        """
        V = self.fixed + self._values(N) + extra
        share = t / np.maximum(self._worth(dual), _SMALLEST)
        U = share + np.sqrt(share**2 + V**2)
        slack = np.maximum(np.concatenate([(U - V).ravel(), (U + V).ravel()]), _LEAST)
        return Start(np.concatenate([N.ravel(), U.ravel()]), slack, t / slack)

    def nearest(self, V: Dense) -> Dense:
        """The N whose values are nearest to V, columns x directions."""
        off = V - self.fixed
        if not off.size:
            return np.zeros(self._shape)
        if self.root.ndim == 2:
            return la.lstsq(self.root, off.T, lapack_driver="gelsy", cond=1e-10)[0].T
        N = np.zeros(self._shape)
        for j, (root, v) in enumerate(zip(self.root, off, strict=True)):
            N[j] = la.lstsq(root, v, lapack_driver="gelsy", cond=1e-10)[0]
        return N

    def places(self, directions: Places) -> tuple[Places, Places]:
        """Where U and the rows of some directions are (and of those with a budget)."""
        r, k = self._shape
        every = int(self.fixed.shape[1])
        budgets: Places = np.arange(self.working, every)
        which = np.concatenate([directions, budgets])
        at: Places = (every * np.arange(r)[:, None] + which).ravel()
        return r * k + at, np.concatenate([at, r * every + at])

    def reduced(self, weights: Weights) -> Reduced:
        """U goes first (it is diagonal), then each column with a matrix of its own."""
        w, half = self.working, self.half
        up, down = weights.linear.reshape(2, *self.fixed.shape)
        both = up + down
        lean = (up - down) / both
        slope = half * lean
        columns = ColumnFactors(
            self._transposed, self.curve, self.weight, 4 * up * down / both, slope[:, :w],
            self.middle if self._tilted else None,
        )  # fmt: skip
        gram = columns.gram
        gram[np.arange(w), np.arange(w)] += (half[:, :w] ** 2 / both[:, :w]).sum(axis=0)
        at = np.ix_(self.group, self.group)
        gram = gram[at] * np.outer(self.size, self.size)
        if self._tilted:
            mixed = columns.mixed[at] * np.outer(self.size, self.tilt)
            gram += mixed + mixed.T + columns.even[at] * np.outer(self.tilt, self.tilt)
        if self.rows > len(gram):
            gram = self._bordered(gram, both, slope, columns)

        def solve(right: Vector) -> Vector:
            rN, rU = self.parts(right)
            N = columns.solve(rN + self._back(lean * rU))
            U = rU / both + lean * self._values(N)
            return np.concatenate([N.ravel(), U.ravel()])

        return Reduced(gram, solve)

    def _bordered(self, gram: Dense, both: Dense, slope: Dense, columns: ColumnFactors) -> Dense:
        """The matrix over the shared rows, with rows and columns for the budgets."""
        (r, _), w, R = self._shape, self.working, len(self.group)
        whole = np.zeros((self.rows, self.rows))
        whole[:R, :R] = gram
        if not self.budgets:
            return whole
        right = self._back(np.concatenate([np.zeros((r, w)), slope[:, w:]], axis=1))
        N = columns.solve(right)
        values = self._values(N)[:, self.group]
        across = values * (self.size * slope[:, self.group])
        across += values * (self.tilt * self.middle[:, None])
        own = (right * N).sum(axis=1) + (self.half[:, w:] ** 2 / both[:, w:]).sum(axis=1)
        at = R + self._budget
        np.add.at(whole[:, :R], at, across)
        np.add.at(whole, (at, at), own)
        whole[:R, R:] = whole[R:, :R].T
        return whole
