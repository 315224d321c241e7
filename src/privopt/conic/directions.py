"""Rows that differ only by a factor share one direction, hence one cone.

Row i of A is `factor[i] * D[group[i]]`: the two bounds of a variable, or the two limits of a line,
have the same margin up to that factor, so it is built once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Sparse, Vector

Positions: TypeAlias = NDArray[np.intp]
ROUNDING = 1e-9


@dataclass(frozen=True)
class Directions:
    """Distinct directions D, and for each row its direction and factor."""

    D: Sparse
    group: Positions
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


def tied_rows(A: Sparse, b: Vector) -> tuple[Positions, Positions]:
    """Rows that come in pairs a z <= b, -a z <= -b: the first and the second of each pair.

    Such a pair is an equality: with noise in it, one of the two would fail half of the time.
    """
    ways = Directions.of(A)
    limit = b / np.abs(ways.factor)
    above: dict[int, int] = {}
    below: dict[int, int] = {}
    for i, group in enumerate(ways.group.tolist()):
        side = above if ways.factor[i] > 0 else below
        if group not in side or limit[i] < limit[side[group]]:
            side[group] = i
    first: list[int] = []
    second: list[int] = []
    for group in sorted(set(above) & set(below)):
        i, k = above[group], below[group]
        gap, size = abs(limit[i] + limit[k]), max(abs(limit[i]), abs(limit[k]))
        if gap <= ROUNDING * size and ways.D[[group]].nnz:
            first.append(i)
            second.append(k)
    return np.array(first, dtype=np.intp), np.array(second, dtype=np.intp)
