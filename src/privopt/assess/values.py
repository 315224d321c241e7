"""What is released of any data, before noise: S z~(d) of the plan, or S z*(d) of the optimum.

The paper's mechanism solves its chance-constrained program anew for each d, recourse included; so
does this. A reformulation that draws draws the same each time.
"""

from __future__ import annotations

import numpy as np

from privopt.arrays import Vector
from privopt.errors import InfeasibleError, SolverError, UnboundedError
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.planning import planned
from privopt.mechanisms.question import Question
from privopt.solving.solver import Settings

__all__ = ["ReleasedValues"]


class ReleasedValues:
    """The released values of a mechanism as a function of d; counts what it was asked."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self._start: Plan | None = None
        self.evaluations = self.infeasible = self.failed = 0

    def at(
        self, d: Vector, *, cold: bool = False, settings: Settings | None = None
    ) -> Vector | None:
        """S z~ at d; None if there is no solution, or the solver found none. `cold`: no start."""
        self.evaluations += 1
        try:
            return np.asarray(
                self.question.S @ self._solved(d, cold, settings or self.question.settings)
            )
        except InfeasibleError:
            self.infeasible += 1
        except (SolverError, UnboundedError):
            self.failed += 1
        return None

    def _solved(self, d: Vector, cold: bool, settings: Settings) -> Vector:
        if self.question.feasibility is None:
            return self.question.program.solve(settings, d=d).z
        asked = self.question.at(d).under(settings=settings)
        plan = planned(asked, None if cold else self._start)
        self._start = plan
        return plan.expected
