"""Why no plan exists, for the curator.

Which rows block: with the noise as asked, the rows on which the least total excess over the limits
lies (each relative to its size). And what would do, each parameter alone:
the smallest epsilon, the largest alpha and the smallest eta at which the program becomes feasible,
by bisection to one percent; each reported value was tried and found feasible.

All of it depends on d. It is private, and never part of a release.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np

from privopt.discreet import discreet
from privopt.errors import PrivoptError
from privopt.feasibility.protocol import Feasibility, Settled
from privopt.mechanisms.repeat import Repeat
from privopt.model.diagnosis import Diagnosis
from privopt.model.magnitude import public_bound
from privopt.model.objective import ExpectedCost
from privopt.model.program import ConvexProgram
from privopt.model.query import Query, still_entries
from privopt.noise.calibration import Privacy, query_sensitivity
from privopt.solving.chance import ChanceProgram
from privopt.solving.solver import Settings

__all__ = ["Request", "diagnose"]

_PRECISION = 1.01
T = TypeVar("T")


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

    def feasible(self, privacy: Privacy, feasibility: Feasibility) -> bool:
        """Whether a plan is found under another request, with the same draws."""
        chance = self.chance(privacy, feasibility)
        return isinstance(feasibility.settle(chance, copy.deepcopy(self.rng)), Settled)


@discreet
def diagnose(request: Request) -> Diagnosis:
    """Find the blocking rows and the nearest feasible epsilon, alpha and eta."""
    privacy, feasibility = request.privacy, request.feasibility

    def with_epsilon(epsilon: float) -> bool:
        return request.feasible(_changed(privacy, epsilon=epsilon), feasibility)

    def with_alpha(alpha: float) -> bool:
        return request.feasible(_changed(privacy, alpha=alpha), feasibility)

    def with_eta(eta: float) -> bool:
        return request.feasible(privacy, _changed(feasibility, eta=eta))

    chance = request.chance(privacy, feasibility)
    excess = chance.excess(feasibility.margins(chance, copy.deepcopy(request.rng)))
    least = max(1e-6, 0.01 * float(excess.max(initial=0.0)))
    order = [int(i) for i in np.argsort(-excess) if excess[i] > least]
    names = request.program.rows.names
    given = getattr(feasibility, "eta", None)
    return Diagnosis(
        rows=tuple(names[i] for i in order),
        excess=tuple(float(excess[i]) for i in order),
        epsilon=_search(with_epsilon, privacy.epsilon, privacy.largest_epsilon),
        alpha=_search(with_alpha, privacy.alpha, privacy.alpha * 1e-9),
        eta=None
        if given is None
        else _search(
            with_eta, float(np.min(np.asarray(given, dtype=float))), feasibility.largest_eta
        ),
    )


def _changed(request: T, **changes: float) -> T:
    """The same request with another number in it."""
    return cast("T", dataclasses.replace(cast("Any", request), **changes))


def _search(feasible: Callable[[float], bool], start: float, end: float) -> float | None:
    """The feasible value nearest to `start` on the way to `end`, to one percent."""

    def holds(value: float) -> bool:
        try:
            return feasible(value)
        except PrivoptError:  # outside the range of that parameter
            return False

    bad, good = start, start
    while True:
        good = min(2 * good, end) if end > start else max(good / 2, end)
        if holds(good):
            break
        if good == end:
            return None
        bad = good
    while max(good / bad, bad / good) > _PRECISION:
        middle = float(np.sqrt(good * bad))
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good
