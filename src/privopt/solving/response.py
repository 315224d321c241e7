"""Changes of the recourse as answers to the working rows: Y = Y_h + B N, a few numbers in all.

Where C2 is positive definite on the null space of C, the optimal Y answers the multipliers of the
working rows M and nothing else: it lies in the span of

    B = top block of [[C2, C'], [C, 0]]^-1 [M'; 0]

so only the small matrix N (working rows x noise directions) is left, whatever n is. Rows of Z held
at zero join C, and Y_h is the least-cost change that brings them there. With M B = T = Lambda
Lambda' (by Cholesky with pivots, since rows may depend on each other) and B replaced by B
Lambda'^-1, the cost of N is its squared norm and M Y = M Y_h + Lambda N. One sparse factorisation
for each set of held rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.projector import Projector
from privopt.solving.space import Space
from privopt.solving.sparse import places

__all__ = ["Response", "added_up", "root_of"]

_STILL = 1e-10  # beside the largest answer of a row, in units of the rows; then times _RANK
_RANK = 1e-12  # pivots of T below this part of their diagonal entry are rounding


class Response:
    """Answers under one set of held variables."""

    def __init__(self, C: Sparse, quadratic: Sparse, held: NDArray[np.intp]) -> None:
        n, count = C.shape[1], len(held)
        unit: Any = sp.csr_array((np.ones(count), (np.arange(count), held)), shape=(count, n))
        self._largest = float(np.abs(quadratic.data).max())
        both: Any = sp.vstack([C, unit], format="csr") if count else C
        weight: Any = quadratic / self._largest
        self._projector = Projector(both, weight)
        self._C, self._rows, self.held = C, C.shape[0], held

    @property
    def scale(self) -> float:
        """The factor by which C2 was divided."""
        return self._largest

    def parts(self, M: Sparse, base: Dense) -> tuple[Dense, Dense, Dense, Dense]:
        """Y_h and its multipliers at the held rows; B and its multipliers there."""
        r = base.shape[1]
        right = np.vstack([np.zeros((self._rows, r)), -base[self.held]])
        offset, offset_prices = self._projector.solution(right)
        B, answer_prices = self._projector.answers(M.toarray().T)
        return offset, offset_prices[self._rows :], B, answer_prices[self._rows :]

    def settled(self, Y: Dense, base: Dense) -> Dense:
        """Y with C Y = 0 and the held rows in place, to rounding."""
        missing = np.vstack([-np.asarray(self._C @ Y), -base[self.held] - Y[self.held]])
        return Y + self._projector.correction(missing)

    def space(self, M: Sparse, base: Dense) -> Space:
        """The space for working rows M, about a recourse `base`."""
        offset, offset_prices, B, answer_prices = self.parts(M, base)
        T = np.asarray(M @ B)
        root, inverse = root_of(0.5 * (T + T.T), added_up(M, B))
        B = B @ inverse
        k = root.shape[1]
        return Space(
            K=sp.csr_array((0, k)),
            watched=M,
            rows=sp.csr_array(root),
            quadratic=sp.csr_array(self.scale * sp.eye_array(k)),
            offset=offset,
            lift=lambda N: self.settled(offset + B @ N, base),
            # H Z + M'dual + C'y = 0 for some y; minus its part at the held rows.
            prices=lambda weight, dual: answer_prices @ dual - weight * self.scale * offset_prices,
        )


def added_up(M: Sparse, B: Dense) -> Vector:
    """What the diagonal entries of M B are added up from: sum_j |M_ij B_ji|.

    Of a row that cannot move, B itself is rounding: it counts as a part of what others answer.
    """
    row, count = places(M), M.shape[0]
    own = np.bincount(row, np.abs(M.data * B[M.indices, row]), count)
    square = np.bincount(row, np.square(M.data), count)
    answers = own / np.where(square > 0, square, 1.0)
    return np.maximum(own, _STILL * square * answers.max(initial=0.0))


def root_of(T: Dense, added: Vector | None = None) -> tuple[Dense, Dense]:
    """Lambda with Lambda Lambda' = T and as many columns as T has rank, and X with T X = Lambda.

    Each row counts in units of its own: one in large units must not make the others rounding. A
    diagonal entry that is the rounding of what it was `added` up from is zero.
    """
    count = len(T)
    if not count:
        return T, T
    diagonal = np.diag(T)
    least = _RANK * (diagonal if added is None else added)
    size = np.where(diagonal > np.maximum(least, 0.0), np.sqrt(np.maximum(diagonal, 0.0)), np.inf)
    unit = T / size / size[:, None]
    factor, pivots, rank, _ = la.lapack.dpstrf(unit, tol=_RANK, lower=1)
    if np.isinf(size).all():
        rank = 0
    order = np.asarray(pivots) - 1
    root, inverse = np.zeros((count, rank)), np.zeros((count, rank))
    root[order] = np.tril(factor)[:, :rank]
    top = root[order[:rank]]
    inverse[order[:rank]] = la.solve_triangular(top.T, np.eye(rank), lower=False)
    return np.where(np.isinf(size), 0.0, size)[:, None] * root, inverse / size[:, None]
