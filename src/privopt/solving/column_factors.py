"""Positive definite matrices of many columns, and the sum of what they answer to directions.

    K_j = weight_j curve + Lambda'h_j Lambda

One column after the other, so that what it needs stays in the cache, and by products that know of
symmetry and triangles.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la
from scipy.linalg import blas

from privopt.arrays import Dense, Vector

__all__ = ["ColumnFactors"]

_WIDTH = 128  # numbers that a product takes at once, from several columns if these are small


class ColumnFactors:
    """Factors of K_j, and matrices over the first directions, as many as `pull` has.

    Attributes
    ----------
    gram
        The sum over the columns of pull_j Lambda K_j^-1 Lambda' pull_j.
    mixed, even
        The same with numbers `middle`, one a column, instead of the right pull, and of both; zero
        without a middle.
    """

    def __init__(
        self,
        turned: Dense,
        curve: Dense,
        weight: Vector,
        h: Dense,
        pull: Dense,
        middle: Vector | None,
    ) -> None:
        """`turned`, Lambda', and `curve` are one for all columns, or one for each."""
        r, w = pull.shape
        k, alike = turned.shape[-2], turned.ndim == 2
        self.gram, self.mixed, self.even = (np.zeros((w, w), order="F") for _ in range(3))
        self._factors: list[Dense] = []
        if not k:
            return
        many, root = max(1, _WIDTH // k), np.sqrt(h)
        stack = np.empty((w, many * k), order="F")
        follow, inverse = np.zeros((w, k)), np.zeros((k, k))
        for j in range(r):
            own = turned if alike else turned[j]
            K = np.multiply((curve if curve.ndim == 2 else curve[j]).T, weight[j], order="F")
            scaled, near, place = (own * root[j]).T, own[:, :w], j % many
            if len(scaled):
                K = blas.dsyrk(1.0, scaled, trans=1, lower=1, beta=1.0, c=K, overwrite_c=1)
            L, singular = la.lapack.dpotrf(K, lower=1, overwrite_a=1, clean=0)
            if singular:
                raise np.linalg.LinAlgError
            self._factors.append(L)
            if not w:
                continue
            X = blas.dtrsm(1.0, L, (near * pull[j]).T, side=1, lower=1, trans_a=1, overwrite_b=1)
            stack[:, place * k : (place + 1) * k] = X
            if place == many - 1 or j == r - 1:
                full = stack[:, : (place + 1) * k]
                self.gram = blas.dsyrk(1.0, full, lower=1, beta=1.0, c=self.gram, overwrite_c=1)
            if middle is not None:
                follow += middle[j] * blas.dtrsm(1.0, L, X, side=1, lower=1)
                inverse += middle[j] ** 2 * la.lapack.dpotri(L, lower=1)[0]
                if not alike or j == r - 1:
                    self.mixed += follow @ near
                    self.even += near.T @ _whole(inverse) @ near
                    follow[:], inverse[:] = 0.0, 0.0
        self.gram = _whole(self.gram)

    def solve(self, right: Dense) -> Dense:
        """K_j^-1 times row j of `right`."""
        found = np.array(right)
        for L, row in zip(self._factors, found, strict=False):
            la.lapack.dpotrs(L, row, lower=1, overwrite_b=1)
        return found


def _whole(lower: Dense) -> Dense:
    """A symmetric matrix from its lower half."""
    return np.tril(lower) + np.tril(lower, -1).T
