"""Why no plan exists, for the curator.

Which rows block: with the noise as asked, the rows that must be exceeded to make the program
feasible (least total excess, each relative to its size). And what would do, each parameter alone:
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

from privopt.conic.chance import ChanceProgram
from privopt.conic.solver import Settings
from privopt.errors import PrivoptError
from privopt.feasibility.analytic import Analytic
from privopt.feasibility.protocol import Feasibility, Settled
from privopt.magnitude import public_bound
from privopt.noise.calibration import Privacy, query_sensitivity
from privopt.objective import ExpectedCost
from privopt.program import ConvexProgram
from privopt.query import Query
from privopt.repeat import Repeat

__all__ = ["Diagnosis", "Request", "diagnose"]

_PRECISION = 1.01
T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """Private: what blocks, and what would do. Values only by attribute or `summary()`.

    Attributes
    ----------
    rows
        Names of the rows that must be exceeded, worst first.
    excess
        By how much, relative to their size.
    epsilon, alpha, eta
        Smallest epsilon, largest alpha, smallest eta (each alone) that would be feasible; None if
        that parameter alone does not help.
    """

    rows: tuple[str, ...]
    excess: tuple[float, ...]
    epsilon: float | None
    alpha: float | None
    eta: float | None

    def __repr__(self) -> str:
        return "Diagnosis(private: read .rows, .epsilon, .alpha, .eta, or print .summary())"

    def summary(self) -> str:
        """The diagnosis in words, for the curator's eyes."""
        lines = ["Rows that block (relative excess):"]
        lines += [
            f"  {name}: {amount:.3g}"
            for name, amount in list(zip(self.rows, self.excess, strict=True))[:10]
        ]
        if len(self.rows) > 10:
            lines.append(f"  ... {len(self.rows)} in all")
        for label, value in (
            ("smallest epsilon", self.epsilon),
            ("largest alpha", self.alpha),
            ("smallest eta", self.eta),
        ):
            text = "none: it does not help alone" if value is None else f"{value:.4g}"
            lines.append(f"Feasible, all else equal, at the {label}: {text}")
        return "\n".join(lines)


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
        return ChanceProgram(self.program, S, calibration, ExpectedCost(), self.settings, near)

    def feasible(self, privacy: Privacy, feasibility: Feasibility) -> bool:
        """Whether a plan is found under another request, with the same draws."""
        chance = self.chance(privacy, feasibility)
        return isinstance(feasibility.settle(chance, copy.deepcopy(self.rng)), Settled)


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
    least = 1e-6 * max(1.0, float(excess.max(initial=0.0)))
    order = [int(i) for i in np.argsort(-excess) if excess[i] > least]
    names = request.program.rows.names
    given = getattr(feasibility, "eta", None)
    return Diagnosis(
        rows=tuple(names[i] for i in order),
        excess=tuple(float(excess[i]) for i in order),
        epsilon=_search(with_epsilon, privacy.epsilon, _epsilons(privacy)),
        alpha=_search(with_alpha, privacy.alpha, privacy.alpha * 1e-9),
        eta=None
        if given is None
        else _search(with_eta, float(np.min(np.asarray(given, dtype=float))), _etas(feasibility)),
    )


def _changed(request: T, **changes: float) -> T:
    """The same request with another number in it."""
    return cast("T", dataclasses.replace(cast("Any", request), **changes))


def _epsilons(privacy: Privacy) -> float:
    """The largest epsilon worth trying."""
    classical = getattr(privacy, "calibration", None) == "classical"
    return 0.999 if classical else max(1e4, 100 * privacy.epsilon)


def _etas(feasibility: Feasibility) -> float:
    """The largest eta in the range of a reformulation."""
    if not isinstance(feasibility, Analytic):
        return 0.99
    return 1 / 6 if feasibility.margin == "unimodal" and feasibility.scope == "row" else 0.499


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
