"""Convexity: z'C2 z is convex where C2 is symmetric and has no negative eigenvalue.

Eigenvalues down to -1e-9 of the largest entry count as rounding.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse.linalg as spla

from privopt.arrays import Sparse
from privopt.errors import InputError

DENSE_LIMIT = 1500
ROUNDING = 1e-9


def check_convex(C2: Sparse, n: int) -> None:
    """Refuse a quadratic cost of the wrong shape, not symmetric, or indefinite."""
    if C2.shape != (n, n):
        raise InputError(
            f"quadratic has shape {C2.shape}.",
            f"a vector of {n} numbers or a matrix of shape ({n}, {n}).",
            "pass the diagonal, or the full matrix.",
        )
    diagonal = C2.diagonal()
    if C2.nnz == np.count_nonzero(diagonal) and (diagonal >= 0).all():
        return
    largest = float(np.abs(C2.data).max(initial=0.0))
    if float(np.abs((C2 - C2.T).data).max(initial=0.0)) > ROUNDING * largest:
        raise InputError(
            "quadratic is not symmetric.",
            "a symmetric matrix.",
            "pass (C2 + C2.T) / 2: it has the same cost.",
        )
    smallest = _smallest_eigenvalue(C2)
    if smallest < -ROUNDING * largest:
        raise InputError(
            f"quadratic is indefinite (smallest eigenvalue {smallest:.3g}).",
            "a positive semidefinite cost: the method is for convex programs.",
            "check the sign of the cost; minimise, not maximise.",
        )


def _smallest_eigenvalue(C2: Sparse) -> float:
    diagonal = C2.diagonal()
    if C2.nnz == np.count_nonzero(diagonal):
        return float(diagonal.min(initial=0.0))
    if C2.shape[0] <= DENSE_LIMIT:
        return float(np.linalg.eigvalsh(C2.toarray())[0])
    values = spla.eigsh(C2, k=1, which="SA", return_eigenvectors=False, tol=1e-6)
    return float(values[0])
