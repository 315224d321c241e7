"""What rows of A say beside being rows, whatever way a program is written in. Public data only.

- A row with one entry is a bound: the tightest of them and of `lower`, `upper` is the box of z.
- Rows a z <= b and -f a z <= -f b, f > 0, are an equality. With noise in it, one of the two would
  fail half of the time. The other rows along a hold where it does.
- A row whose variables are all fixed holds, or the program has no point.
"""

from __future__ import annotations

import numpy as np

from privopt.arrays import Sparse, Vector
from privopt.solving.directions import Directions, Positions
from privopt.solving.equilibration import largest_of_rows
from privopt.solving.sparse import absolute

__all__ = ["ROUNDING", "box", "settled_rows", "tied_rows"]

ROUNDING = 1e-9  # of its size: limits that differ by less are one


def box(A: Sparse, b: Vector, lower: Vector, upper: Vector) -> tuple[Vector, Vector]:
    """The tightest bounds that `lower`, `upper` and the rows of A with one entry give."""
    least, most = lower.copy(), upper.copy()
    alone = np.flatnonzero(np.diff(A.indptr) == 1)
    entry = A.data[A.indptr[alone]]
    alone, entry = alone[entry != 0], entry[entry != 0]
    column, limit = A.indices[A.indptr[alone]], b[alone] / entry
    np.minimum.at(most, column[entry > 0], limit[entry > 0])
    np.maximum.at(least, column[entry < 0], limit[entry < 0])
    return least, most


def settled_rows(A: Sparse, b: Vector, fixed: Positions, values: Vector) -> Positions:
    """Rows of A that variables fixed at some values alone decide, and keep."""
    free = np.ones(A.shape[1])
    free[fixed] = 0.0
    value = np.where(free, 0.0, values)
    size = np.abs(b) + np.asarray(absolute(A) @ np.abs(value))
    holds = np.asarray(A @ value) <= b + ROUNDING * size
    return np.flatnonzero((np.asarray(absolute(A) @ free) == 0) & holds)


def tied_rows(A: Sparse, b: Vector) -> tuple[Positions, Positions, Positions]:
    """Rows that come in pairs a z <= b, -f a z <= -f b: the first, the second, and what follows."""
    if not _opposite(b / largest_of_rows(A, np.ones(A.shape[1]))):
        none = np.zeros(0, dtype=np.intp)
        return none, none, none
    ways = Directions.of(A)
    count = len(ways.lead)
    limit = b / np.abs(ways.factor)
    up = ways.factor > 0
    both = ways.marked(up) & ways.marked(~up)
    # The tightest row of each direction on either side, the first of several.
    order = np.lexsort((np.arange(len(b)), limit))[::-1]
    first, second = np.zeros(count, dtype=np.intp), np.zeros(count, dtype=np.intp)
    first[ways.group[order[up[order]]]] = order[up[order]]
    second[ways.group[order[~up[order]]]] = order[~up[order]]
    gap = np.abs(limit[first] + limit[second])
    size = np.maximum(np.abs(limit[first]), np.abs(limit[second]))
    tied = both & (np.diff(ways.D.indptr) > 0) & (gap <= ROUNDING * size)
    pairs = np.flatnonzero(tied)
    first, second = first[pairs], second[pairs]
    return first, second, np.setdiff1d(np.flatnonzero(tied[ways.group]), [*first, *second])


def _opposite(limits: Vector) -> bool:
    """Whether there are two limits of which one is the negative of the other, up to rounding."""
    order = np.sort(limits)
    after = np.searchsorted(order, -order - 2 * ROUNDING * np.abs(order))
    before = np.searchsorted(order, -order + 2 * ROUNDING * np.abs(order), side="right")
    return bool((before - after > (order == 0)).any())
