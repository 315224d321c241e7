"""Objectives: the expected cost, and its trade-off with a deviation.

    (1 - phi) E[c(z(xi))] + phi ||L Z Sigma^(1/2) T||_F

with L = I, T = nothing for the expected cost alone; L = c1', T = I for the deviation of the cost
(the paper's (8)); L = I, T = I for the deviation of the solution, sqrt(tr(Z Sigma Z')); and L = I,
T = 1 for the paper's (9) as printed, which is not that deviation (it is 0 for
Z = [[1, -1], [-1, 1]]). E[c] = c1'z~ + z~'C2 z~ + tr(Z'C2 Z Sigma).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse
from privopt.errors import CombinationError
from privopt.scalars import real
from privopt.solving.program import Objective, Program

__all__ = ["OBJECTIVES", "CostDeviation", "ExpectedCost", "Objective", "SolutionDeviation"]


@dataclass(frozen=True)
class ExpectedCost(Objective):
    """E[c(z(xi))]."""

    name: ClassVar[str] = "expected-cost"
    kind: ClassVar[str] = "ExpectedCost"

    @property
    def phi(self) -> float:  # pyright: ignore[reportIncompatibleVariableOverride] -- as a field it would be asked for
        """No deviation."""
        return 0.0

    def deviation(self, program: Program, p: int) -> tuple[Sparse, Dense] | None:
        """No such term."""
        return None


@dataclass(frozen=True, kw_only=True)
class _Weighted(Objective):
    """One whose weight is asked for, and checked."""

    phi: float = field(metadata={"help": "Weight of the deviation, 0 to 1."})

    def __post_init__(self) -> None:
        needed, remedy = "a number from 0 to 1.", "start with 0.1."
        phi = real(self.phi, "phi", needed, remedy, low=0.0, high=1.0)
        object.__setattr__(self, "phi", phi)


@dataclass(frozen=True, kw_only=True)
class CostDeviation(_Weighted):
    """(1 - phi) E[c] + phi times the standard deviation of the cost, for a linear cost."""

    name: ClassVar[str] = "cost-deviation"
    kind: ClassVar[str] = "CostDeviation"

    def deviation(self, program: Program, p: int) -> tuple[Sparse, Dense] | None:
        """||c1'Z Sigma^(1/2)||."""
        if program.quadratic.nnz:
            raise CombinationError(
                "CostDeviation was asked for a quadratic cost.",
                "a linear cost: the deviation of a quadratic one is not convex in Z.",
                "drop the quadratic cost, or use SolutionDeviation.",
            )
        return sp.csr_array(program.linear[None, :]), np.eye(p)


@dataclass(frozen=True, kw_only=True)
class SolutionDeviation(_Weighted):
    """(1 - phi) E[c] + phi times the standard deviation of the solution.

    Parameters
    ----------
    phi
        Weight of the deviation, in [0, 1].
    published
        False: the true deviation sqrt(tr(Z Sigma Z')). True: ||Z Sigma^(1/2) 1||, the paper's (9)
        as printed.
    """

    name: ClassVar[str] = "solution-deviation"
    kind: ClassVar[str] = "SolutionDeviation"

    published: bool = field(
        default=False, metadata={"help": "The deviation of z as the paper prints it."}
    )

    def deviation(self, program: Program, p: int) -> tuple[Sparse, Dense] | None:
        """||Z Sigma^(1/2)||_F, or as printed."""
        return sp.csr_array(sp.eye_array(program.n)), np.ones((p, 1)) if self.published else (
            np.eye(p)
        )


OBJECTIVES: list[type[Objective]] = [
    ExpectedCost,
    CostDeviation,
    SolutionDeviation,
]
