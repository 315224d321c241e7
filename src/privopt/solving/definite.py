"""One dense positive definite matrix, factored once and solved many times: H = L L'.

The same LAPACK routines as `scipy.linalg.cho_factor` and `cho_solve`, hence the same digits. What
scipy does around them takes longer than to solve, for the small matrices of a Newton step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg.lapack as lapack

from privopt.arrays import Dense

__all__ = ["Cholesky"]

_TOOL: Any = lapack  # its functions have no types


class Cholesky:
    """The factor L of a positive definite matrix, of which the lower triangle is read.

    Raises
    ------
    numpy.linalg.LinAlgError
        The matrix is not positive definite to rounding.
    """

    def __init__(self, matrix: Dense) -> None:
        self._factor, info = _TOOL.dpotrf(matrix, lower=1) if len(matrix) else (matrix, 0)
        if info:
            raise np.linalg.LinAlgError("the matrix is not positive definite")

    def solve(self, right: Any) -> Any:  # noqa: ANN401 -- vector or matrix
        """The solution for right-hand sides (a vector, or one column each), as they are shaped."""
        if not len(self._factor):
            return np.zeros(np.shape(right))
        return _TOOL.dpotrs(self._factor, right, lower=1)[0]
