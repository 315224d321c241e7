"""The changes Y of a recourse, C Y = 0: as they are, or in fewer numbers that describe the same.

    Y = offset + L X,   K X = 0

Plainly, X = Y and K = C. `Response` makes shorter ones, where the cost allows it. `Border` takes
variables (angles) out of C that follow from the others: with C_f their columns, of full column
rank, one sparse factorisation of C_f, bordered to a square matrix, gives what is left of C for the
others, and the angles at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse
from privopt.solving.factor import factored

__all__ = ["Border", "Space"]

_BORDER = 40  # equations more than angles, at most
_MOVES = 1e-9  # of the largest: a variable that moves by less does not


@dataclass(frozen=True, repr=False, eq=False)
class Space:
    """X: what must hold for it, its cost, and the working rows in terms of it.

    Attributes
    ----------
    K
        K X = 0.
    watched, rows
        The working rows M, and M L.
    quadratic
        L'C2 L.
    lift
        Y = offset + L X, from X.
    kept
        The variables X starts with; None where X has no such meaning.
    prices
        For spaces that hold rows of Z themselves: the gradient there, from the weight of the cost
        and the multipliers of the working rows.
    """

    K: Any
    watched: Any
    rows: Any
    quadratic: Any
    lift: Callable[[Dense], Dense]
    offset: Dense | None = None
    kept: NDArray[np.intp] | None = None
    prices: Callable[[float, Dense], Dense] | None = None

    @classmethod
    def plain(cls, C: Sparse, M: Sparse, quadratic: Sparse) -> Space:
        """X = Y."""
        return cls(C, M, M, quadratic, lambda X: X, kept=np.arange(C.shape[1]))

    def cost_of(self, cross: Dense) -> Dense:
        """L' times a matrix that is zero for variables without a cost."""
        cost = np.zeros((self.rows.shape[1], cross.shape[1]))
        if self.kept is not None:
            cost[: len(self.kept)] = cross[self.kept]
        return cost


class Border:
    """[C_f, B] with a random border B that makes it square; `used` are the rows C_f has."""

    def __init__(self, used: NDArray[np.intp], count: int, lu: Any) -> None:  # noqa: ANN401
        self.used, self._count, self._lu = used, count, lu
        size = len(used)
        unit = np.zeros((size, size - count))
        unit[count:] = np.eye(size - count)
        self.null = np.asarray(lu.solve(unit, trans="T")).T

    @classmethod
    def of(cls, C: Sparse, bare: NDArray[np.intp]) -> Border | None:
        """For the columns `bare` of C; None if they do not have full rank or need a wide border."""
        part: Any = C[:, bare]
        used = np.flatnonzero(np.diff(part.indptr))
        wide = len(used) - len(bare)
        if len(bare) == 0 or not 0 <= wide <= _BORDER:
            return None
        border = np.random.default_rng(3).normal(size=(len(used), wide))
        square: Any = sp.hstack([part[used], sp.csr_array(border)], format="csc")
        try:
            lu = factored(square)
        except np.linalg.LinAlgError:
            return None
        bordered = cls(used, len(bare), lu)
        return bordered if bordered._regular(part[used]) else None

    def _regular(self, part: Any) -> bool:  # noqa: ANN401 -- any scipy sparse
        """Whether solves are accurate, so that the columns have full rank."""
        exact = np.random.default_rng(4).normal(size=(self._count, 2))
        computed = self.angles(np.asarray(part @ exact))
        return bool(np.isfinite(computed).all() and np.abs(computed - exact).max() <= 1e-7)

    def balance(self, part: Sparse) -> Dense:
        """N'C_y for columns C_y, rows of size one.

        A row that is the rounding of what it was added up from is left out: divided by its own
        size, it would be a condition like any other.
        """
        rows = np.asarray(self.null @ part)
        size = np.abs(rows).max(axis=1, initial=0.0)
        added = np.asarray(np.abs(self.null) @ abs(part)).max(axis=1, initial=0.0)
        nonzero = size > _MOVES * added
        return rows[nonzero] / size[nonzero][:, None]

    def rows(self, M: Sparse) -> Dense:
        """Lambda with Lambda C_f = M, orthogonal to the border."""
        right = np.zeros((len(self.used), M.shape[0]))
        right[: self._count] = M.toarray().T
        return np.asarray(self._lu.solve(right, trans="T")).T

    def angles(self, right: Dense) -> Dense:
        """X with C_f x = right, where there is one."""
        return np.asarray(self._lu.solve(right))[: self._count]
