"""[P + A'W A + w, G'; G, -w] for changing weights W: its sparsity pattern is computed once.

A tiny w makes the matrix regular whatever the cost and the equalities are; callers check the
residuals of what they solve with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Sparse, Vector
from privopt.solving.factor import factored

__all__ = ["NormalEquations"]

_SHIFT = 1e-13  # beside rows of G whose largest entry is one


class NormalEquations:
    """Factorisations for one P, A and G."""

    def __init__(self, P: Sparse, A: Sparse, G: Sparse) -> None:
        n, m = A.shape[1], A.shape[0]
        length = np.diff(A.indptr)
        # All pairs of entries in a row: (k, l) adds W_i A_ik A_il.
        first = np.repeat(np.arange(A.nnz), np.repeat(length, length))
        start = np.repeat(A.indptr[:-1], length**2)
        inside = np.arange(len(first)) - np.repeat(np.cumsum(length**2) - length**2, length**2)
        second = start + inside % np.maximum(np.repeat(length, length**2), 1)
        at = A.indices[first], A.indices[second]
        values, row = A.data[first] * A.data[second], np.repeat(np.arange(m), length**2)
        square = sp.csr_array((np.ones(len(values)), at), shape=(n, n))
        pattern: Any = abs(P) + square
        transposed: Any = G.T
        corner = np.concatenate([np.full(n, _SHIFT), np.full(G.shape[0], -_SHIFT)])
        whole: Any = sp.block_array([[pattern, abs(transposed)], [abs(G), None]], format="csc")
        whole = sp.csc_array(whole + sp.diags_array(np.abs(corner)))
        whole.sort_indices()
        size = whole.shape[0]
        self._pattern = sp.csc_matrix(whole)
        column: Any = np.repeat(np.arange(size, dtype=np.intp), np.diff(whole.indptr))
        place: Any = column.astype(np.int64) * size + whole.indices

        def located(rows: Any, columns: Any) -> NDArray[np.intp]:  # noqa: ANN401 -- index arrays
            keys: Any = np.asarray(columns, dtype=np.int64) * size + rows
            return np.asarray(np.searchsorted(place, keys), dtype=np.intp)

        fixed: Any = sp.block_array([[P, transposed], [G, None]])
        fixed = sp.coo_array(fixed + sp.diags_array(corner))
        self._fixed = np.zeros(len(place))
        np.add.at(self._fixed, located(fixed.row, fixed.col), fixed.data)
        self._map = sp.csr_array((values, (located(*at), row)), shape=(len(place), m))

    def factor(self, weights: Vector) -> Any:  # noqa: ANN401 -- SuperLU has no public type
        """A sparse LU factorisation."""
        matrix = self._pattern.copy()
        matrix.data = self._fixed + self._map @ weights
        return factored(matrix, symmetric=True, pivot=0.01)
