"""The affine object z = offset + gain u + recourse xi.

A `Plan` has no gain (its offset is z~, solved for one d); a policy has one. The recourse is an
operator (`solving.recourse`): it multiplies, and becomes a dense n x p matrix only when asked with
`np.asarray`.
"""

from __future__ import annotations

from dataclasses import dataclass

from privopt.arrays import Dense, Vector
from privopt.errors import InputError
from privopt.solving.recourse import Recourse

__all__ = ["Affine", "Recourse"]


@dataclass(frozen=True, repr=False, eq=False)
class Affine:
    """z(u, xi) = offset + gain u + recourse xi; `gain` is None where there is no u."""

    offset: Vector
    recourse: Recourse
    gain: Dense | None = None

    def at(self, xi: Dense, u: Vector | None = None) -> Dense:
        """The solution for a noise vector, or for each column of a matrix of them."""
        if u is None:
            return (self.offset + (self.recourse @ xi).T).T
        if self.gain is None:
            raise InputError(
                "u was given to a solution without a gain.",
                "no u: this solution was made for one d.",
                "leave it out.",
            )
        start = self.offset + self.gain @ u
        return (start + (self.recourse @ xi).T).T
