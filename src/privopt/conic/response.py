"""Changes of the recourse as answers to the working rows: Y = Y_h + B N, a few numbers in all.

Where C2 is positive definite on the null space of C, the optimal Y answers the multipliers of the
working rows M and nothing else: it lies in the span of

    B = top block of [[C2, C'], [C, 0]]^-1 [M'; 0]

so only the small matrix N (working rows x noise directions) is left, whatever n is. Rows of Z held
at zero join C, and Y_h is the least-cost change that brings them there. With M B = T = Lambda
Lambda' (by Cholesky with pivots, since rows may depend on each other) and B replaced by B Lambda'^-1,
the cost of N is its squared norm and M Y = M Y_h + Lambda N.
One sparse factorisation for each set of held rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse
from privopt.conic.projector import Projector
from privopt.conic.space import Space

__all__ = ["Response"]

_RANK = 1e-12  # pivots of T below this part of the largest are rounding


class Response:
    """Answers under one set of held variables."""

    def __init__(self, C: Sparse, quadratic: Sparse, held: NDArray[np.intp]) -> None:
        n, count = C.shape[1], len(held)
        unit: Any = sp.csr_array((np.ones(count), (np.arange(count), held)), shape=(count, n))
        self._largest = float(np.abs(quadratic.data).max())
        both: Any = sp.vstack([C, unit], format="csr") if count else C
        self._projector = Projector(both, sp.csr_array(quadratic / self._largest))
        self._C, self._rows, self.held = C, C.shape[0], held

    def space(self, M: Sparse, base: Dense) -> Space:
        """The space for working rows M, about a recourse `base`."""
        n, r = base.shape
        count = len(self.held)
        offset, dear = np.zeros((n, r)), np.zeros((count, r))
        if count:
            right = np.vstack([np.zeros((self._rows, r)), -base[self.held]])
            offset, multipliers = self._projector.solution(right)
            dear = multipliers[self._rows :]
        B, multipliers = self._projector.answers(M.toarray().T)
        T = np.asarray(M @ B)
        root, inverse = _root(0.5 * (T + T.T))
        B, follow = B @ inverse, multipliers[self._rows :]
        scale = self._largest

        def lift(N: Dense) -> Dense:
            Y = offset + B @ N
            left = np.vstack([-np.asarray(self._C @ Y), -base[self.held] - Y[self.held]])
            return Y + self._projector.correction(left)

        def prices(spread: float, forces: Dense) -> Dense:
            # H Z + M'forces + C'y = 0 holds for some y; its part at the held rows, turned round.
            return follow @ forces - spread * scale * dear

        k = root.shape[1]
        return Space(
            K=sp.csr_array((0, k)),
            rows=sp.csr_array(root),
            quadratic=sp.csr_array(scale * sp.eye_array(k)),
            offset=offset,
            lift=lift,
            prices=prices,
        )


def _root(T: Dense) -> tuple[Dense, Dense]:
    """Lambda with Lambda Lambda' = T and as many columns as T has rank, and X with T X = Lambda."""
    count = len(T)
    if not count:
        return T, T
    factor, pivots, rank, _ = la.lapack.dpstrf(T, tol=_RANK * float(np.diag(T).max()), lower=1)
    order = np.asarray(pivots) - 1
    root, inverse = np.zeros((count, rank)), np.zeros((count, rank))
    root[order] = np.tril(factor)[:, :rank]
    top = root[order[:rank]]
    inverse[order[:rank]] = la.solve_triangular(top.T, np.eye(rank), lower=False)
    return root, inverse
