"""The first part of an `arrow`: z, with a sparse quadratic cost, equalities and rows of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.normal import NormalEquations

__all__ = ["MeanPart"]


@dataclass(frozen=True, repr=False, eq=False)
class MeanPart:
    """The first part, z: a quadratic cost, rows A_i z <= b_i of its own, equalities.

    Shared row i has `factor[i]` times row `group[i]` of D on z.
    """

    linear: Vector
    P: Any
    A: Any
    D: Any
    G: Any
    d: Vector
    normal: NormalEquations
    alone: NDArray[np.intp]
    bound: Vector
    group: NDArray[np.intp]
    factor: Vector

    @cached_property
    def _operators(self) -> tuple[Any, Any, Any, Any]:
        rows = self.A[self.alone]
        return rows, rows.T.tocsr(), self.D.T.tocsr(), self.G.T.tocsr()

    @cached_property
    def _into(self) -> Dense:
        """D', and zeros at the equalities."""
        into = np.zeros((len(self.linear) + len(self.d), self.D.shape[0]), order="F")
        into[: len(self.linear)] = self.D.toarray().T
        return into

    @property
    def cost(self) -> Vector:
        """c1."""
        return self.linear

    @property
    def limits(self) -> Vector:
        """Limits of the rows of its own."""
        return self.bound

    def quadratic(self, x: Vector) -> Vector:
        """2 C2 z."""
        return self.P @ x

    def own(self, x: Vector) -> Vector:
        """Rows of its own."""
        return self._operators[0] @ x

    def own_transposed(self, dual: Vector) -> Vector:
        """The transpose of `own`."""
        return self._operators[1] @ dual

    def shared(self, x: Vector) -> Vector:
        """Its part in the shared rows."""
        return self.factor * (self.D @ x)[self.group]

    def shared_transposed(self, dual: Vector) -> Vector:
        """The transpose of `shared`."""
        return self._operators[2] @ self._gathered(dual)

    def equalities(self, x: Vector) -> Vector:
        """G z."""
        return self.G @ x

    def equalities_transposed(self, y: Vector) -> Vector:
        """G'y."""
        return self._operators[3] @ y

    def factored(
        self, weights: Vector
    ) -> tuple[Dense, Callable[[Vector, Vector], Vector], Callable[[Vector], Vector]]:
        """The matrix over the shared rows, and two solves for z and the equalities' multipliers.

        The first for any right-hand side, the second for multipliers of the shared rows.
        """
        every = np.zeros(self.A.shape[0])
        every[self.alone] = weights
        lu = self.normal.factor(every)
        replies = np.asarray(lu.solve(self._into))
        inner = np.asarray(self.D @ replies[: len(self.linear)])
        gram = inner[np.ix_(self.group, self.group)] * np.outer(self.factor, self.factor)

        def follow(dual: Vector) -> Vector:
            return replies @ self._gathered(dual)

        return gram, lambda r, e: np.asarray(lu.solve(np.concatenate([r, e]))), follow

    def _gathered(self, dual: Vector) -> Vector:
        weights = self.factor * dual
        return np.asarray(np.bincount(self.group, weights, self.D.shape[0]), dtype=float)
