"""The Newton structure of the two-stage program: draws by themselves, then the values they share.

    minimise   mean over draws k of c(x_k)  +  sum_i fidelity_i (q_i - answer_i)^2
    subject to M x_k <= limit_k                     every draw
               g'q <= limit                         every cut
    with       x_k = base_k + R q + Z y_k           E x_k = N t_k and S x_k = q for every q and y_k

for `interior_point`. In a Newton step the draws have matrices X_k = 2 C2 / count + M'D_k M, which
differ by the weights D_k of their rows alone; the y_k go first, each by the Cholesky factor of
Z'X_k Z, and a small system in q is left. All draws are factored by one call. Where x has many
entries the rows that tie it are fewer than the directions they leave (`bordered`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.definite import Cholesky
from privopt.solving.interior import Newton, Start
from privopt.solving.robust.bordered import Bordered
from privopt.solving.robust.many import inverse_factors

__all__ = ["DrawsProgram"]

LARGE = 400  # entries of x from which on rows are fewer than directions
_LEAST = 1e-3  # slack at the start, in units of a row


@dataclass(frozen=True, repr=False, eq=False)
class DrawsProgram:
    """The program; see above.

    Attributes
    ----------
    M, limits
        Rows (m x n), and the limit of each at each draw (count x m).
    base, R, Z
        What x_k is where q and y_k are zero (count x n), and how it follows them.
    linear, C2
        Cost of x.
    fidelity, answer
        Weights of the squared distance of q from `answer`.
    cuts, ends
        g of each cut, a row each, and its limit.
    C
        What ties x, if known: C Z = 0, C R picks q, and R and Z are as `Completing` has them.
    """

    M: Dense
    limits: Dense
    base: Dense
    R: Dense
    Z: Dense
    linear: Vector
    C2: Dense
    fidelity: Vector
    answer: Vector
    cuts: Dense
    ends: Vector
    C: Sparse | None = None

    @property
    def d(self) -> Vector:
        """There are no equalities."""
        return np.zeros(0)

    @cached_property
    def shape(self) -> tuple[int, int, int, int]:
        """Draws, values, directions of each draw, rows of each draw."""
        return len(self.base), self.R.shape[1], self.Z.shape[1], len(self.M)

    @cached_property
    def curved(self) -> Dense:
        """2 C2 / count: of each draw."""
        return 2 * self.C2 / len(self.base)

    @cached_property
    def on_q(self) -> Dense:
        """How the rows of a draw follow q."""
        return self.M @ self.R

    @cached_property
    def on_y(self) -> Dense:
        """How the rows of a draw follow its own y."""
        return self.M @ self.Z

    @property
    def q(self) -> Vector:
        """Linear cost."""
        return self._cost

    @property
    def b(self) -> Vector:
        """Limits of the rows."""
        return self._limits

    @cached_property
    def _cost(self) -> Vector:
        slopes = self.linear / len(self.base) + self.base @ self.curved
        pull = -2 * self.fidelity * self.answer
        return np.concatenate([self.R.T @ slopes.sum(axis=0) + pull, (slopes @ self.Z).ravel()])

    @cached_property
    def _limits(self) -> Vector:
        return np.concatenate([(self.limits - self.base @ self.M.T).ravel(), self.ends])

    def variables(self, x: Vector) -> tuple[Vector, Dense]:
        """The values q, and y_k, a row for each draw."""
        count, p, f, _ = self.shape
        return x[:p], x[p:].reshape(count, f)

    def by_rows(self, y: Vector) -> tuple[Dense, Vector]:
        """A vector over the rows: those of the draws, a row each, and the cuts."""
        count, _, _, m = self.shape
        return y[: count * m].reshape(count, m), y[count * m :]

    def solutions(self, x: Vector) -> Dense:
        """The x_k, a row for each draw."""
        q, y = self.variables(x)
        return self.base + self.R @ q + y @ self.Z.T

    def quadratic(self, x: Vector) -> Vector:
        """P x."""
        q, y = self.variables(x)
        moved = (self.R @ q + y @ self.Z.T) @ self.curved
        own = self.R.T @ moved.sum(axis=0) + 2 * self.fidelity * q
        return np.concatenate([own, (moved @ self.Z).ravel()])

    def rows(self, x: Vector) -> Vector:
        """The rows at x."""
        q, y = self.variables(x)
        return np.concatenate([(self.on_q @ q + y @ self.on_y.T).ravel(), self.cuts @ q])

    def rows_transposed(self, dual: Vector) -> Vector:
        """The transposed rows times multipliers."""
        rows, cuts = self.by_rows(dual)
        on_q = self.on_q.T @ rows.sum(axis=0) + self.cuts.T @ cuts
        return np.concatenate([on_q, (rows @ self.on_y).ravel()])

    def equalities(self, x: Vector) -> Vector:
        """There are none."""
        del x
        return np.zeros(0)

    def equalities_transposed(self, y: Vector) -> Vector:
        """There are none."""
        del y
        return np.zeros(len(self.q))

    def start(self, q: Vector) -> Start:
        """Where it begins: at some values, slacks and multipliers of one size."""
        count, _, f, _ = self.shape
        x = np.concatenate([q, np.zeros(count * f)])
        size = 1 / count  # of the multipliers: the cost of a draw counts that much
        slack = np.maximum(self.b - self.rows(x), _LEAST)
        return Start(x, slack, np.minimum(size, size / slack))

    def newton(self, weights: Vector) -> Newton:
        """Solves of the Newton system."""
        tied = self._tied(weights)
        return _System(self, weights).solve if tied is None else tied.solve

    @cached_property
    def single(self) -> NDArray[np.bool_]:
        """Which rows have one entry."""
        return np.count_nonzero(self.M, axis=1) == 1

    def _tied(self, weights: Vector) -> _Tied | None:
        """The system by the rows that tie x, where that is less work and X_k is nearly diagonal."""
        own = np.diag(self.curved)
        if self.C is None or len(own) < LARGE or np.count_nonzero(self.curved - np.diag(own)):
            return None
        rows, _ = self.by_rows(weights)
        diagonal = own + rows[:, self.single] @ np.square(self.M[self.single])
        return _Tied(self, self.C, weights, diagonal) if (diagonal > 0).all() else None


class _System:
    """One Newton system: the y_k are gone, a small system in q is left."""

    def __init__(self, own: DrawsProgram, weights: Vector) -> None:
        self._own, self._weights = own, weights
        count, p, _, _ = own.shape
        rows, cuts = own.by_rows(weights)
        single = own.single
        X = np.broadcast_to(own.curved, (count, *own.curved.shape)).copy()
        at = np.arange(len(own.curved))
        X[:, at, at] += rows[:, single] @ np.square(own.M[single])
        several = own.M[~single]
        X += (several.T * rows[:, None, ~single]) @ several
        T = np.column_stack([own.R, own.Z])
        H = T.T @ (X @ T)
        self._inverse = inverse_factors(H[:, p:, p:])
        self._cross = self._inverse @ H[:, p:, :p]
        small = H[:, :p, :p].sum(axis=0) + np.diag(2 * own.fidelity)
        small += own.cuts.T @ (own.cuts * cuts[:, None])
        small -= np.einsum("kfa,kfb->ab", self._cross, self._cross)
        self._small = Cholesky(small)

    def solve(self, f: Vector, e: Vector, h: Vector) -> tuple[Vector, Vector, Vector]:
        """See `interior.Newton`."""
        del e
        own = self._own
        on_q, on_y = own.variables(f + own.rows_transposed(self._weights * h))
        left = (self._inverse @ on_y[:, :, None])[:, :, 0]
        right = on_q - np.einsum("kfa,kf->a", self._cross, left)
        q: Vector = self._small.solve(right)
        rest = left - self._cross @ q
        y = (self._inverse.transpose(0, 2, 1) @ rest[:, :, None])[:, :, 0]
        dx = np.concatenate([q, y.ravel()])
        return dx, np.zeros(0), self._weights * (own.rows(dx) - h)


class _Tied:
    """One Newton system by the rows that tie x: the steps dx_k, then dy_k = Z'dx_k."""

    def __init__(self, own: DrawsProgram, C: Sparse, weights: Vector, diagonal: Dense) -> None:
        self._own, self._weights = own, weights
        rows, cuts = own.by_rows(weights)
        several = ~own.single
        p = own.R.shape[1]
        self._draws = Bordered(diagonal, own.M[several], rows[:, several], C, p)
        small = self._draws.reduced + np.diag(2 * own.fidelity)
        small += own.cuts.T @ (own.cuts * cuts[:, None])
        self._small = Cholesky(small)

    def solve(self, f: Vector, e: Vector, h: Vector) -> tuple[Vector, Vector, Vector]:
        """See `interior.Newton`."""
        del e
        own = self._own
        on_q, on_y = own.variables(f + own.rows_transposed(self._weights * h))
        moved, pull = self._draws.left(on_y @ own.Z.T)
        q: Vector = self._small.solve(on_q + pull)
        y = self._draws.solved(moved, q) @ own.Z
        dx = np.concatenate([q, y.ravel()])
        return dx, np.zeros(0), self._weights * (own.rows(dx) - h)
