"""What a policy is asked for: the private data as its solution sees them, all of it public."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector

__all__ = ["Specification"]


@dataclass(frozen=True, repr=False, eq=False)
class Specification:
    """What a design is asked for.

    Attributes
    ----------
    target
        Right-hand side of the equalities at the mean of the private data.
    F
        How the right-hand side follows the private data, equalities x q.
    low, high
        The domain of their deviation v from the mean.
    variance
        Of each entry of v.
    reach
        How far neighbours lie apart in each entry, at most.
    order
        The norm of the sensitivity, 1 or 2.
    owner
        The owner of each entry, counted from zero, where neighbours can differ in all entries of
        one owner; None where they differ in one entry.
    floor
        Least noise, as a part of what the calibration has.
    fidelity, answer
        Fidelity, and mean (p) and covariance with v (p x q) of the non-private answer.
    rank
        Directions the columns of the gain share besides their own answers; None for any gain.
    silent
        Whether the release is to be a constant: no gain on what is released, and no noise.
    measure
        W of an affine rule, which releases an affine function of W v + xi; sums x q.
    """

    target: Vector
    F: Sparse
    low: Vector
    high: Vector
    variance: Vector
    reach: Vector
    order: int
    owner: NDArray[np.intp] | None = None
    floor: float = 0.0
    fidelity: float = 0.0
    answer: tuple[Vector, Dense] | None = None
    rank: int | None = None
    silent: bool = False
    measure: Dense | None = None

    def together(self, columns: Dense) -> Dense:
        """How far the changes of one owner move values at most, a column for each owner.

        `columns` is what a unit of each entry moves them by; changes never cancel.
        """
        moved = np.abs(columns) * self.reach
        if self.owner is None:
            return moved
        whole = np.zeros((len(moved), int(self.owner.max(initial=-1)) + 1))
        np.add.at(whole.T, self.owner, moved.T)
        return whole
