"""Points of { x : C x = r } of least cost, by one factorisation, sparse unless C is small.

    [ H + w  C' ] [ x ]   [ v ]
    [ C      -w ] [ y ] = [ r ]

H = I (the default) gives the nearest point; any H that is positive on the null space of C gives the
point of least x'H x. A tiny w makes the matrix regular whatever H and C are, and the system with
w = 0 is refined until the residual is rounding. Along a direction that H leaves free, x is huge.
Rank-deficient C is allowed as long as r is consistent, as for a flow network whose demands balance.
Where the refinement does not get there (C nearly rank-deficient), a dense least-squares solve does,
for H = I. The factorisation is not pickled: it is made again where it is needed.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse
from privopt.solving.factor import factored
from privopt.solving.sparse import like, places

_SHIFT = 1e-13
_STEPS = 20
_ROUNDING = 1e-13
_SMALL = 150  # rows and columns up to which dense matrices are faster
_DENSE = 4000  # rows or columns up to which a dense solve is the way out


class Projector:
    """Points of least cost on C x = r, for one C and many r."""

    def __init__(self, C: Sparse, weight: Sparse | None = None) -> None:
        row = places(C)
        size = np.sqrt(np.bincount(row, np.square(C.data), C.shape[0]))
        self._factors = 1.0 / np.where(size > 0, size, 1.0)
        self._C: Any = like(C, self._factors[row] * C.data)
        self._n, self._weight = C.shape[1], weight
        self._small = sum(C.shape) <= _SMALL
        if self._small:
            self._C = self._C.toarray()
            self._weight = None if weight is None else weight.toarray()

    @property
    def rows(self) -> int:
        """Number of rows of C."""
        return len(self._factors)

    @cached_property
    def _lu(self) -> Any:  # noqa: ANN401 -- scipy's SuperLU
        k, n = self._C.shape
        weight: Any = self._eye if self._weight is None else self._weight
        if self._small:
            system = np.zeros((n + k, n + k))
            shift = 0.0 if self._weight is None else _SHIFT * np.abs(weight).max(initial=1.0)
            system[:n, :n] = weight + shift * np.eye(n)
            system[:n, n:], system[n:, :n] = self._transposed, self._C
            system[n:, n:] = -_SHIFT * np.eye(k)
            return factored(system)
        top: Any = sp.coo_array(weight)
        side: Any = sp.coo_array(self._C)
        corner: NDArray[np.int64] = np.arange(n + k, dtype=np.int64)
        shift = np.full(n + k, -_SHIFT)
        shift[:n] = 0.0 if self._weight is None else _SHIFT * np.abs(top.data).max(initial=1.0)
        system = sp.csc_matrix(
            (
                np.concatenate([top.data, side.data, side.data, shift]),
                (
                    np.concatenate([top.row, side.row + n, side.col, corner]),
                    np.concatenate([top.col, side.col, side.row + n, corner]),
                ),
            ),
            shape=(n + k, n + k),
        )
        return factored(system, symmetric=True)

    @cached_property
    def _eye(self) -> Any:  # noqa: ANN401 -- any scipy sparse
        return np.eye(self._n) if self._small else sp.eye_array(self._n, format="csr")

    @cached_property
    def _transposed(self) -> Any:  # noqa: ANN401 -- any scipy sparse
        return self._C.T

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lu"}

    def correction(self, residual: Dense) -> Dense:
        """Least-cost x with C x = residual (a vector, or one column each)."""
        if self._weight is not None:
            return self.solution(residual)[0]
        scaled = (self._factors * residual.T).T
        x = np.zeros((self._n, *residual.shape[1:]))
        target = float(np.abs(scaled).max(initial=0.0))
        last = np.inf
        for _ in range(_STEPS):
            rest = scaled - self._C @ x
            error = float(np.abs(rest).max(initial=0.0))
            size = max(target, float(np.abs(x).max(initial=0.0)))
            if error <= _ROUNDING * size or not error <= 0.9 * last:
                break
            last = error
            x = x + self._lu.solve(np.concatenate([np.zeros_like(x), rest]))[: self._n]
        rest = scaled - self._C @ x
        size = max(target, float(np.abs(x).max(initial=0.0)))
        far = float(np.abs(rest).max(initial=0.0)) > 1e3 * _ROUNDING * size
        if far and max(self._C.shape) <= _DENSE:
            return self._dense(scaled)
        return x

    def adjoint(self, v: Dense) -> Dense:
        """What `correction` does, transposed: one entry for each row of C."""
        full = np.concatenate([v, np.zeros((len(self._factors), *v.shape[1:]))])
        multipliers = np.asarray(self._lu.solve(full))[self._n :]
        return (self._factors * multipliers.T).T

    def answers(self, v: Dense) -> tuple[Dense, Dense]:
        """For each column v: the x in the null space of C with least x'H x - 2 v'x.

        And the multipliers y of C x = 0, with H x + C'y = v.
        """
        return self._both(v, np.zeros((len(self._factors), *v.shape[1:])))

    def solution(self, right: Dense) -> tuple[Dense, Dense]:
        """`correction`, and the multipliers y with H x + C'y = 0."""
        return self._both(np.zeros((self._n, *right.shape[1:])), right)

    def _both(self, top: Dense, right: Dense) -> tuple[Dense, Dense]:
        """H x + C'y = top, C x = right, by a solve and steps of refinement."""
        weight: Any = self._eye if self._weight is None else self._weight
        bottom = (self._factors * right.T).T
        rest = np.concatenate([top, bottom])
        x, y = np.zeros_like(top), np.zeros_like(bottom)
        last = np.inf
        for step in range(_STEPS):
            change = np.asarray(self._lu.solve(rest))
            x, y = x + change[: self._n], y + change[self._n :]
            rest = np.concatenate([top - weight @ x - self._transposed @ y, bottom - self._C @ x])
            error = float(np.abs(rest).max(initial=0.0))
            size = max(float(np.abs(x).max(initial=0.0)), float(np.abs(y).max(initial=0.0)))
            if step and (error <= _ROUNDING * size or not error <= 0.5 * last):
                break
            last = error
        return x, (self._factors * y.T).T

    def dependence(self, y: Dense) -> Dense:
        """W (C C' + w)^-1 y, rows of C normalised: nearly the part of y with C'y = 0."""
        full = np.concatenate([np.zeros((self._n, *y.shape[1:])), y])
        return -_SHIFT * np.asarray(self._lu.solve(full))[self._n :]

    def explained(self, y: Dense) -> Dense:
        """(C C' + w)^-1 C C'y, rows of C normalised: the other part of y, to rounding."""
        full = np.concatenate([self.combined(y), np.zeros_like(y)])
        return np.asarray(self._lu.solve(full))[self._n :]

    def combined(self, y: Dense) -> Dense:
        """C'y, rows of C normalised."""
        return np.asarray(self._transposed @ y)

    def _dense(self, scaled: Dense) -> Dense:
        C: Dense = self._C if self._small else self._C.toarray()
        x = np.asarray(np.linalg.lstsq(C, scaled, rcond=1e-14)[0], dtype=float)
        return x + np.asarray(np.linalg.lstsq(C, scaled - C @ x, rcond=1e-14)[0], dtype=float)

    def null_part(self, v: Dense) -> Dense:
        """Projection of v (a vector, or one column each) on the null space of C."""
        x = v
        for _ in range(2):
            x = x - self.correction((np.asarray(self._C @ x).T / self._factors).T)
        return x
