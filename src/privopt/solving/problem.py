"""A conic program as data, and how a solve can end.

    minimise 1/2 x'P x + q'x   subject to   b - A x in K_1 x K_2 x ...

K is a list of cones, all closed:

    zero            s = 0                                  any size
    nonnegative     s >= 0                                 any size
    second-order    s_0 >= ||(s_1, s_2, ..)||              any size
    exponential     s_1 exp(s_0 / s_1) <= s_2, s_1 > 0     3
    power a         s_0^a s_1^(1 - a) >= |s_2|, s_0, s_1 >= 0, 0 < a < 1       3
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Vector


class Outcome(Enum):
    """How a solve ended; the value is the reason in words."""

    OPTIMAL = "optimal within the tolerance"
    INFEASIBLE = "a certificate shows that no point is feasible"
    UNBOUNDED = "a certificate shows that the objective falls without end"
    TIME = "the time limit was reached"
    STALLED = "the iterations stalled before the tolerance"


class Kind(Enum):
    """The cones in use."""

    ZERO = "zero"
    NONNEGATIVE = "nonnegative"
    SECOND_ORDER = "second-order"
    EXPONENTIAL = "exponential"
    POWER = "power"


@dataclass(frozen=True)
class Cone:
    """One cone of the product, `size` rows long; `power` is the exponent a of a power cone."""

    kind: Kind
    size: int
    power: float = 0.5

    @classmethod
    def zero(cls, size: int) -> Cone:
        """Equalities."""
        return cls(Kind.ZERO, size)

    @classmethod
    def nonnegative(cls, size: int) -> Cone:
        """Inequalities."""
        return cls(Kind.NONNEGATIVE, size)

    @classmethod
    def second_order(cls, size: int) -> Cone:
        """First row >= 2-norm of the others."""
        return cls(Kind.SECOND_ORDER, size)

    @classmethod
    def exponential(cls) -> Cone:
        """s_1 exp(s_0 / s_1) <= s_2."""
        return cls(Kind.EXPONENTIAL, 3)

    @classmethod
    def of_power(cls, power: float) -> Cone:
        """s_0^a s_1^(1 - a) >= |s_2|."""
        return cls(Kind.POWER, 3, power)

    @property
    def inside(self) -> Vector:
        """A point inside the cone; nothing is inside that of equalities."""
        if self.kind is Kind.NONNEGATIVE:
            return np.ones(self.size)
        if self.kind is Kind.EXPONENTIAL:
            return np.array([-1.0, 1.0, 1.0])
        if self.kind is Kind.POWER:
            return np.array([1.0, 1.0, 0.0])
        point = np.zeros(self.size)
        if self.kind is Kind.SECOND_ORDER:
            point[0] = 1.0
        return point


@dataclass(frozen=True, repr=False)
class ConicProblem:
    """The data of one conic program (P symmetric, both matrices scipy sparse)."""

    P: Any
    q: Vector
    A: Any
    b: Vector
    cones: tuple[Cone, ...]

    @property
    def deepest(self) -> ConicProblem:
        """The least t >= -1, the last variable, with b - A x + t e in K, e inside the cones.

        It has a point wherever the equalities do, and one inside.
        """
        n = len(self.q)
        e = np.concatenate([np.zeros(0), *(cone.inside for cone in self.cones)])
        return ConicProblem(
            P=sp.csc_array((n + 1, n + 1)),
            q=np.eye(1, n + 1, n)[0],
            A=sp.block_array(
                [
                    [self.A, sp.csc_array(-e[:, None])],
                    [None, sp.csc_array(np.array([[-1.0]]))],
                ],
                format="csc",
            ),
            b=np.concatenate([self.b, [1.0]]),
            cones=(*self.cones, Cone.nonnegative(1)),
        )


@dataclass(frozen=True, repr=False)
class ConicAnswer:
    """The end of one solve: how, at which point, and with which multipliers."""

    outcome: Outcome
    x: Vector
    dual: Vector | None = None

    def gap(self, problem: ConicProblem) -> float:
        """How far the objective may lie above the least one, as the multipliers y show it.

        The difference x'P x + q'x + b'y of the primal and the dual objective, and what y leaves of
        the gradient P x + q + A'y, times the size of x. Infinite without multipliers.
        """
        if self.dual is None:
            return np.inf
        Px = np.asarray(problem.P @ self.x)
        gradient = Px + problem.q + np.asarray(problem.A.T @ self.dual)
        difference = float(self.x @ (Px + problem.q) + problem.b @ self.dual)
        return abs(difference) + float(np.abs(gradient) @ np.abs(self.x))

    def rules_out(self, problem: ConicProblem, other: ConicProblem) -> bool:
        """Whether the certificate that a problem has no point is one for others of its matrix.

        It is a y in the dual cone with A'y = 0 and b'y < 0: where b is another, so is b'y.
        """
        if self.dual is None:
            return False
        own = float(problem.b @ self.dual)
        return float(other.b @ self.dual) <= 0.5 * own < 0
