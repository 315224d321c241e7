"""Many small positive definite matrices at once: inverses of their Cholesky factors.

    H_k = L_k L_k',     H_k^-1 r = V_k'(V_k r)     V_k = L_k^-1, lower triangular

One array of all V_k is applied to all right-hand sides by one product, where a loop over solves
would spend its time in calls.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg.lapack as lapack

from privopt.arrays import Dense

__all__ = ["inverse_factors"]

_TOOL: Any = lapack  # its functions have no types


def inverse_factors(H: Dense) -> Dense:
    """V_k of each matrix of H (count x f x f).

    Raises
    ------
    numpy.linalg.LinAlgError
        One of them is not positive definite to rounding.
    """
    V = np.zeros_like(H)
    for k in range(len(H) if H.shape[-1] else 0):
        lower, info = _TOOL.dpotrf(H[k].T, lower=1, clean=1)
        if info:
            raise np.linalg.LinAlgError("a matrix is not positive definite")
        V[k], _ = _TOOL.dtrtri(lower, lower=1)
    return V
