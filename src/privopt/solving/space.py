"""The changes Y of a recourse, C Y = 0, written with as few variables as the structure allows.

Y = L X with K X = 0. Plainly, X = Y and K = C. In a network most variables (the angles) cost
nothing, have no limit of their own and follow from the others; the program sees them only through
the few rows in its working set. Then X holds the other variables y that can move at all, and one
variable f for each working row the angles enter,

    N'C_y y = 0,     f = (M_y - Lambda'C_y) y,     with Lambda'C_f = M_f,  N'C_f = 0

where C_f are the columns of the angles (of full column rank) and M the working rows. One sparse
factorisation of C_f, bordered to a square matrix, gives Lambda and N, and the angles at the end.
The result is the same program: nothing is approximated.
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
from privopt.solving.projector import Projector

__all__ = ["Border", "Elimination", "Space"]

_BORDER = 40  # equations more than angles, at most
_MOVES = 1e-9  # of the largest: a variable that moves by less does not
_ROUNDING = 1e-13  # of the largest entry: an entry that is none
_TIMES = 2.5  # how much denser than the plain form the short one may be


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


class Elimination:
    """Spaces of one C and C2 for different working rows: what they share is computed once."""

    def __init__(self, C: Sparse, quadratic: Sparse) -> None:
        self._C, self._quadratic = C, quadratic
        n = C.shape[1]
        start = np.random.default_rng(2).normal(size=(n, 4))
        changes = np.abs(Projector(C).null_part(start)).max(axis=1, initial=0.0)
        self._moving = changes > _MOVES * changes.max(initial=0.0)
        costs: Any = abs(quadratic)
        self._bare = (np.asarray(costs.sum(axis=0)).ravel() == 0) & self._moving
        self._borders: dict[bytes, Border | None] = {}

    def space(self, M: Sparse) -> Space:
        """The space for working rows M."""
        alone = np.diff(M.indptr) == 1
        own = np.zeros(self._C.shape[1], dtype=bool)
        own[M[np.flatnonzero(alone)].indices] = True
        bare = self._bare & ~own
        key = bare.tobytes()
        if key not in self._borders:
            self._borders = {key: Border.of(self._C, np.flatnonzero(bare))}
        border = self._borders[key]
        if border is None:
            return Space.plain(self._C, M, self._quadratic)
        return self._short(border, M, np.flatnonzero(bare)) or self._plain(border, M)

    def _plain(self, border: Border, M: Sparse) -> Space:
        """X = Y with the balance N'C_y y = 0 spelled out.

        It follows from C Y = 0, but there its coefficients may be so small beside those of the
        angles that a solver's tolerance is too much for it.
        """
        balance = border.balance(self._C[border.used])
        balance = np.where(np.abs(balance) > _ROUNDING, balance, 0.0)
        K: Any = sp.vstack([self._C, sp.csr_array(balance)], format="csr")
        return Space.plain(K, M, self._quadratic)

    def _short(self, border: Border, M: Sparse, bare: NDArray[np.intp]) -> Space | None:
        C = self._C
        kept = np.flatnonzero(self._moving & ~np.isin(np.arange(C.shape[1]), bare))
        through: Any = M[:, bare]
        lines = np.flatnonzero(np.diff(through.indptr))
        if len(lines) * len(kept) > _TIMES * C.nnz:
            return None
        weights = border.rows(through[lines])
        flow = M[lines][:, kept].toarray() - np.asarray(weights @ C[border.used][:, kept])
        others = np.setdiff1d(np.arange(C.shape[0]), border.used)
        rest: Any = C[others][:, kept]
        rest = rest[np.flatnonzero(np.diff(rest.indptr))]
        balance = border.balance(C[border.used][:, kept])
        extent = np.abs(flow).max(axis=1, initial=0.0)
        unit = np.where(extent > 0, extent, 1.0)
        k, count = len(kept), len(lines)
        K: Any = sp.block_array(
            [
                [sp.csr_array(np.vstack([balance, np.zeros((0, k))])), None],
                [rest, None],
                [sp.csr_array(flow / unit[:, None]), -sp.eye_array(count)],
            ]
            if count
            else [[sp.csr_array(balance)], [rest]],
            format="csr",
        )
        direct: Any = M[:, kept].tolil()
        direct[lines] = 0.0
        place: Any = sp.csr_array((unit, (lines, np.arange(count))), shape=(M.shape[0], count))
        rows: Any = sp.hstack([direct.tocsr(), place], format="csr")
        quadratic: Any = sp.block_diag(
            [self._quadratic[kept][:, kept], sp.csr_array((count, count))], format="csr"
        )
        coupling: Any = C[border.used][:, kept]

        def lift(X: Dense) -> Dense:
            Y = np.zeros((C.shape[1], X.shape[1]))
            Y[kept] = X[:k]
            Y[bare] = border.angles(-np.asarray(coupling @ X[:k]))
            return Y

        return Space(K, M, rows, quadratic, lift, kept=kept)


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
