"""Sparse matrices as plain data, in and out of files, to the same bits."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Sparse
from privopt.plain import floats, integer, integers

__all__ = ["matrix", "read_matrix"]


def matrix(M: Sparse) -> dict[str, Any]:
    """A sparse matrix."""
    return {
        "shape": [int(size) for size in M.shape],
        "indptr": M.indptr.tolist(),
        "indices": M.indices.tolist(),
        "data": M.data.tolist(),
    }


def read_matrix(data: dict[str, Any], rows: int, columns: int) -> Sparse:
    """The matrix of that shape that `matrix` wrote; ValueError if it is none."""
    indptr, indices = integers(data["indptr"]), integers(data["indices"])
    for size, known in zip(integers(data["shape"]), (rows, columns), strict=True):
        integer(size, known, known)
    # scipy takes indices beyond the shape, and then reads and writes beyond the arrays.
    whole = (
        len(indptr) == rows + 1
        and (indptr[0], indptr[-1]) == (0, len(indices))
        and all(a <= b for a, b in pairwise(indptr))
        and all(0 <= index < columns for index in indices)
    )
    if not whole:
        raise ValueError
    places = np.array(indices, dtype=np.int64) + columns * np.repeat(
        np.arange(rows), np.diff(np.array(indptr, dtype=np.int64))
    )
    if len(np.unique(places)) < len(places):  # sums of entries are rounded in some places only
        raise ValueError
    values = floats(data["data"], len(indices))
    parts: Any = (values, np.array(indices, dtype=np.int64), np.array(indptr, dtype=np.int64))
    return sp.csr_array(parts, shape=(rows, columns))
