"""Sparse matrices by rows, put together from their arrays.

Scipy's own verbs look for formats, indices and duplicates first; on matrices of a few dozen rows
that takes far longer than the work. Nothing here changes what it is given; arrays may be shared.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Sparse, Vector

__all__ = ["absolute", "heavier", "like", "places", "repeated", "stacked", "taken"]

Positions = NDArray[np.intp]


def like(M: Sparse, data: Vector) -> Sparse:
    """A matrix with other entries in the same places."""
    other = copy.copy(M)
    other.data = data
    return other


def absolute(M: Sparse) -> Sparse:
    """|M|, entry by entry."""
    return like(M, np.abs(M.data))


def heavier(M: Sparse, weights: Vector) -> Sparse:
    """A square matrix with more on its diagonal."""
    own = np.flatnonzero(weights)
    place: Any = (np.concatenate([places(M), own]), np.concatenate([M.indices, own]))
    return sp.csr_array((np.concatenate([M.data, weights[own]]), place), shape=M.shape)


def places(M: Sparse) -> Positions:
    """The row of each entry that is stored."""
    return np.repeat(np.arange(M.shape[0]), np.diff(M.indptr))


def repeated(M: Sparse, weights: Vector) -> Sparse:
    """Multiples of a matrix along the diagonal."""
    (rows, columns), count = M.shape, len(weights)
    ends: Any = M.indptr[1:] + M.nnz * np.arange(count)[:, None]
    arrays: Any = (
        np.outer(weights, M.data).ravel(),
        (M.indices + columns * np.arange(count)[:, None]).ravel(),
        np.concatenate([[0], ends.ravel()]),
    )
    return sp.csr_array(arrays, shape=(count * rows, count * columns))


def stacked(*parts: Sparse) -> Sparse:
    """The rows of some matrices below each other."""
    ends = np.cumsum([0, *(part.indptr[-1] for part in parts)])
    arrays: Any = (
        np.concatenate([part.data for part in parts]),
        np.concatenate([part.indices for part in parts]),
        np.concatenate(
            [[0], *(end + part.indptr[1:] for end, part in zip(ends, parts, strict=False))]
        ),
    )
    return sp.csr_array(arrays, shape=(sum(part.shape[0] for part in parts), parts[0].shape[1]))


def taken(M: Sparse, rows: Positions) -> Sparse:
    """Some rows of a matrix, in their order."""
    length = np.diff(M.indptr)[rows]
    ends = np.concatenate([[0], np.cumsum(length)])
    shift = np.repeat(M.indptr[rows] - ends[:-1], length)
    entries = np.arange(len(shift)) + shift
    arrays: Any = (M.data[entries], M.indices[entries], ends)
    return sp.csr_array(arrays, shape=(len(rows), M.shape[1]))
