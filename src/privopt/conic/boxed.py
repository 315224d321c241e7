"""The program under a box of noise, column by column.

With answers to the working rows (`response`) and a box of middle m and half-width h, the program is

    minimise   z'C2 z + c1'z + 1/2 |N|^2                          over z, N (p x k), U (p x w)
    subject to G z = d,   -U <= V <= U,   V = F + N Lambda'
               A_i z + c_i V_g m + |c_i| U_g h <= b_i             (g the direction of row i)

with one row of N, U and V for each noise dimension. These meet only in the rows A_i. In a Newton
step U goes first (it is diagonal), then each row of N with a k x k matrix of its own; what is left
are the rows with a margin, and z. That takes a few dense products, where a sparse factorisation of
the whole would fill in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.conic.compile import Model
from privopt.conic.interior import Newton, Start
from privopt.conic.margins import Box

__all__ = ["BoxedProgram"]

_LEAST = 1e-12  # slack of an entry at the start
_ROOM = 0.03  # slack of a new row at the start, at least
_PRICE = 0.01  # multipliers to begin with, as a part of the largest cost


@dataclass(frozen=True, eq=False)
class BoxedProgram:
    """A model made of answers, under a box, for `interior_point`."""

    model: Model
    box: Box
    limits: Vector

    def split(self, x: Vector) -> tuple[Vector, Dense]:
        """The z and N of a solution, N as the model has it."""
        z, N, _ = self._parts(x)
        return z, N.T / self._unit

    def acting(self, dual: Vector) -> Dense:
        """What the multipliers do to the values of the working rows, one row each."""
        return self._on_values(dual).T

    def start(self, z: Vector, V: Dense, multipliers: Vector, gap: float) -> Start:
        """Near a solution of a similar program (V with one row a working row), away from limits.

        Where a product t of slack and multiplier, V and the multipliers of the rows are given, the
        U and the multipliers of -U <= V <= U in balance are U = v + (v^2 + V^2)^(1/2), v the
        product t over the multiplier of U.
        """
        t = gap / len(self.b)
        N = la.lstsq(self._root, V - self._fixed.T, lapack_driver="gelsy", cond=1e-10)[0].T
        V = self._fixed + N @ self._turned
        rows = self._A[0] @ z
        rows[self._with] += (self._c * (self._middle @ V)[self._group]) + (
            self._size * (self._half @ np.abs(V))[self._group]
        )
        slack = np.maximum(self.limits - rows, _ROOM)
        # A row shares its slack with its 2p entries.
        least = t / slack
        least[self._with] *= 1 + 2 * len(self._half)
        own = np.maximum(multipliers, least)
        share = t / np.outer(self._half, self._gathered(self._size * own[self._with]))
        U = share + np.sqrt(share**2 + V**2)
        slack[self._with] -= self._size * (self._half @ (U - np.abs(V)))[self._group]
        slack = np.maximum(slack, t / own)
        inner = np.maximum(np.concatenate([(U - V).ravel(), (U + V).ravel()]), _LEAST)
        x = np.concatenate([z, N.ravel(), U.ravel()])
        return Start(x, np.concatenate([slack, inner]), np.concatenate([own, t / inner]))

    # What `interior_point` asks for.

    @property
    def q(self) -> Vector:
        """Linear cost."""
        return self._q

    @property
    def b(self) -> Vector:
        """Limits of the rows, and of V - U and -V - U."""
        return self._b

    @cached_property
    def _q(self) -> Vector:
        data, (w, k, p) = self.model.data, self._sizes
        return np.concatenate([(1 - data.phi) * data.linear, np.zeros((k + w) * p)])

    @cached_property
    def _b(self) -> Vector:
        limits, fixed = self.limits.copy(), self._fixed
        limits[self._with] -= self._c * (self._middle @ fixed)[self._group]
        return np.concatenate([limits, -fixed.ravel(), fixed.ravel()])

    @property
    def d(self) -> Vector:
        """Right-hand side of the equalities."""
        return self.model.data.d

    def quadratic(self, x: Vector) -> Vector:
        """P x."""
        z, N, U = self._parts(x)
        weight = 2 * (1 - self.model.data.phi)
        return np.concatenate(
            [weight * (self.model.data.quadratic @ z), N.ravel(), 0.0 * U.ravel()]
        )

    def rows(self, x: Vector) -> Vector:
        """B x."""
        z, N, U = self._parts(x)
        V = N @ self._turned
        rows = self._A[0] @ z
        margin = self._c * (self._middle @ V)[self._group]
        rows[self._with] += margin + self._size * (self._half @ U)[self._group]
        return np.concatenate([rows, (V - U).ravel(), (-V - U).ravel()])

    def forces(self, dual: Vector) -> Vector:
        """B' times multipliers."""
        up, down = self._entries(dual)
        own = dual[self._with]
        on_U = np.outer(self._half, self._gathered(self._size * own)) - up - down
        on_N = self._on_values(dual) @ self._root
        on_z = self._A[1] @ dual[: len(self.limits)]
        return np.concatenate([on_z, on_N.ravel(), on_U.ravel()])

    def equalities(self, x: Vector) -> Vector:
        """G z."""
        return self._G[0] @ x[: self._n]

    def lifted(self, y: Vector) -> Vector:
        """G'y."""
        w, k, p = self._sizes
        return np.concatenate([self._G[1] @ y, np.zeros((k + w) * p)])

    def newton(self, weights: Vector) -> Newton:
        """Solves of the Newton system."""
        w, k, p = self._sizes
        n, c, size, g = self._n, self._c, self._size, self._group
        up, down = self._entries(weights)
        both = up + down
        tilt, wide = (up - down) / both, self._half[:, None] / both
        pull = self._half[:, None] * tilt
        K = np.matmul(self._turned * (4 * up * down / both)[:, None, :], self._root)
        K[:, np.arange(k), np.arange(k)] += 1.0
        half = _half_inverses(K)
        answers = np.matmul(half, self._turned)  # p x k x w
        pulled = (answers * pull[:, None, :]).reshape(p * k, w)
        others = weights[: len(self.limits)].copy()
        others[self._with] = 0.0
        lu = self.model.data.normal.factor(others)
        replies = np.asarray(lu.solve(self._into))
        # The rows with a margin, in what their multipliers do to U (size) and to z and V (c).
        wanted = pulled.T @ pulled
        wanted[np.arange(w), np.arange(w)] += self._half @ wide
        leaning = np.asarray(self._D @ replies[:n]) / self.model.data.nu**2
        if self._middle.any():
            even = half * self._middle[:, None, None]
            shifted = np.matmul(even.swapaxes(1, 2), pulled.reshape(p, k, w)).sum(axis=0)
            mixed = (self._root @ shifted)[self._at] * self._outer[1]
            even = even.reshape(p * k, k)
            leaning += self._root @ (even.T @ even) @ self._turned
            S = wanted[self._at] * self._outer[0] + mixed + mixed.T
        else:
            S = wanted[self._at] * self._outer[0]
        S += leaning[self._at] * self._outer[2]
        S[np.arange(len(g)), np.arange(len(g))] += 1.0 / weights[self._with]
        factor, failed = la.lapack.dpotrf(S, lower=1, overwrite_a=1)
        if failed:
            raise np.linalg.LinAlgError("the rows with a margin are not definite")
        back, nu = answers.swapaxes(1, 2), self.model.data.nu

        def solve(f: Vector, e: Vector, h: Vector) -> tuple[Vector, Vector, Vector]:
            # Multipliers of all rows but those with a margin follow from dx: they go first.
            follow = weights * h
            follow[self._with] = 0.0
            rz, rN, rU = self._parts(f + self.forces(follow))
            moved = np.matmul(half, (rN + (tilt * rU) @ self._root)[:, :, None])
            V = np.matmul(back, moved)[:, :, 0]
            alone = np.asarray(lu.solve(np.concatenate([rz, e])))
            part = c * (self._D @ alone[:n] / nu + self._middle @ V)[g] - h[self._with]
            part += size * (pull * V + wide * rU).sum(axis=0)[g]
            dual, _ = la.lapack.dpotrs(factor, part, lower=1)
            worth, lean = self._gathered(size * dual), self._gathered(c * dual)
            found = alone - replies @ (lean / nu)
            acting = pull * worth + np.outer(self._middle, lean)
            moved -= np.matmul(answers, acting[:, :, None])
            V = np.matmul(back, moved)[:, :, 0]
            U = rU / both - worth * wide + tilt * V
            dz = found[:n]
            dl = np.concatenate([self._A[0] @ dz, (V - U).ravel(), (-V - U).ravel()])
            dl = weights * (dl - h)
            dl[self._with] = dual
            # N by its own equation, which then holds to rounding.
            N = self._parts(f)[1] - self._on_values(dl) @ self._root
            return np.concatenate([dz, N.ravel(), U.ravel()]), found[n:], dl

        return solve

    # Parts, found once.

    @cached_property
    def _n(self) -> int:
        return len(self.model.data.linear)

    @cached_property
    def _sizes(self) -> tuple[int, int, int]:
        """Working directions w, numbers k a noise dimension, noise dimensions p."""
        return len(self.model.working), self._root.shape[1], self.model.data.noise_dimensions

    @cached_property
    def _unit(self) -> float:
        """The cost of N is 1/2 |N|^2 where N is the model's times this."""
        return float(np.sqrt(self.model.spread * self.model.space.quadratic.diagonal().max()))

    @cached_property
    def _root(self) -> Dense:
        """Lambda."""
        return self.model.space.rows.toarray() / self._unit

    @cached_property
    def _turned(self) -> Dense:
        return np.ascontiguousarray(self._root.T)

    @cached_property
    def _fixed(self) -> Dense:
        """F."""
        return np.ascontiguousarray(self.model.fixed.T)

    @cached_property
    def _half(self) -> Vector:
        return 0.5 * (self.box.high - self.box.low)

    @cached_property
    def _middle(self) -> Vector:
        return 0.5 * (self.box.high + self.box.low)

    @cached_property
    def _with(self) -> NDArray[np.intp]:
        """Rows with a margin."""
        return np.flatnonzero(self.model.place >= 0)

    @cached_property
    def _group(self) -> NDArray[np.intp]:
        return self.model.place[self._with]

    @cached_property
    def _at(self) -> Any:  # noqa: ANN401 -- an index
        return np.ix_(self._group, self._group)

    @cached_property
    def _c(self) -> Vector:
        return self.model.data.nu * self.model.data.directions.factor[self._with]

    @cached_property
    def _size(self) -> Vector:
        return np.abs(self._c)

    @cached_property
    def _outer(self) -> tuple[Dense, Dense, Dense]:
        """Products of sizes, of factors with sizes, and of factors."""
        size, c = self._size, self._c
        return np.outer(size, size), np.outer(c, size), np.outer(c, c)

    @cached_property
    def _A(self) -> tuple[Any, Any]:
        A: Any = self.model.data.A
        return A, A.T.tocsr()

    @cached_property
    def _G(self) -> tuple[Any, Any]:
        G: Any = self.model.data.G
        return G, G.T.tocsr()

    @cached_property
    def _D(self) -> Any:  # noqa: ANN401 -- any scipy sparse
        return self.model.data.directions.D[self.model.working]

    @cached_property
    def _into(self) -> Dense:
        """The working directions as right-hand sides of the system for z."""
        into = np.zeros((self._n + len(self.d), self._sizes[0]), order="F")
        into[: self._n] = self._D.toarray().T
        return into

    def _parts(self, x: Vector) -> tuple[Vector, Dense, Dense]:
        (w, k, p), n = self._sizes, self._n
        return x[:n], x[n : n + k * p].reshape(p, k), x[n + k * p :].reshape(p, w)

    def _entries(self, rows: Vector) -> tuple[Dense, Dense]:
        """The part of a vector over the rows that belongs to V - U and to -V - U."""
        w, _, p = self._sizes
        up, down = rows[len(self.limits) :].reshape(2, p, w)
        return up, down

    def _gathered(self, weights: Vector) -> Vector:
        """Sums over the rows of each direction."""
        return np.asarray(np.bincount(self._group, weights, self._sizes[0]), dtype=float)

    def _on_values(self, dual: Vector) -> Dense:
        up, down = self._entries(dual)
        return up - down + np.outer(self._middle, self._gathered(self._c * dual[self._with]))


def _half_inverses(K: Dense) -> Dense:
    """X with X'X the inverse, of positive definite matrices."""
    found = np.empty_like(K)
    for j, factor in enumerate(np.linalg.cholesky(K)):
        found[j] = la.lapack.dtrtri(factor.T, lower=0)[0].T
    return found
