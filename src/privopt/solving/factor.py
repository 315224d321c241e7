"""LU factorisation of a matrix that may be singular: sparse by SuperLU, a dense array by LAPACK.

SuperLU writes beyond its memory where a column is left without any row to pivot on, as happens in
a matrix that is singular by where its entries are: the interpreter dies, at once or later. A matrix
whose whole diagonal is stored, if only as zeros, always has a row left, and a pivot that is exactly
zero is then an ordinary error. So nothing in privopt calls `splu` but this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg.lapack as lapack
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from numpy.typing import NDArray

__all__ = ["factored"]

_TOOL: Any = lapack  # its functions have no types


def factored(matrix: Any, *, symmetric: bool = False, pivot: float = 1.0) -> Any:  # noqa: ANN401 -- scipy's SuperLU
    """The factorisation of a square matrix, as an object that can `solve`.

    `symmetric` orders for a matrix whose entries are placed symmetrically; a diagonal entry is the
    pivot where it is at least `pivot` times the largest of its column.

    Raises
    ------
    numpy.linalg.LinAlgError
        The matrix is exactly singular.
    """
    if hasattr(matrix, "__array__"):
        return _Dense(np.asarray(matrix, dtype=np.float64))
    whole = _with_diagonal(sp.csc_matrix(matrix))
    factor: Callable[..., Any] = spla.splu
    try:
        return factor(whole, diag_pivot_thresh=pivot, options={"SymmetricMode": symmetric})
    except RuntimeError as error:
        raise np.linalg.LinAlgError("the matrix is exactly singular") from error


class _Dense:
    """The factorisation of a dense matrix."""

    def __init__(self, matrix: NDArray[np.float64]) -> None:
        self._lu, self._pivots, info = _TOOL.dgetrf(matrix)
        if info:
            raise np.linalg.LinAlgError("the matrix is exactly singular")

    def solve(self, right: NDArray[np.float64]) -> NDArray[np.float64]:
        """The solution for right-hand sides (a vector, or one column each)."""
        return np.ascontiguousarray(_TOOL.dgetrs(self._lu, self._pivots, right)[0])


def _with_diagonal(matrix: Any) -> Any:  # noqa: ANN401 -- any scipy sparse
    """The same matrix with every entry of its diagonal stored."""
    size: int = matrix.shape[0]
    column: NDArray[np.intp] = np.repeat(np.arange(size), np.diff(matrix.indptr))
    stored = np.zeros(size, dtype=bool)
    stored[matrix.indices[matrix.indices == column]] = True
    missing = np.flatnonzero(~stored)
    if not len(missing):
        return matrix
    data = np.concatenate([matrix.data, np.zeros(len(missing))])
    place: Any = (
        np.concatenate([matrix.indices, missing]),
        np.concatenate([column, missing]),
    )
    return sp.csc_matrix((data, place), shape=matrix.shape)
