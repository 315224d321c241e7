"""The affine object z = offset + recourse xi of a plan: its offset is z~, solved for one d.

The recourse is an operator (`solving.recourse`): it multiplies, and becomes a dense n x p matrix
only when asked with `np.asarray`.
"""

from __future__ import annotations

from dataclasses import dataclass

from privopt.arrays import Dense, Vector
from privopt.solving.recourse import Recourse

__all__ = ["Affine", "Recourse"]


@dataclass(frozen=True, repr=False, eq=False)
class Affine:
    """z(xi) = offset + recourse xi."""

    offset: Vector
    recourse: Recourse

    def at(self, xi: Dense) -> Dense:
        """The solution for a noise vector, or for each column of a matrix of them."""
        return (self.offset + (self.recourse @ xi).T).T
