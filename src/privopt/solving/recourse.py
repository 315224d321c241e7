"""The recourse as an operator: a matrix where it is small, Z = Z_0 + Y R where it is not.

Z_0 is the particular recourse of program and query, Y an n x r matrix with [G; S] Y = 0, and R has
orthonormal rows. Nothing of size n x p exists then unless it is asked for with `np.asarray`.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.particular import Particular

__all__ = ["LowRankRecourse", "Recourse", "recourse_of"]

_DENSE = 4_000_000  # numbers up to which Z is one matrix


class Recourse:
    """How the solution answers the noise: an n x p linear operator with S Z = I, G Z = 0."""

    def __init__(self, matrix: Dense) -> None:
        self._matrix = np.array(matrix, dtype=float)
        self._matrix.setflags(write=False)

    @property
    def shape(self) -> tuple[int, int]:
        """(variables, noise dimensions)."""
        return self._matrix.shape[0], self._matrix.shape[1]

    def __matmul__(self, xi: Dense) -> Dense:
        return np.asarray(self._matrix @ xi)

    def under(self, A: Sparse | Dense) -> Dense:
        """A Z, for a matrix of rows A."""
        return np.asarray(A @ self._matrix)

    def norms(self, A: Sparse) -> Vector:
        """||A_i Z|| for each row of A."""
        return np.linalg.norm(self.under(A), axis=1)

    @cached_property
    def sizes(self) -> Vector:
        """Norm of each row of Z: the deviation of each variable under noise of deviation one."""
        return np.linalg.norm(self._matrix, axis=1)

    def energy(self, C2: Sparse) -> float:
        """tr(Z'C2 Z), for the C2 of the program."""
        return float((self._matrix * np.asarray(C2 @ self._matrix)).sum())

    def _whole(self) -> Dense:
        return self._matrix

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:  # noqa: ANN401
        return np.array(self._whole(), dtype=dtype, copy=True if copy is None else copy)

    def __repr__(self) -> str:
        return f"Recourse({self.shape[0]} x {self.shape[1]}; private: np.asarray gives the matrix)"


class LowRankRecourse(Recourse):
    """Z_0 + Y R, multiplied out only when asked for."""

    def __init__(self, base: Particular, Y: Dense, R: Dense) -> None:
        self._base, self._Y, self._R = base, Y, R

    @property
    def shape(self) -> tuple[int, int]:
        """(variables, noise dimensions)."""
        return self._base.shape

    def __matmul__(self, xi: Dense) -> Dense:
        columns = xi[:, None] if xi.ndim == 1 else xi
        product = self._base.times(columns) + self._Y @ (self._R @ columns)
        return product[:, 0] if xi.ndim == 1 else product

    def under(self, A: Sparse | Dense) -> Dense:
        """A Z, for a matrix of rows A."""
        return self._base.under(A) + np.asarray(A @ self._Y) @ self._R

    def norms(self, A: Sparse) -> Vector:
        """||A_i Z|| for each row of A, without A Z."""
        fixed, change = np.asarray(A @ self._along), np.asarray(A @ self._Y)
        return _norms(self._base.norms(A), fixed, change)

    @cached_property
    def _along(self) -> Dense:
        return self._base.times(self._R.T)

    @cached_property
    def sizes(self) -> Vector:
        """Norm of each row of Z: the deviation of each variable under noise of deviation one."""
        return _norms(self._base.sizes, self._along, self._Y)

    def energy(self, C2: Sparse) -> float:
        """tr(Z'C2 Z), for the C2 of the program."""
        spread = np.asarray(C2 @ self._Y)
        return self._base.energy + float(((2 * self._along + self._Y) * spread).sum())

    def _whole(self) -> Dense:
        return self._base.dense() + self._Y @ self._R


def _norms(whole: Vector, fixed: Dense, change: Dense) -> Vector:
    """Norms of rows a + m R from those of a, from a R' and from m."""
    rest = np.square(whole) - np.square(fixed).sum(axis=1)
    return np.sqrt(np.square(fixed + change).sum(axis=1) + np.maximum(rest, 0.0))


def recourse_of(base: Particular, Y: Dense, R: Dense | None) -> Recourse:
    """The recourse Z_0 + Y R (R = I if None), as one matrix where that is small."""
    n, p = base.shape
    if R is not None and n * p > _DENSE:
        return LowRankRecourse(base, Y, R)
    return Recourse(base.dense() + (Y if R is None else Y @ R))
