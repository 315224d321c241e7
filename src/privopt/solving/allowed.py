"""Matrices that equalities and query allow: C Y = right, and zero where `still` says so.

C = [G; S] is the same for every column, so one factorisation projects them all. Entries held at
zero (`Sum(..., separate=True)`) differ from column to column: each column has its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse
from privopt.solving.projector import Projector

__all__ = ["Allowed"]


class Allowed:
    """Projection of matrices on { Y : C Y = right, Y = 0 where still }."""

    def __init__(self, C: Sparse, still: NDArray[np.bool_] | None) -> None:
        self._C, self._still = C, still
        if still is None:
            self._projectors = [Projector(C)]
        else:
            self._projectors = [Projector(self._extended(column)) for column in still.T]

    def _extended(self, still: NDArray[np.bool_]) -> Sparse:
        """C with a row for each variable held at zero."""
        rows = np.flatnonzero(still)
        unit: Any = sp.csr_array(
            (np.ones(len(rows)), (np.arange(len(rows)), rows)), shape=(len(rows), len(still))
        )
        stacked: Any = sp.vstack([self._C, unit], format="csr")
        return stacked

    def least(self, right: Dense) -> Dense:
        """The allowed matrix of least norm."""
        return self._step(np.zeros((self._C.shape[1], right.shape[1])), right)

    def nearest(self, Y: Dense, right: Dense | None = None) -> Dense:
        """The allowed matrix nearest to Y, to rounding; right = 0 unless given."""
        target = np.zeros((self._C.shape[0], Y.shape[1])) if right is None else right
        return self._step(self._step(Y, target), target)

    def _step(self, Y: Dense, right: Dense) -> Dense:
        missing = right - np.asarray(self._C @ Y)
        if self._still is None:
            return Y + self._projectors[0].correction(missing)
        columns: list[Dense] = []
        for j, projector in enumerate(self._projectors):
            to_zero = -Y[self._still[:, j], j]
            columns.append(Y[:, j] + projector.correction(np.concatenate([missing[:, j], to_zero])))
        return np.where(self._still, 0.0, np.column_stack(columns))
