"""Projection on { x : C x = r }, by one sparse factorisation.

    [ I  C' ] [ x ]   [ v ]
    [ C  -w ] [ y ] = [ r ]

with a tiny w, and refinement of the system with w = 0 until the residual is rounding.
Rank-deficient C is allowed as long as r is consistent, as for a flow network whose demands balance.
Where the refinement does not get there (C nearly rank-deficient), a dense least-squares solve does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from privopt.arrays import Dense, Sparse

_SHIFT = 1e-13
_STEPS = 20
_ROUNDING = 1e-13
_DENSE = 4000  # rows or columns up to which a dense solve is the way out


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
        target = float(np.abs(scaled).max(initial=0.0))
        last = np.inf
        for _ in range(_STEPS):
            left = scaled - self._C @ x
            error = float(np.abs(left).max(initial=0.0))
            size = max(target, float(np.abs(x).max(initial=0.0)))
            if error <= _ROUNDING * size or error > 0.9 * last:
                break
            last = error
            x = x + self._lu.solve(np.concatenate([np.zeros_like(x), left]))[: self._n]
        left = scaled - self._C @ x
        size = max(target, float(np.abs(x).max(initial=0.0)))
        far = float(np.abs(left).max(initial=0.0)) > 1e3 * _ROUNDING * size
        if far and max(self._C.shape) <= _DENSE:
            return self._dense(scaled)
        return x

    def _dense(self, scaled: Dense) -> Dense:
        C: Dense = self._C.toarray()
        x = np.asarray(np.linalg.lstsq(C, scaled, rcond=1e-14)[0], dtype=float)
        return x + np.asarray(np.linalg.lstsq(C, scaled - C @ x, rcond=1e-14)[0], dtype=float)

    def null_part(self, v: Dense) -> Dense:
        """Projection of v (a vector, or one column each) on the null space of C."""
        x = v
        for _ in range(2):
            x = x - self.correction(np.asarray(self._C @ x) / _like(self._factors, x))
        return x


def _like(factors: Dense, x: Dense) -> Dense:
    return factors if x.ndim == 1 else factors[:, None]
