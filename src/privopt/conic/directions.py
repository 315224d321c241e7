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


@dataclass(frozen=True, repr=False)
class Directions:
    """Distinct directions D (the rows `lead`), and for each row its direction and factor."""

    D: Sparse
    group: Positions
    factor: Vector
    lead: Positions

    def columns(self, directions: Positions) -> Positions:
        """The variables of directions that have one each."""
        D: Any = self.D[directions]
        return np.asarray(D.indices, dtype=np.intp)

    @classmethod
    def of(cls, A: Sparse) -> Directions:
        """Directions of the rows of A."""
        M: Any = A.tocsr(copy=True)
        M.sort_indices()
        count, length = M.shape[0], np.diff(M.indptr)
        filled = np.flatnonzero(length)
        factor = np.ones(count)
        if len(filled):
            size = np.abs(M.data)
            largest = np.zeros(count)
            largest[filled] = np.maximum.reduceat(size, M.indptr[filled])
            # The first entry of largest size in each row.
            row: Any = np.repeat(np.arange(count, dtype=np.intp), length)
            at = np.flatnonzero(np.asarray(size == largest[row]))
            first = np.full(count, -1, dtype=np.intp)
            first[row[at][::-1]] = at[::-1]
            factor[filled] = M.data[first[filled]]
        unit = M.data / np.repeat(factor, length) + 0.0
        known: dict[tuple[bytes, bytes], int] = {}
        group = np.zeros(count, dtype=np.intp)
        places, values = M.indices.astype(np.int64).tobytes(), unit.tobytes()
        ends = (8 * M.indptr).tolist()
        for i in range(count):
            start, end = ends[i], ends[i + 1]
            key = (places[start:end], values[start:end])
            group[i] = known.setdefault(key, len(known))
        lead = np.full(len(known), -1, dtype=np.intp)
        lead[group[::-1]] = np.arange(count)[::-1]
        # Factors relative to the first row of each direction, so that D is made of rows of A.
        factor = factor / factor[lead][group]
        return cls(M[lead], group, factor, lead)


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
