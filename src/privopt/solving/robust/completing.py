"""The solutions of a condensed program that have given values: where they are, and what is free.

    E x = N t,  S z = q      <=>      x = inverse (right t + (0, q)) + Z y,  any y

with C = [E; S_x], Z a basis of its null space, and its inverse on what it reaches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse
from privopt.solving.robust.condensed import Condensed

__all__ = ["Completing"]

_RANK = 1e-10


class Completing:
    """A condensed program and a query, in scaled units.

    Attributes
    ----------
    on_x, on_t
        S z = on_x x + on_t t.
    C, right
        C x = right t + (0, q).
    inverse, Z
        The inverse of C on what it reaches, and a basis of its null space.
    """

    def __init__(self, small: Condensed, S: Sparse) -> None:
        self.small = small
        self.on_x, self.on_t = small.of(S)
        self.C: Dense = np.vstack([small.E.toarray(), self.on_x.toarray()])
        self.right: Any = sp.csr_array(sp.vstack([small.N, -self.on_t]))
        self.inverse: Dense = np.asarray(np.linalg.pinv(self.C, rcond=_RANK), dtype=float)
        self.Z: Dense = np.asarray(la.null_space(self.C, rcond=_RANK))
