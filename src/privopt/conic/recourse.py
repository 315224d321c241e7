"""The recourses that equalities and query allow: C Z = right, and zero where `still` says so.

C = [G; S] is the same for every column of Z, so one factorisation projects them all. Entries held
at zero (`Sum(..., separate=True)`) differ from column to column: each column has its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse
from privopt.conic.projector import Projector

__all__ = ["Recourses"]


class Recourses:
    """Projection of matrices on { Z : C Z = right, Z = 0 where still }."""

    def __init__(self, C: Sparse, right: Dense, still: NDArray[np.bool_] | None) -> None:
        self._C, self._right, self._still = C, right, still
        if still is None:
            self._projectors = [Projector(C)]
        else:
            self._projectors = [Projector(self._held(still[:, j])) for j in range(still.shape[1])]

    def _held(self, still: NDArray[np.bool_]) -> Sparse:
        """C with a row for each variable held at zero."""
        rows = np.flatnonzero(still)
        unit: Any = sp.csr_array(
            (np.ones(len(rows)), (np.arange(len(rows)), rows)), shape=(len(rows), len(still))
        )
        stacked: Any = sp.vstack([self._C, unit], format="csr")
        return stacked

    def particular(self) -> Dense:
        """The allowed recourse of least norm."""
        return self._step(np.zeros((self._C.shape[1], self._right.shape[1])))

    def nearest(self, Z: Dense) -> Dense:
        """The allowed recourse nearest to Z, to rounding."""
        return self._step(self._step(Z))

    def _step(self, Z: Dense) -> Dense:
        left = self._right - np.asarray(self._C @ Z)
        if self._still is None:
            return Z + self._projectors[0].correction(left)
        columns: list[Dense] = []
        for j, projector in enumerate(self._projectors):
            held = -Z[self._still[:, j], j]
            columns.append(Z[:, j] + projector.correction(np.concatenate([left[:, j], held])))
        return np.where(self._still, 0.0, np.column_stack(columns))
