"""Rows that differ only by a factor share one direction, hence one cone.

Row i of A is `factor[i] * D[group[i]]`: the two bounds of a variable, or the two limits of a line,
have the same margin up to that factor, so it is built once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Sparse, Vector


@dataclass(frozen=True)
class Directions:
    """Distinct directions D, and for each row its direction and factor."""

    D: Sparse
    group: NDArray[np.intp]
    factor: Vector

    @classmethod
    def of(cls, A: Sparse) -> Directions:
        """Directions of the rows of A."""
        M: Any = A.tocsr(copy=True)
        M.sort_indices()
        group, factor = np.zeros(M.shape[0], dtype=np.intp), np.ones(M.shape[0])
        first: list[int] = []
        known: dict[tuple[bytes, bytes], int] = {}
        for i in range(M.shape[0]):
            start, end = M.indptr[i], M.indptr[i + 1]
            data = M.data[start:end]
            if end > start:
                factor[i] = data[np.argmax(np.abs(data))]
            key = (M.indices[start:end].tobytes(), (data / factor[i] + 0.0).tobytes())
            if key not in known:
                known[key] = len(first)
                first.append(i)
            group[i] = known[key]
        lead = np.array(first, dtype=np.intp)
        # Factors relative to the first row of each direction, so that D is made of rows of A.
        factor = factor / factor[lead][group]
        return cls(M[lead], group, factor)
