"""The affine object z = offset + gain u + recourse xi.

A `Plan` has no gain (its offset is z~, solved for one d); a policy has one. The recourse is an
operator: it multiplies, and becomes a dense n x p matrix only when asked with `np.asarray`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from privopt.arrays import Dense, Sparse, Vector
from privopt.errors import InputError

__all__ = ["Affine", "Recourse"]


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

    def under(self, A: Sparse) -> Dense:
        """A Z, for a matrix of rows A."""
        return np.asarray(A @ self._matrix)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:  # noqa: ANN401
        return np.array(self._matrix, dtype=dtype, copy=True if copy is None else copy)

    def __repr__(self) -> str:
        return f"Recourse({self.shape[0]} x {self.shape[1]}; private: np.asarray gives the matrix)"


@dataclass(frozen=True, repr=False, eq=False)
class Affine:
    """z(u, xi) = offset + gain u + recourse xi; `gain` is None where there is no u."""

    offset: Vector
    recourse: Recourse
    gain: Dense | None = None

    def at(self, xi: Dense, u: Vector | None = None) -> Dense:
        """The solution for a noise vector, or for each column of a matrix of them."""
        if u is None:
            return (self.offset + (self.recourse @ xi).T).T
        if self.gain is None:
            raise InputError(
                "u was given to a solution without a gain.",
                "no u: this solution was made for one d.",
                "leave it out.",
            )
        start = self.offset + self.gain @ u
        return (start + (self.recourse @ xi).T).T
