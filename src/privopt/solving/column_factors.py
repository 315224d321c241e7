"""Positive definite matrices of many columns, and the sum of what they answer to directions.

    K_j = weight_j curve + Lambda'h_j Lambda = L_j L_j',    X_j = L_j^-1 Lambda'

Large columns go one after the other, so that what one needs stays in the cache, and by products
that know of symmetry and triangles; small ones many at a time, as one stack of matrices.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la
from scipy.linalg import blas

from privopt.arrays import Dense, Vector

__all__ = ["ColumnFactors"]

_SMALL = 24  # numbers of a column up to which columns go many at a time,
_TOGETHER = 60_000  # with about as many entries of X_j in all


class ColumnFactors:
    """Factors of K_j, and matrices over the directions.

    Attributes
    ----------
    gram
        The sum over the columns of slope_j Lambda K_j^-1 Lambda' slope_j.
    mixed, even
        The same with numbers `middle`, one a column, instead of the right slope, and of both; zero
        without a middle.
    """

    def __init__(
        self,
        transposed: Dense,
        curve: Dense,
        weight: Vector,
        h: Dense,
        slope: Dense,
        middle: Vector | None,
    ) -> None:
        """`transposed` is Lambda'."""
        (r, w), k = slope.shape, len(transposed)
        self.gram, self.mixed, self.even = (np.zeros((w, w), order="F") for _ in range(3))
        self._inverses = np.zeros((r, k, k))  # of L_j
        if not k:
            return
        small = k <= _SMALL
        many = max(1, _TOGETHER // (k * (w + 1))) if small else 1
        answers = self._together if small else self._alone
        for first in range(0, r, many):
            s = slice(first, min(first + many, r))
            X = answers(s, transposed, weight[s, None, None] * curve, h[s])
            size = X.shape[0] * X.shape[1]
            by_slope = (X * slope[s, None, :]).reshape(size, w).T
            self.gram = _added(self.gram, by_slope)
            if middle is not None:
                by_middle = (X * middle[s, None, None]).reshape(size, w).T
                self.mixed += by_slope @ by_middle.T
                self.even = _added(self.even, by_middle)
        self.gram, self.even = _whole(self.gram), _whole(self.even)

    def _together(self, s: slice, transposed: Dense, K: Dense, h: Dense) -> Dense:
        """X_j of small columns."""
        K += np.matmul(transposed * h[:, None, :], transposed.T)
        for inverse, factor in zip(self._inverses[s], np.linalg.cholesky(K), strict=True):
            inverse[:] = la.lapack.dtrtri(factor.T, lower=0)[0].T
        return np.matmul(self._inverses[s], transposed)

    def _alone(self, s: slice, transposed: Dense, K: Dense, h: Dense) -> Dense:
        """X_j of one large column."""
        K = K[0].T
        if h.size:
            scaled = (transposed * np.sqrt(h[0])).T
            K = blas.dsyrk(1.0, scaled, trans=1, lower=1, beta=1.0, c=K, overwrite_c=1)
        L, singular = la.lapack.dpotrf(K, lower=1, overwrite_a=1)
        if singular:
            raise np.linalg.LinAlgError
        inverse = la.lapack.dtrtri(L, lower=1, overwrite_c=1)[0]
        self._inverses[s] = inverse
        if not h.size:
            return np.zeros((1, len(L), 0))
        return blas.dtrmm(1.0, inverse, transposed.T, side=1, lower=1, trans_a=1).T[None]

    def solve(self, right: Dense) -> Dense:
        """K_j^-1 times row j of `right`."""
        halfway = np.matmul(self._inverses, right[:, :, None])
        return np.matmul(np.swapaxes(self._inverses, 1, 2), halfway)[:, :, 0]


def _added(lower: Dense, X: Dense) -> Dense:
    """The lower half of a symmetric matrix, with that of X X' added."""
    if not len(X):
        return lower
    return blas.dsyrk(1.0, X, lower=1, beta=1.0, c=lower, overwrite_c=1)


def _whole(lower: Dense) -> Dense:
    """A symmetric matrix from its lower half, beside zeros."""
    return lower + np.tril(lower, -1).T
