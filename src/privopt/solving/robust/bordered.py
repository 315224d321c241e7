"""Newton systems of the two-stage program where draws are large: rows instead of directions.

    X_k dx_k + C'v_k = g_k,     C dx_k = J dq,     sum_k J'v_k = what is left of q

with X_k = D_k + L'w_k L: D_k diagonal (the cost, and rows with one entry), L the rows with several.
C x = (N t, q) is what ties the solution x_k of a draw; J picks its last rows, those of the values.
X_k is inverted by the few rows of L (Woodbury), and then the v_k by S_k = C X_k^-1 C', so that the
work is that of the rows of C and L. `draws` inverts Z'X_k Z instead, over the directions that C
leaves free: more of them, in a large program, than there are rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.definite import Cholesky

__all__ = ["Bordered"]


class Bordered:
    """The X_k of all draws, and C: factored.

    Parameters
    ----------
    diagonal
        D_k of each draw, a row each: all of them above zero.
    L, weights
        The rows with several entries, and their weights, a row for each draw.
    C, values
        What ties a solution, and how many of its last rows are the values.
    """

    def __init__(self, diagonal: Dense, L: Dense, weights: Dense, C: Sparse, values: int) -> None:
        self._C, self._L, self._values = C, L, values
        self._inverse = 1.0 / diagonal
        self._rows: list[Cholesky] = []
        self._tied: list[Cholesky] = []
        self._answers: list[Dense] = []
        self.reduced = np.zeros((values, values))
        last = np.eye(C.shape[0])[:, C.shape[0] - values :]
        for inverse, weight in zip(self._inverse, weights, strict=True):
            scaled = L * inverse
            rows = Cholesky(scaled @ L.T + np.diag(1.0 / weight))
            own: Any = C @ sp.diags_array(inverse)
            cross = np.asarray(own @ L.T)
            tied = Cholesky((own @ C.T).toarray() - cross @ rows.solve(cross.T))
            answer = tied.solve(last)
            self._rows.append(rows)
            self._tied.append(tied)
            self._answers.append(answer)
            self.reduced += answer[C.shape[0] - values :]

    def _without(self, k: int, g: Vector) -> Vector:
        """X_k^-1 g."""
        first = self._inverse[k] * g
        return first - self._inverse[k] * (self._L.T @ self._rows[k].solve(self._L @ first))

    def left(self, g: Dense) -> tuple[Dense, Vector]:
        """X_k^-1 g_k of each draw, a row each; and sum_k J'S_k^-1 C X_k^-1 g_k."""
        moved = np.array([self._without(k, row) for k, row in enumerate(g)])
        pull = np.zeros(self._values)
        for row, answer in zip(np.asarray(self._C @ moved.T).T, self._answers, strict=True):
            pull += answer.T @ row
        return moved, pull

    def solved(self, moved: Dense, q: Vector) -> Dense:
        """The dx_k of each draw, a row each, for what `left` gave and the step of q."""
        target = np.zeros(self._C.shape[0])
        target[len(target) - len(q) :] = q
        steps = np.empty_like(moved)
        for k, row in enumerate(moved):
            v = self._tied[k].solve(np.asarray(self._C @ row) - target)
            steps[k] = row - self._without(k, np.asarray(self._C.T @ v))
        return steps
