"""The recourse as an operator, Z = Z_0 + Y R.

Z_0 is the particular recourse of program and query, Y an n x r matrix with [G; S] Y = 0, and R has
orthonormal rows. Nothing of size n x p exists unless it is asked for with `np.asarray`, or Z is
small.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from privopt.arrays import Dense, Sparse, Vector
from privopt.conic.particular import Particular

__all__ = ["Recourse"]

_DENSE = 4_000_000  # numbers up to which Z is one matrix


class Recourse:
    """How the solution answers the noise: an n x p linear operator with S Z = I, G Z = 0."""

    def __init__(self, matrix: Dense) -> None:
        self._matrix: Dense | None = np.array(matrix, dtype=float)
        self._matrix.setflags(write=False)
        self._shape = self._matrix.shape[0], self._matrix.shape[1]

    @classmethod
    def low_rank(cls, base: Particular, Y: Dense, R: Dense) -> Recourse:
        """Z_0 + Y R."""
        n, p = base.shape
        if n * p <= _DENSE:
            return cls(base.dense() + Y @ R)
        made = cls.__new__(cls)
        made._matrix, made._shape = None, base.shape
        made._base, made._Y, made._R = base, Y, R
        return made

    @property
    def shape(self) -> tuple[int, int]:
        """(variables, noise dimensions)."""
        return self._shape

    def __matmul__(self, xi: Dense) -> Dense:
        if self._matrix is not None:
            return np.asarray(self._matrix @ xi)
        columns = xi[:, None] if xi.ndim == 1 else xi
        found = self._base.times(columns) + self._Y @ (self._R @ columns)
        return found[:, 0] if xi.ndim == 1 else found

    def under(self, A: Sparse | Dense) -> Dense:
        """A Z, for a matrix of rows A."""
        if self._matrix is not None:
            return np.asarray(A @ self._matrix)
        return self._base.under(A) + np.asarray(A @ self._Y) @ self._R

    def norms(self, A: Sparse) -> Vector:
        """||A_i Z|| for each row of A."""
        if self._matrix is not None:
            return np.linalg.norm(np.asarray(A @ self._matrix), axis=1)
        fixed = np.asarray(A @ self._base.times(self._R.T))
        rest = np.square(self._base.norms(A)) - np.square(fixed).sum(axis=1)
        moved = np.square(fixed + np.asarray(A @ self._Y)).sum(axis=1)
        return np.sqrt(moved + np.maximum(rest, 0.0))

    @cached_property
    def sizes(self) -> Vector:
        """Norm of each row of Z: the deviation of each variable under noise of deviation one."""
        if self._matrix is not None:
            return np.linalg.norm(self._matrix, axis=1)
        fixed = self._base.times(self._R.T)
        rest = np.square(self._base.sizes) - np.square(fixed).sum(axis=1)
        moved = np.square(fixed + self._Y).sum(axis=1)
        return np.sqrt(moved + np.maximum(rest, 0.0))

    def energy(self, C2: Sparse) -> float:
        """tr(Z'C2 Z), for the C2 of the program."""
        if self._matrix is not None:
            return float((self._matrix * np.asarray(C2 @ self._matrix)).sum())
        spread = np.asarray(C2 @ self._Y)
        cross = float((self._base.times(self._R.T) * spread).sum())
        return self._base.energy + 2 * cross + float((self._Y * spread).sum())

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:  # noqa: ANN401
        whole = self._matrix if self._matrix is not None else self._base.dense() + self._Y @ self._R
        return np.array(whole, dtype=dtype, copy=True if copy is None else copy)

    def __repr__(self) -> str:
        return f"Recourse({self.shape[0]} x {self.shape[1]}; private: np.asarray gives the matrix)"
