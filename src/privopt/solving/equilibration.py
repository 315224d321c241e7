"""Equilibration: factors that bring the entries of a matrix to one size, whatever their units.

They are those with the least sum of squares of log |r_i M_ij c_j| (Curtis and Reid), which do not
depend on units. Ruiz's factors do not follow: they scale neighbouring angles further apart, and the
solver stalls on large networks. Rows of one entry count for nothing: a bound can always be scaled
by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from privopt.arrays import Sparse, Vector
from privopt.solving.directions import Positions
from privopt.solving.sparse import like, places, stacked, taken

__all__ = ["balanced", "column_sizes", "equilibrate", "largest_of_rows", "scaled", "together"]

_LOGS = 40  # rounds of Curtis and Reid, at most
_ALIKE = 1e-2  # logarithms that differ by less


def equilibrate(A: Sparse, G: Sparse, *others: Sparse) -> tuple[Vector, Vector, Vector]:
    """Factors of the rows of A, of the rows of G, and sizes of their columns.

    Rows of `others` count for the sizes of the columns.
    """
    columns = column_sizes(A, G, *others)
    return 1 / largest_of_rows(A, columns), 1 / largest_of_rows(G, columns), columns


def column_sizes(*parts: Sparse) -> Vector:
    """Sizes at which the entries of each row of some matrices are alike, whatever their units."""
    M = stacked(*parts)
    coupling = np.flatnonzero(np.diff(M.indptr) > 1)
    if not len(coupling):
        return np.ones(M.shape[1])
    return balanced(taken(M, coupling))[1]


def balanced(M: Sparse) -> tuple[Vector, Vector]:
    """Factors of rows and columns with the least sum of squares of log |r_i M_ij c_j|.

    What they make of M does not depend on the units of its rows and columns (Curtis and Reid).
    """
    filled = M.data != 0
    row, column = places(M)[filled], M.indices[filled]
    logs = np.log(np.abs(M.data[filled]))
    rows, columns = np.zeros(M.shape[0]), np.zeros(M.shape[1])
    in_row = np.maximum(np.bincount(row, minlength=M.shape[0]), 1)
    in_column = np.maximum(np.bincount(column, minlength=M.shape[1]), 1)
    for _ in range(_LOGS):
        before = columns
        rows = -np.bincount(row, logs + columns[column], M.shape[0]) / in_row
        columns = -np.bincount(column, logs + rows[row], M.shape[1]) / in_column
        if np.abs(columns - before).max(initial=0.0) < _ALIKE:
            break
    return np.exp(rows), np.exp(columns)


def together(A: Sparse, G: Sparse) -> Positions:
    """For each variable, a number it shares with those that rows of [A; G] tie it to."""
    m, n = A.shape[0] + G.shape[0], G.shape[1]
    column = m + np.concatenate([A.indices, G.indices])
    ends = np.concatenate([A.indptr, A.indptr[-1] + G.indptr[1:], np.full(n, len(column))])
    both: Any = sp.csr_array((np.ones(len(column)), column, ends), shape=(m + n, m + n))
    label = np.asarray(csgraph.connected_components(both, directed=False)[1], dtype=np.intp)
    return np.unique(label[m:], return_inverse=True)[1]


def largest_of_rows(M: Sparse, columns: Vector) -> Vector:
    """Largest |M_ij| E_j of every row; one for a row of zeros."""
    values = np.zeros(M.shape[0])
    filled = np.flatnonzero(np.diff(M.indptr))
    if len(filled):
        scaled = np.abs(M.data) * columns[M.indices]
        values[filled] = np.maximum.reduceat(scaled, M.indptr[filled])
    return np.where(values > 0, values, 1.0)


def scaled(M: Sparse, columns: Vector, rows: Vector | None = None) -> Sparse:
    """Columns (and rows) of a matrix times factors."""
    data = M.data * columns[M.indices]
    if rows is not None:
        data = np.repeat(rows, np.diff(M.indptr)) * data
    return like(M, data)
