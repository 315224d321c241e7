"""What is released of any data, before noise: S z~(d) of the plan, or S z*(d) of the optimum.

The paper's mechanism solves its chance-constrained program anew for each d, recourse included; so
does this. A reformulation that draws draws the same each time.
"""

from __future__ import annotations

import numpy as np

from privopt.arrays import Vector
from privopt.errors import InfeasibleError, SolverError, UnboundedError
from privopt.feasibility.protocol import Feasibility
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.planning import solve
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.noise.calibration import Privacy
from privopt.solving.solver import Settings

__all__ = ["Values"]


class Values:
    """The released values of a mechanism as a function of d; counts what it was asked."""

    def __init__(
        self,
        program: ConvexProgram,
        query: Query,
        privacy: Privacy,
        feasibility: Feasibility | None,
        seed: int,
        settings: Settings,
    ) -> None:
        self._program, self._query, self._privacy = program, query, privacy
        self._feasibility, self._seed, self._settings = feasibility, seed, settings
        self._S = query.matrix(program)
        self.names = query.names(program)
        self._start: Plan | None = None
        self.evaluations = self.infeasible = self.failed = 0

    def at(
        self, d: Vector, *, cold: bool = False, settings: Settings | None = None
    ) -> Vector | None:
        """S z~ at d; None if there is no solution, or the solver found none. `cold`: no start."""
        self.evaluations += 1
        try:
            return np.asarray(self._S @ self._solved(d, cold, settings or self._settings))
        except InfeasibleError:
            self.infeasible += 1
        except (SolverError, UnboundedError):
            self.failed += 1
        return None

    def _solved(self, d: Vector, cold: bool, settings: Settings) -> Vector:
        if self._feasibility is None:
            return self._program.solve(settings, d=d).z
        plan = solve(
            self._program.at(d),
            self._query,
            self._privacy,
            self._feasibility,
            rng=self._seed,
            settings=settings,
            start=None if cold else self._start,
        )
        self._start = plan
        return plan.expected
