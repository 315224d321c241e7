"""A program under noise, as a reformulation sees it: sizes, the noise, and solves under margins.

`ChanceProgram` (for a plan) and `DesignProgram` (for a policy) are such programs, so every
reformulation of the noise settles both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from privopt.arrays import Dense, Sparse, Vector
from privopt.noise.calibration import Calibration
from privopt.solving.margins import Margins
from privopt.solving.problem import Outcome
from privopt.solving.program import Program
from privopt.solving.recourse import Recourse
from privopt.solving.scaling import Scaling
from privopt.solving.working import Marks

__all__ = ["NoisyProgram", "Solved"]


@dataclass(frozen=True, repr=False, eq=False)
class Solved:
    """A solution in the user's units: z~, Z with S Z = I, and how far it is to be trusted.

    `residual` is the largest A_i z~ + h_i(A_i Z) - b_i over all rows, each relative to its size;
    `exact` tells whether G z~ = d, G Z = 0 and S Z = I hold to rounding; `marks` is what bound.
    """

    z: Vector
    Z: Recourse
    residual: float
    exact: bool
    marks: Marks | None = None


Found = TypeVar("Found", bound=Solved)


class NoisyProgram(ABC):
    """One program, query and noise, ready to be solved under different margins.

    It is solved in units that suit the optimum without noise; `first` are units that come from the
    program alone.
    """

    def __init__(
        self, program: Program, S: Sparse, calibration: Calibration, first: Scaling
    ) -> None:
        self.program, self.S, self.calibration = program, S, calibration
        self._scaling = self._first = first

    @property
    def rows(self) -> int:
        """Number of inequality rows."""
        return len(self.program.rows.bound)

    @property
    def noise_dimensions(self) -> int:
        """Number of noise dimensions p."""
        return self.S.shape[0]

    @property
    def unit_deviation(self) -> float:
        """Standard deviation of the noise at scale one."""
        return float(np.sqrt(self.calibration.law.variance))

    @abstractmethod
    def _scale(self, scaling: Scaling) -> None:
        """Bring the program to scaled variables."""

    def _in_units(self, solve: Callable[[], Found | Outcome]) -> Found | Outcome:
        """Solve. That there is no solution is believed only if both kinds of units say so."""
        found, units = solve(), self._scaling
        if not isinstance(found, Outcome) or found is Outcome.TIME or units is self._first:
            return found
        self._scale(self._first)
        again = solve()
        if not isinstance(again, Outcome):
            return again
        self._scale(units)
        # A stall proves nothing; how the other solve ended may.
        return again if found is Outcome.STALLED else found

    @abstractmethod
    def decisions(self) -> int:
        """Number of free decisions."""

    @abstractmethod
    def spread(self, solved: Solved) -> tuple[Vector, Dense]:
        """Slack of the rows and A Z for noise of scale one, relative to the size of each row."""

    @abstractmethod
    def solve(self, margins: Margins) -> Solved | Outcome:
        """The optimum under the margins, or how the solver ended without one."""
