"""A conic program as data, and how a solve can end.

    minimise 1/2 x'P x + q'x   subject to   b - A x in K_1 x K_2 x ...

K is a list of cones: zero, nonnegative, second-order (t >= ||u||, t first).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

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


@dataclass(frozen=True)
class Cone:
    """One cone of the product, `size` rows long."""

    kind: Kind
    size: int

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


@dataclass(frozen=True, repr=False)
class ConicProblem:
    """The data of one conic program (P symmetric, both matrices scipy sparse)."""

    P: Any
    q: Vector
    A: Any
    b: Vector
    cones: tuple[Cone, ...]


@dataclass(frozen=True, repr=False)
class Answer:
    """The end of one solve: how, at which point, and with which multipliers."""

    outcome: Outcome
    x: Vector
    dual: Vector | None = None
