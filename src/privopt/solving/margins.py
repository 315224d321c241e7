"""Margins: what a reformulation adds to the program.

Row i of A z(xi) <= b becomes A_i z~ + h_i(A_i Z) <= b_i with h_i convex and positively homogeneous
(the support function of a set of noise). For noise of scale one, h has one of four forms:

- a 2-norm: h_i(a) = deviations_i * (standard deviation) * ||a||_2, plus tilt_i'a if there is a tilt
- a box: h(a) = sum_j max(a_j low_j, a_j high_j), its support function, never its 2^p vertices
- draws: h(a) = max_s a'xi_s, through cuts with the worst draws
- a smooth norm, by an oracle for its value and gradient: a 2-norm tilted to agree with it in value
  and gradient at the solution (see `refinement`)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector

Norm: TypeAlias = Callable[[NDArray[np.intp], Dense], tuple[Vector, Dense]]
"""(inequalities, a for each of them) -> value and gradient of h for each of them."""


@dataclass(frozen=True, repr=False)
class Cuboid:
    """Noise between `low` and `high`, at scale one."""

    low: Vector
    high: Vector

    @property
    def middle(self) -> Vector:
        """Its centre."""
        return 0.5 * (self.low + self.high)

    @property
    def half(self) -> Vector:
        """Half of its width."""
        return 0.5 * (self.high - self.low)

    def support(self, a: Dense) -> Vector:
        """Largest a'xi over the box, for each row of a."""
        return np.maximum(a * self.low, a * self.high).sum(axis=1)


@dataclass(frozen=True, repr=False)
class Margins:
    """h_i of every row.

    With `norm`, `deviations` and `tilt` are its current model, and `ceiling` a 2-norm above it (in
    deviations, like the model): a row that holds with that needs no look at the norm.
    """

    deviations: Vector | None = None
    tilt: Dense | None = None
    box: Cuboid | None = None
    draws: Dense | None = None
    norm: Norm | None = None
    ceiling: Vector | None = None

    @property
    def is_norm(self) -> bool:
        """Whether h is a multiple of the 2-norm, or nothing, on every row."""
        others = (self.tilt, self.box, self.draws, self.norm)
        return all(part is None for part in others)

    def value(self, a: Dense, deviation: float, rows: NDArray[np.intp] | None = None) -> Vector:
        """h_i at the rows of a (those of all inequalities, or of the given ones).

        `deviation` is the noise's at scale one. With `norm` that is the norm itself, not its model.
        """
        which = np.arange(len(a)) if rows is None else rows
        if self.norm is not None:
            return self.norm(which, a)[0]
        if self.box is not None:
            return self.box.support(a)
        if self.draws is not None:
            blocks = [self.draws @ part.T for part in np.array_split(a, max(1, len(a) // 64))]
            return np.concatenate([block.max(axis=0) for block in blocks])
        return self.of_norms(np.linalg.norm(a, axis=1), deviation, which)

    def of_norms(
        self, norms: Vector, deviation: float, rows: NDArray[np.intp] | None = None
    ) -> Vector:
        """The 2-norm part of h_i where the norms of the rows of a are known."""
        if self.deviations is None:
            return np.zeros(len(norms))
        factors = self.deviations if rows is None else self.deviations[rows]
        return factors * deviation * norms


@dataclass(frozen=True, repr=False)
class Cuts:
    """Valid tangents A_i z + gradient'(A_i Z)' <= b_i."""

    rows: NDArray[np.intp]
    gradients: Dense

    @classmethod
    def none(cls, p: int) -> Cuts:
        """No cuts yet."""
        return cls(np.zeros(0, dtype=np.intp), np.zeros((0, p)))

    def more(self, rows: NDArray[np.intp], gradients: Dense) -> Cuts:
        """These cuts and others."""
        return Cuts(np.concatenate([self.rows, rows]), np.vstack([self.gradients, gradients]))
