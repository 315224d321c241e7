"""Cone rows: affine functions of z, three at a time, that lie in a curved cone.

    s_k = C_k z + e_k  in  K_k          C_k has three rows, K_k is a second-order, exponential or
                                        power cone (`problem.Cone`)

Three rows are enough for everything that Clarabel takes: a longer norm is a tower of norms of two
(`model.towers`). How far a point is outside a cone is the least t with s + t e in K, for an e
inside of it: below zero for a point inside, and of the size of s.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.problem import Cone, Kind
from privopt.solving.sparse import absolute, stacked, taken

__all__ = ["ConeRows", "outside"]

_HALVINGS = 60


@dataclass(frozen=True, eq=False, repr=False)
class ConeRows:
    """Rows `matrix z + offset`, three for each cone, and a name for each cone."""

    cones: tuple[Cone, ...]
    matrix: Sparse = field(repr=False)
    offset: Vector = field(repr=False)
    names: tuple[str, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.cones)

    @classmethod
    def none(cls, n: int) -> ConeRows:
        """No rows over n variables."""
        return cls((), sp.csr_array((0, n), dtype=float), np.zeros(0), ())

    @classmethod
    def joined(cls, n: int, *parts: ConeRows) -> ConeRows:
        """The rows of several, over n variables of which each has the first ones."""
        given = [cls.none(n), *(part.wider(n) for part in parts)]
        return cls(
            tuple(cone for part in given for cone in part.cones),
            stacked(*(part.matrix for part in given)),
            np.concatenate([part.offset for part in given]),
            tuple(name for part in given for name in part.names),
        )

    def wider(self, n: int) -> ConeRows:
        """The same rows with further variables at the end of z."""
        M: Any = self.matrix
        parts: Any = (M.data, M.indices, M.indptr)
        return ConeRows(
            self.cones, sp.csr_array(parts, shape=(M.shape[0], n)), self.offset, self.names
        )

    def taken(self, which: NDArray[np.intp]) -> ConeRows:
        """Some of the cones."""
        rows = (3 * which[:, None] + np.arange(3)).ravel()
        return ConeRows(
            tuple(self.cones[int(k)] for k in which),
            taken(self.matrix, rows),
            self.offset[rows],
            tuple(self.names[int(k)] for k in which),
        )

    @property
    def blocks(self) -> Sparse:
        """One row for each cone, with an entry for each variable of it."""
        M: Any = self.matrix
        parts: Any = (np.ones(M.nnz), M.indices, M.indptr[::3])
        return sp.csr_array(parts, shape=(len(self), M.shape[1]))

    def values(self, z: Dense) -> Dense:
        """The points s for each row of z: draws x cones x 3."""
        found = np.asarray(self.matrix @ z.T).T + self.offset
        return found.reshape(len(z), len(self), 3)

    def sizes(self, z: Dense) -> Dense:
        """What the points are made of, |C| |z| + |e|, the largest of three: draws x cones."""
        found = np.asarray(absolute(self.matrix) @ np.abs(z).T).T + np.abs(self.offset)
        return found.reshape(len(z), len(self), 3).max(axis=2)

    def outside(self, z: Dense) -> Dense:
        """How far each point is outside its cone, for each row of z: draws x cones."""
        s = self.values(z)
        found = np.zeros(s.shape[:2])
        for cone in set(self.cones):
            own = [k for k, other in enumerate(self.cones) if other == cone]
            found[:, own] = outside(cone, s[:, own])
        return found


def outside(cone: Cone, s: Dense) -> Dense:
    """The least t with s + t e in the cone, e = `cone.inside`, for points of any shape (.., 3)."""
    if cone.kind is Kind.SECOND_ORDER:
        return np.hypot(s[..., 1], s[..., 2]) - s[..., 0]
    x, y, z = np.abs(s[..., 0]), np.abs(s[..., 1]), np.abs(s[..., 2])
    size: Dense = 4 * np.maximum(np.maximum(x, y), z) + 1e-300
    low, high = -size, 4 * size  # e is inside by at least a quarter of its size
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        within = _within(cone, s + middle[..., None] * cone.inside)
        low, high = np.where(within, low, middle), np.where(within, middle, high)
    return high


def _within(cone: Cone, s: Dense) -> NDArray[np.bool_]:
    """Whether points lie in an exponential or a power cone, up to rounding."""
    x, y, z = s[..., 0], s[..., 1], s[..., 2]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if cone.kind is Kind.EXPONENTIAL:
            inner = (y > 0) & (z > 0) & (x <= y * np.log(z / y))
            return inner | ((y == 0) & (x <= 0) & (z >= 0))
        a = cone.power
        inner = (x > 0) & (y > 0) & (np.exp(a * np.log(x) + (1 - a) * np.log(y)) >= np.abs(z))
        return inner | ((x >= 0) & (y >= 0) & (z == 0))
