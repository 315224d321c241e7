"""A quadratic cost as weighted squares of linear functions, and a straight line above each square.

    z'C2 z = sum_k w_k (g_k'z)^2 + z'E z            w_k > 0, |E| next to nothing

Of a diagonal C2 the g_k are unit vectors and E is zero. Of others they are eigenvectors, block by
block, in units in which the diagonal is about one: so E is small beside each entry of C2, whatever
the units of the variables are. E is what floats leave; it is bounded entry by entry, and nothing
rests on it.

    chord     x^2 <= (low + high) x - low high            for every x between low and high
    tangent   x^2 >= 2 a x - a^2                          for every x and a
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from privopt.arrays import Sparse, Vector

__all__ = ["Squares", "chord"]

_UNIT = 2.0**-52  # twice what one operation on floats can be wrong by, relatively
_TINY = 1e-290  # more than products below the smallest float add up to
_NONE = 1e-15  # of the largest eigenvalue of a block: an eigenvalue that is none


@dataclass(frozen=True, repr=False, eq=False)
class Squares:
    """The squares of a quadratic cost.

    Attributes
    ----------
    weights, vectors
        w, and one row g_k for each of them.
    """

    weights: Vector
    vectors: Sparse

    @classmethod
    def of(cls, C2: Sparse) -> Squares:
        """The squares of a positive semidefinite matrix."""
        n = C2.shape[0]
        whole: Any = sp.csr_array(C2)
        links: Any = abs(whole)
        _, group = csgraph.connected_components(links, directed=False)
        order = np.argsort(group, kind="stable")
        weights, rows = list[float](), list[tuple[Any, Any]]()
        for own in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
            block = whole[own][:, own].toarray()
            if len(own) == 1:
                values, vectors = block[0], np.ones((1, 1))
            else:
                units = _units(np.diag(block))
                values, vectors = np.linalg.eigh(block / np.outer(units, units))
                vectors = units[:, None] * vectors
            for value, vector in zip(values, vectors.T, strict=True):
                if value > _NONE * np.abs(values).max(initial=0.0):
                    weights.append(float(value))
                    rows.append((own, vector))
        if not rows:
            return cls(np.zeros(0), sp.csr_array((0, n), dtype=float))
        ends = np.cumsum([0, *(len(own) for own, _ in rows)])
        data, at = (np.concatenate(part) for part in zip(*((v, o) for o, v in rows), strict=True))
        return cls(np.array(weights), sp.csr_array((data, at, ends), shape=(len(rows), n)))

    def __len__(self) -> int:
        return len(self.weights)

    def values(self, z: Any) -> Any:  # noqa: ANN401 -- one solution, or one a row
        """g_k'z of each square, for solutions one a row."""
        return np.asarray(self.vectors @ np.asarray(z).T).T

    def remainder(self, C2: Sparse, most: Vector) -> float:
        """How large |z'E z| can be where |z_j| <= most_j; infinite where that is not known."""
        g, w = self.vectors, self.weights
        if self.single and C2.nnz == len(w):
            own: Any = sp.csr_array((w, (g.indices, g.indices)), shape=C2.shape)
            if not abs(own - C2).sum():
                return 0.0
        made: Any = g.T @ (sp.diags_array(w) @ g)
        size: Any = abs(g).T @ (sp.diags_array(np.abs(w)) @ abs(g)) + abs(sp.csr_array(C2))
        entries = (g.shape[0] + 8) * _UNIT
        rest: Any = sp.csr_array(abs(made - C2) + entries * size)
        at = np.union1d(g.indices, C2.indices)  # products there may be too small for a float
        if not np.isfinite(most[at]).all():
            return np.inf
        reach = np.where(np.isfinite(most), most, 0.0)
        whole = 1.0 + float(reach[at].sum())
        found = float(reach @ (rest @ reach)) + _TINY * whole * whole
        return found * (1 + (len(reach) + 8) * 2 * _UNIT)

    @property
    def single(self) -> bool:
        """Whether each square is of one variable, another one each, with coefficient one."""
        g = self.vectors
        units = g.nnz == g.shape[0] == len(np.unique(g.indices)) and (np.diff(g.indptr) == 1).all()
        return bool(units and (g.data == 1).all())


def _units(diagonal: Vector) -> Vector:
    """Powers of two near the roots of positive numbers; one for others."""
    positive = np.where(diagonal > 0, diagonal, 1.0)
    return np.exp2(np.round(0.5 * np.log2(positive)))


def chord(low: float, high: float) -> tuple[Fraction, Fraction]:
    """S and p with x^2 <= s x - p for every x between two floats, exactly."""
    a, b = Fraction(low), Fraction(high)
    return a + b, a * b
