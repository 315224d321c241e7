"""The affine model z + K v + Z xi in scaled variables: the one program behind plans and policies.

    minimise   (1-phi) (c1'z + z'C2 z + tr(K'C2 K Sigma_v) + tr(Z'C2 Z) Var(xi))
               + phi ||L Z Sigma^(1/2) T||_F
    subject to G z = d,   G K = F,   G Z = 0,   S Z = s I,
               ||sum over j in o of |S K_j| reach_j|| <= ratio s  for every owner o of entries of v
               A_i z + sup_v A_i K v + h_i(A_i Z) <= b_i

z is the solution at the mean of the private data, v their deviation from it, in a box, and xi noise
of scale one. The recourse is Z = nu (s Z_0 + Y R): the particular one Z_0 at a level s, a change Y
with [G; S] Y = 0, and a basis R of the noise directions it uses (orthonormal rows; None for all).
A plan is the model without v at s = 1; in a policy s is a variable, from a floor on. A policy whose
release is a constant has S K = 0 and no noise. An affine rule, which answers the measurement
W v + xi, has S K = S Z W in the place of S Z = s I and of what bounds ||S K_j||; its Z_0 is zero.

A fidelity, which weighs E|S z(v, xi) - answer|^2, is a change of c1 and C2, and a credit for K.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.directions import Directions, Positions
from privopt.solving.margins import Cuboid
from privopt.solving.normal import NormalEquations
from privopt.solving.particular import Particular
from privopt.solving.sparse import stacked, taken

__all__ = ["Gain", "Point", "ScaledProgram", "watched"]

_TINY = 1e-10  # relative: a variance that is none


@dataclass(frozen=True, repr=False, eq=False)
class Gain:
    """What is asked of K, one column for each entry of v.

    Attributes
    ----------
    start
        K_0, any K there is, n x q; K - K_0 has C (K - K_0) = 0.
    C
        G, or [G; S] where the release is a constant.
    query
        S, in units in which its largest row has length one.
    box, variance
        The box of v (entries in units of their own) and the variance of each entry.
    reach, order, ratio
        How far neighbours lie apart in each entry, the norm of the sensitivity, and the distance
        that noise of level one hides.
    owner
        Whose each entry is, counted from zero: neighbours differ in the entries of one owner.
    credit
        Half of what the fidelity takes off the cost of a unit of K, n x q.
    rank
        Directions that the columns share besides their own answers; None for any K.
    measure
        W of an affine rule, sums x q, in units in which S K = S Y W; None where there is none.
    """

    start: Dense
    C: Sparse
    query: Sparse
    box: Cuboid
    variance: Vector
    reach: Vector
    order: int
    ratio: float
    owner: NDArray[np.intp]
    credit: Dense
    rank: int | None
    measure: Dense | None = None

    @property
    def columns(self) -> int:
        """Number q of entries of v."""
        return self.start.shape[1]

    @property
    def owners(self) -> int:
        """Number of owners."""
        return int(self.owner.max(initial=-1)) + 1

    @property
    def weights(self) -> Vector:
        """The variances; one that is nothing counts as next to nothing."""
        return np.maximum(self.variance, _TINY * self.variance.max(initial=_TINY))


@dataclass(frozen=True, repr=False, eq=False)
class Point:
    """A solution: z, the change Y and the basis R of its recourse, its level, and K (n x q)."""

    z: Vector
    Y: Dense
    R: Dense | None
    level: float
    K: Dense


@dataclass(frozen=True, repr=False, eq=False)
class ScaledProgram:
    """Cost, rows, equalities and C, which Y keeps at zero; Z_0 is `units` times `particular`.

    Attributes
    ----------
    C
        [G; S]; G of an affine rule.
    particular
        None where there is no noise.
    norms
        Of D Z_0, one for each direction.
    nu
        The size of noise of level one, so that Z_0 is around one.
    energy
        tr(Z_0'C2 Z_0).
    unit, floor
        What a level of one is, as a part of what the calibration has; the least level, None where
        it is one.
    still
        Entries of Y (by columns) that are zero; only with R = None.
    """

    linear: Vector
    quadratic: Any
    A: Any
    directions: Directions
    G: Any
    d: Vector
    C: Any
    particular: Particular | None
    units: Vector
    norms: Vector
    nu: float
    energy: float
    variance: float
    unit: float = 1.0
    floor: float | None = None
    gain: Gain | None = None
    phi: float = 0.0
    L: Any = None
    T: Dense | None = None
    still: NDArray[np.intp] | None = None

    @property
    def noise_dimensions(self) -> int:
        """Number of noise dimensions p."""
        return 0 if self.particular is None else self.particular.shape[1]

    @property
    def measure(self) -> Dense | None:
        """W of an affine rule."""
        return None if self.gain is None else self.gain.measure

    @property
    def deviation(self) -> float:
        """Standard deviation of noise of scale one."""
        return float(np.sqrt(self.variance))

    def along(self, R: Dense | None) -> Dense:
        """Z_0 R', n x r."""
        if self.particular is None or R is None:
            return self.base
        return self.units[:, None] * self.particular.times(R.T)

    @cached_property
    def base(self) -> Dense:
        """Z_0 as a matrix."""
        if self.particular is None:
            return np.zeros((len(self.linear), 0))
        return self.units[:, None] * self.particular.dense()

    @cached_property
    def base_rows(self) -> Dense:
        """D Z_0, one row for each direction."""
        return np.asarray(self.directions.D @ self.base)

    @cached_property
    def normal(self) -> NormalEquations:
        """The system for z, with weights on the rows."""
        return NormalEquations(2 * (1 - self.phi) * self.quadratic, self.A, self.G)

    @property
    def spread(self) -> float:
        """Twice the cost of a unit of tr(Z'C2 Z) / nu^2."""
        return 2 * (1 - self.phi) * self.variance * self.nu**2

    def energy_of(self, Y: Dense, R: Dense | None, level: float = 1.0) -> float:
        """tr(Z'C2 Z) / nu^2 of a recourse."""
        change = float(((2 * level * self.along(R) + Y) * np.asarray(self.quadratic @ Y)).sum())
        return level**2 * self.energy + change

    def value(self, point: Point) -> float:
        """The objective, up to a constant."""
        z, K, C2 = point.z, point.K, self.quadratic
        value = float(self.linear @ z + z @ (C2 @ z))
        value += self.variance * self.nu**2 * self._energy(point)
        if self.gain is not None:
            value += float((K * np.asarray(C2 @ K)).sum(axis=0) @ self.gain.variance)
            value -= 2 * float((K * self.gain.credit).sum())
        value *= 1 - self.phi
        if self.phi > 0 and self.T is not None:
            along = point.level * self.along(point.R) + point.Y
            T = self.T if point.R is None else point.R @ self.T
            size = float(np.linalg.norm(np.asarray(self.L @ along) @ T))
            value += self.phi * self.nu * self.deviation * size
        return value

    def _energy(self, point: Point) -> float:
        return self.energy_of(point.Y, point.R, point.level) if self.noise_dimensions else 0.0

    def worst(self, K: Dense) -> Vector:
        """The largest A_i K v over the box, for each row."""
        ways = self.directions
        if self.gain is None:
            return np.zeros(len(ways.group))
        rows = np.asarray(ways.D @ K)[ways.group]
        return self.gain.box.support(ways.factor[:, None] * rows)


def watched(data: ScaledProgram, *directions: Positions) -> Sparse:
    """The rows a space of Y must know: those of directions, of a rule's query, of the objective."""
    rows = taken(data.directions.D, np.concatenate(directions))
    if data.measure is not None and data.gain is not None:
        return stacked(rows, data.gain.query)
    return stacked(rows, data.L) if data.phi > 0 and data.T is not None else rows
