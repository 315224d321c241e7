"""Projection on { x : C x = r }, by one sparse factorisation.

    [ I  C' ] [ x ]   [ v ]
    [ C  -w ] [ y ] = [ r ]

with a small w and a few steps of refinement of the system with w = 0. Rank-deficient C is allowed
as long as r is consistent, as for a flow network whose demands balance. Rows are scaled first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from privopt.arrays import Dense, Sparse

_SHIFT = 1e-10
_STEPS = 6


class Projector:
    """Nearest points on C x = r, for one C and many r."""

    def __init__(self, C: Sparse) -> None:
        size = np.sqrt(C.multiply(C).sum(axis=1))
        self._factors = 1.0 / np.where(size > 0, size, 1.0)
        self._C: Any = sp.csr_array(sp.diags_array(self._factors) @ C)
        k, n = self._C.shape
        system: Any = sp.block_array(
            [[sp.eye_array(n), self._C.T], [self._C, -_SHIFT * sp.eye_array(k)]], format="csc"
        )
        self._lu: Any = spla.splu(sp.csc_matrix(system))
        self._n = n

    def correction(self, residual: Dense) -> Dense:
        """Least-norm x with C x = residual (a vector, or one column each)."""
        scaled = (self._factors * residual.T).T
        x = np.zeros((self._n, *residual.shape[1:]))
        for _ in range(_STEPS):
            left = scaled - self._C @ x
            stacked = np.concatenate([np.zeros_like(x), left])
            x = x + self._lu.solve(stacked)[: self._n]
        return x

    def null_part(self, v: Dense) -> Dense:
        """Projection of v (a vector, or one column each) on the null space of C."""
        x = v
        for _ in range(2):
            x = x - self.correction(np.asarray(self._C @ x) / _like(self._factors, x))
        return x


def _like(factors: Dense, x: Dense) -> Dense:
    return factors if x.ndim == 1 else factors[:, None]
