"""Which equalities follow from the others: decided once, on public data, with one tolerance.

Equalities may be given twice, or as subtotals of others. With C their matrix in equilibrated units,
rows of length one,

    w (C C' + w)^-1

with a tiny w is the projection on { y : C'y = 0 }, up to combinations whose row y'C is next to
nothing beside sqrt(w). Applied to a few random vectors it shows these combinations at the price of
solves with a factorisation that is needed anyway. One row is left out for each y with
|C'y| <= RANK |y|: those in which the y are largest, so that what is left is as far from dependent
as it can be. Whether d agrees with the rows left out is checked after a solve.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la

from privopt.arrays import Dense
from privopt.solving.directions import Positions
from privopt.solving.projector import Projector

__all__ = ["RANK", "independent_rows"]

RANK = 1e-11  # a combination of rows of length one that is shorter than this is zero
_FIRST = 4  # random vectors to begin with
_ROUNDS = 3  # of the projection, each sharper
_SHORT = 1e-3  # of a random vector: what is left of it where no combination is zero


def independent_rows(projector: Projector) -> Positions:
    """Rows from which the others follow, by the projector of all of them (in equal units)."""
    every = np.arange(projector.rows)
    null = _combinations(projector)
    if not null.shape[1]:
        return every
    pivots = la.qr(null.T, mode="r", pivoting=True)[1]
    independent = np.ones(len(every), dtype=bool)
    independent[pivots[: null.shape[1]]] = False
    return every[independent]


def _combinations(projector: Projector) -> Dense:
    """An orthonormal basis, by columns, of the combinations of normalised rows that are zero."""
    count = projector.rows
    width = min(_FIRST, count)
    while True:
        y = np.random.default_rng(7).normal(size=(count, width))
        for _ in range(_ROUNDS):
            y = projector.dependence(y)
            if float(np.abs(y).max(initial=0.0)) < _SHORT:
                return np.zeros((count, 0))
        vectors, sizes, _ = np.linalg.svd(y, full_matrices=False)
        vectors = vectors[:, sizes > _SHORT]
        # What is left of other rows in them is a matter of rounding: take it out.
        vectors = np.linalg.qr(vectors - projector.explained(vectors))[0]
        zero = np.linalg.norm(projector.combined(vectors), axis=0) <= RANK
        if zero.sum() < width or width == count:
            return vectors[:, zero]
        width = min(4 * width, count)
