"""Why no plan exists, for the curator.

Which rows block: with the noise as asked, the rows on which the least total excess over the limits
lies (each relative to its size). And what would do, each parameter alone:
the smallest epsilon, the largest alpha and the smallest eta at which the program becomes feasible,
by bisection to one percent; each reported value was tried and found feasible.

All of it depends on d. It is private, and never part of a release.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privopt.discreet import discreet
from privopt.feasibility.protocol import Feasibility, Settled
from privopt.mechanisms.remedies import Remedy, changed, doubling
from privopt.mechanisms.repeat import Repeat
from privopt.model.diagnosis import Diagnosis
from privopt.model.magnitude import public_bound
from privopt.model.objective import ExpectedCost
from privopt.model.program import ConvexProgram
from privopt.model.query import Query, still_entries
from privopt.noise.calibration import Privacy, query_sensitivity
from privopt.solving.chance import ChanceProgram
from privopt.solving.problem import Outcome
from privopt.solving.solver import Settings

__all__ = ["Request", "diagnose"]

_PRECISION = 1.01


@dataclass(frozen=True, eq=False, repr=False)
class Request:
    """What was asked of `solve` when no plan was found."""

    program: ConvexProgram
    query: Query
    privacy: Privacy
    feasibility: Feasibility
    repeat: Repeat | None
    rng: np.random.Generator
    settings: Settings

    def chance(self, privacy: Privacy, feasibility: Feasibility) -> ChanceProgram:
        """The chance-constrained program under another privacy or feasibility request."""
        S = self.query.matrix(self.program)
        tries = 1 if self.repeat is None else self.repeat.tries(feasibility)
        calibration = privacy.calibrate(
            S.shape[0],
            query_sensitivity(privacy, S),
            bound=public_bound(self.program, S),
            tries=tries,
        )
        near = self.program.solve(self.settings).z
        still = still_entries(self.query, self.program)
        return ChanceProgram(
            self.program, S, calibration, ExpectedCost(), self.settings, near, still
        )

    def settled(self, privacy: Privacy, feasibility: Feasibility) -> Settled | Outcome:
        """What another request comes to, with the same draws; what is not solved does not do."""
        made = feasibility.settle(self.chance(privacy, feasibility), copy.deepcopy(self.rng))
        return made if isinstance(made, Settled) else Outcome.INFEASIBLE


@discreet
def diagnose(request: Request) -> Diagnosis:
    """Find the blocking rows and the nearest feasible epsilon, alpha and eta."""
    privacy, feasibility = request.privacy, request.feasibility

    def with_epsilon(epsilon: float) -> Settled | Outcome:
        return request.settled(changed(privacy, epsilon=epsilon), feasibility)

    def with_alpha(alpha: float) -> Settled | Outcome:
        return request.settled(changed(privacy, alpha=alpha), feasibility)

    def with_eta(eta: float) -> Settled | Outcome:
        return request.settled(privacy, changed(feasibility, eta=eta))

    def nearest(
        name: str, attempt: Callable[[float], Settled | Outcome], asked: float, end: float
    ) -> float | None:
        return Remedy(name, asked, tuple(doubling(asked, end)), attempt, _PRECISION).search()

    chance = request.chance(privacy, feasibility)
    excess = chance.excess(feasibility.margins(chance, copy.deepcopy(request.rng)))
    least = max(1e-6, 0.01 * float(excess.max(initial=0.0)))
    order = [int(i) for i in np.argsort(-excess) if excess[i] > least]
    names = request.program.rows.names
    given = getattr(feasibility, "eta", None)
    return Diagnosis(
        rows=tuple(names[i] for i in order),
        excess=tuple(float(excess[i]) for i in order),
        epsilon=nearest("epsilon", with_epsilon, privacy.epsilon, privacy.largest_epsilon),
        alpha=nearest("alpha", with_alpha, privacy.alpha, privacy.alpha * 1e-9),
        eta=None
        if given is None
        else nearest("eta", with_eta, float(np.min(given)), feasibility.largest_eta),
    )
