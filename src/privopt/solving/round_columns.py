"""Columns under 2-norms, as a part of an `arrow`.

Column j of p (one for each noise dimension) has numbers N_j of its own at the cost 1/2 N_j'curve
N_j and values V_j = F_j + Lambda N_j at the working directions. With |(V_1g, .., V_pg)| <= t_g,
shared row i, of direction g, takes

    rho_i t_g + tau_i'(V_1g, .., V_pg)

In a Newton step t goes first. What it leaves on V_g is h_g (1 - spike_g spike_g'), so all columns
have one matrix H = curve + Lambda'h Lambda, up to one rank-one term for each direction:

    (H x 1) - sum_g (lambda_g x spike_g)(lambda_g x spike_g)'

whose inverse needs, besides H, one matrix over the directions: 1 - (Lambda H^-1 Lambda') * (spike
spike'), entry by entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.arrow import Places, Reduced
from privopt.solving.cones import Weights
from privopt.solving.definite import Cholesky
from privopt.solving.interior import Start

__all__ = ["RoundColumns"]

_LEAST = 1e-12  # t at the start
_SMALLEST = 1e-300


@dataclass(frozen=True, repr=False, eq=False)
class RoundColumns:
    """Columns whose values count by their 2-norm over the columns, one for each direction.

    Attributes
    ----------
    root, curve
        Lambda, directions x numbers, and the cost 1/2 N_j'curve N_j of every column.
    fixed
        F, columns x directions.
    group, rho, tau
        Of the shared rows; rows from `len(group)` up to `rows` have no part in it.
    """

    root: Dense
    curve: Dense
    fixed: Dense
    group: NDArray[np.intp]
    rho: Vector
    tau: Dense
    rows: int

    @property
    def _shape(self) -> tuple[int, int, int]:
        (w, k), p = self.root.shape, len(self.fixed)
        return p, w, k

    @property
    def cost(self) -> Vector:
        """Zero: all of its cost is quadratic."""
        p, w, k = self._shape
        return np.zeros(p * k + w)

    @property
    def limits(self) -> Vector:
        """(0, F)."""
        p, w, _ = self._shape
        return np.column_stack([np.zeros(w), self.fixed.T]).reshape(w * (1 + p))

    @property
    def cones(self) -> int:
        """One a direction."""
        return len(self.root)

    @cached_property
    def _tilted(self) -> bool:
        return bool(self.tau.any())

    def parts(self, x: Vector) -> tuple[Dense, Vector]:
        """N and t."""
        p, _, k = self._shape
        return x[: p * k].reshape(p, k), x[p * k :]

    def quadratic(self, x: Vector) -> Vector:
        """P x."""
        N, t = self.parts(x)
        return np.concatenate([(N @ self.curve).ravel(), 0.0 * t])

    def own(self, x: Vector) -> Vector:
        """-(t, V) without F."""
        N, t = self.parts(x)
        return -np.column_stack([t, self.root @ N.T]).ravel()

    def own_transposed(self, dual: Vector) -> Vector:
        """The transpose of `own`."""
        p, w, _ = self._shape
        Y = dual.reshape(w, 1 + p)
        return np.concatenate([-(Y[:, 1:].T @ self.root).ravel(), -Y[:, 0]])

    def shared(self, x: Vector) -> Vector:
        """Its part in the shared rows."""
        N, t = self.parts(x)
        rows = self.rho * t[self.group]
        if self._tilted:
            rows += (self.tau * (self.root @ N.T)[self.group]).sum(axis=1)
        return np.concatenate([rows, np.zeros(self.rows - len(rows))])

    def added_by(self, F: Dense) -> tuple[Vector, Vector]:
        """What values F add to its own rows, and to the shared ones."""
        own = -np.column_stack([np.zeros(F.shape[1]), F.T]).ravel()
        rows = np.zeros(self.rows)
        rows[: len(self.group)] = (self.tau * F.T[self.group]).sum(axis=1)
        return own, rows

    def _on_values(self, dual: Vector) -> Dense:
        """The multipliers of the shared rows, transposed to V."""
        on_V = np.zeros((len(self.root), len(self.fixed)))
        np.add.at(on_V, self.group, self.tau * dual[: len(self.group), None])
        return on_V

    def on_fixed(self, own: Vector, shared: Vector) -> Dense:
        """The transpose of `added_by`."""
        p, w, _ = self._shape
        return (self._on_values(shared) - own.reshape(w, 1 + p)[:, 1:]).T

    def shared_transposed(self, dual: Vector) -> Vector:
        """The transpose of `shared`."""
        p, w, k = self._shape
        rows = dual[: len(self.group)]
        on_t = np.bincount(self.group, self.rho * rows, w)
        on_N = np.zeros(p * k)
        if self._tilted:
            on_N = (self._on_values(dual).T @ self.root).ravel()
        return np.concatenate([on_N, np.asarray(on_t, dtype=float)])

    def start(self, N: Dense, extra: Dense | float, dual: Vector, t: float) -> Start:
        """Near N, with products t; t_g in balance follows as U does in `BoxColumns.start`."""
        w = len(self.root)
        V = (self.fixed + N @ self.root.T + extra).T
        worth = np.bincount(self.group, self.rho * dual[: len(self.group)], w)
        share = 0.5 * t / np.maximum(worth, _SMALLEST)
        square = np.square(V).sum(axis=1)
        head = np.maximum(share + np.sqrt(share**2 + square), _LEAST)
        depth = np.maximum(2 * share * head, _LEAST**2)
        slack = np.column_stack([head, V])
        dual = (t / depth)[:, None] * np.column_stack([head, -V])
        return Start(np.concatenate([N.ravel(), head]), slack.ravel(), dual.ravel())

    def nearest(self, V: Dense) -> Dense:
        """The N whose values are nearest to V, columns x directions."""
        off = (V - self.fixed).T
        if not off.size:
            return np.zeros((len(self.fixed), self.root.shape[1]))
        return la.lstsq(self.root, off, lapack_driver="gelsy", cond=1e-10)[0].T

    def places(self, directions: Places) -> tuple[Places, Places]:
        """Where t and the cones of some directions are."""
        p, w, k = self._shape
        return p * k + directions, np.arange(w * (1 + p)).reshape(w, 1 + p)[directions].ravel()

    def reduced(self, weights: Weights) -> Reduced:
        """First t; then one matrix H for all columns, less a rank-one term for each direction."""
        w = len(self.root)
        head, tail = weights.w[:, 0], weights.w[:, 1:]
        heavy = 1.0 / np.square(weights.eta)
        bent = 2 * head**2 - 1
        hh = heavy * bent
        lean = (2 * head / bent)[:, None] * tail  # how t follows V
        H = (self.root.T * heavy) @ self.root + self.curve
        factor = Cholesky(H)
        answers = factor.solve(self.root.T).T  # Lambda H^-1
        P = answers @ self.root.T
        spike = np.sqrt(2 * heavy / bent)[:, None] * tail
        C = -P * (spike @ spike.T)
        C[np.arange(w), np.arange(w)] += 1.0
        inner = Cholesky(C)
        R, g = len(self.group), self.group
        slope = self.tau + self.rho[:, None] * lean[g]
        gram = np.zeros((self.rows, self.rows))
        top = (slope @ slope.T) * P[np.ix_(g, g)]
        X = (slope @ spike.T) * P[g]
        top += X @ inner.solve(X.T)
        top += np.equal.outer(g, g) * np.outer(self.rho, self.rho / hh[g])
        gram[:R, :R] = top

        def solve(right: Vector) -> Vector:
            rN, rt = self.parts(right)
            rN = rN + (lean * rt[:, None]).T @ self.root
            Y = factor.solve(rN.T).T
            along = ((self.root @ Y.T) * spike).sum(axis=1)
            u = inner.solve(along)
            N = Y + (u[:, None] * spike).T @ answers
            t = rt / hh + (lean * (self.root @ N.T)).sum(axis=1)
            return np.concatenate([N.ravel(), t])

        return Reduced(gram, solve)
