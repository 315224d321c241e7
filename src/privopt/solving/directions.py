"""Rows that differ only by a factor share one direction, hence one cone.

Row i of A is `factor[i] * D[group[i]]`: the two bounds of a variable, or the two limits of a line,
have the same margin up to that factor, so it is built once. That 0.7 a and a / 3 are multiples of
one row is seen in spite of their rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Sparse, Vector

Positions: TypeAlias = NDArray[np.intp]
_SAME = 64 * 2.0**-52  # entries of a direction, its largest being one: a few roundings apart
_NEAR = 2.0**-44  # sums of such entries, for each of them


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

    def marked(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The directions of some rows."""
        marks = np.zeros(len(self.lead), dtype=bool)
        marks[self.group[rows]] = True
        return marks

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
            # The first entry of largest size in each row, up to rounding.
            row: Any = np.repeat(np.arange(count, dtype=np.intp), length)
            at = np.flatnonzero(np.asarray(size >= (1 - _SAME) * largest[row]))
            first = np.full(count, -1, dtype=np.intp)
            first[row[at][::-1]] = at[::-1]
            factor[filled] = M.data[first[filled]]
        unit = M.data / np.repeat(factor, length) + 0.0
        group = _groups(M, unit)
        lead = np.full(int(group.max(initial=-1)) + 1, -1, dtype=np.intp)
        lead[group[::-1]] = np.arange(count)[::-1]
        # Factors relative to the first row of each direction, so that D is made of rows of A.
        factor = factor / factor[lead][group]
        return cls(M[lead], group, factor, lead)


def _groups(M: Sparse, unit: Vector) -> Positions:
    """Rows with the same entries `unit` in the same places, up to rounding, have one number.

    Rows nearly alike have nearly the same length and sum of entries times random weights. Those
    that follow each other in the order of these are compared with the first row among them.
    """
    count, weights = M.shape[0], np.random.default_rng(5).uniform(1.0, 2.0, M.shape[1])
    length = np.diff(M.indptr)
    sums, filled = np.zeros(count), np.flatnonzero(length)
    if len(filled):
        sums[filled] = np.add.reduceat(unit * weights[M.indices], M.indptr[filled])
    lead = np.arange(count)
    pending = lead
    while len(pending):
        order = pending[np.lexsort((pending, sums[pending], length[pending]))]
        near = (np.diff(sums[order]) <= _NEAR * (1 + length[order[1:]])) & (
            np.diff(length[order]) == 0
        )
        run = np.concatenate([[0], np.cumsum(~near)])
        first = np.full(run[-1] + 1, count, dtype=np.intp)
        np.minimum.at(first, run, order)
        lead[order] = first[run]
        apart = order[~_alike(M, unit, order, first[run])]
        lead[apart] = apart
        pending = apart
    return np.unique(lead, return_inverse=True)[1]


def _alike(M: Sparse, unit: Vector, rows: Positions, others: Positions) -> NDArray[np.bool_]:
    """For rows and others of the same lengths: whether they are the same, up to rounding."""
    length = np.diff(M.indptr)[rows]
    ends = np.cumsum(length)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - length, length)
    a = within + np.repeat(M.indptr[rows], length)
    b = within + np.repeat(M.indptr[others], length)
    differ = (M.indices[a] != M.indices[b]) | (np.abs(unit[a] - unit[b]) > _SAME)
    return np.bincount(np.repeat(np.arange(len(rows)), length), differ, len(rows)) == 0
