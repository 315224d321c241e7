"""Trace a frontier: a plan or a simulated decision at each value of one parameter.

    frontier(job, "epsilon", [0.1, 0.5, 1.0], decisions=False)      one plan for each

Values at which there is none are kept, and marked.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from privopt.app.decisions import Prospect, same_sums, simulated_of, weight_of
from privopt.app.frontier import LOGARITHMIC, Frontier, FrontierPoint
from privopt.app.job import Job
from privopt.app.making import instrument_of, solved
from privopt.claims.units import UnitLabels
from privopt.digits import finite
from privopt.errors import InfeasibleError, InputError, SolverError
from privopt.mechanisms.plan import Plan
from privopt.model.objective import ExpectedCost, SolutionDeviation
from privopt.scalars import whole

__all__ = ["OVER", "frontier", "jobs_of", "spaced"]

OVER = ("epsilon", "alpha", "eta", "phi", "fidelity")
_OF_PLANS = ("epsilon", "alpha", "eta", "phi")
_OF_DECISIONS = ("epsilon", "alpha", "eta", "fidelity")


def spaced(over: str, low: float, high: float, points: int) -> list[float]:
    """Values from low to high: even steps, or even ratios where only ratios matter."""
    count = whole(points, "points", "use about 9.", low=2)
    if not low < high:
        raise InputError(
            f"the values go from {low:g} to {high:g}.", "from a smaller one.", "swap them."
        )
    if over in LOGARITHMIC and low > 0:
        return [float(f"{value:.3g}") for value in np.geomspace(low, high, count)]
    return [float(f"{value:.6g}") for value in np.linspace(low, high, count)]


def frontier(
    job: Job,
    over: str,
    values: Sequence[float],
    *,
    decisions: bool,
    progress: Callable[[int, int], None] | None = None,
) -> Frontier:
    """Solve plans or simulate decisions at each value of a parameter.

    Parameters
    ----------
    over
        "epsilon", "alpha" or "eta"; of plans "phi", of decisions "fidelity".
    progress
        Is told how many values are done, and of how many.
    """
    jobs = jobs_of(job, over, values, decisions=decisions)
    if decisions:  # the same sums at every value
        sums = instrument_of(job)
        jobs = {
            value: dataclasses.replace(one, measure=same_sums(one, sums))
            for value, one in jobs.items()
        }
    make = _Decisions() if decisions else _Plans()
    points: list[FrontierPoint] = []
    told: Callable[[int, int], None] = progress or (lambda _done, _total: None)
    told(0, len(jobs))
    for value, one in jobs.items():
        try:
            points.append(make(one, value))
        except InfeasibleError:
            points.append(FrontierPoint(value, "infeasible"))
        except SolverError:
            points.append(FrontierPoint(value, "failed"))
        told(len(points), len(jobs))
    constant = None if isinstance(make, _Plans) else make.constant(job)
    return Frontier(over, not decisions, tuple(points), constant, _units(job))


def _units(job: Job) -> UnitLabels | None:
    """What the values of a job are counted in."""
    if job.source is None or job.query is None or job.source.program.units is None:
        return None
    program = job.source.program
    return job.source.program.units.of_rows(job.query.matrix(program))


def jobs_of(job: Job, over: str, values: Sequence[float], *, decisions: bool) -> dict[float, Job]:
    """The job at each value; what no frontier has is refused, before anything is simulated."""
    kinds = _OF_DECISIONS if decisions else _OF_PLANS
    if over not in kinds:
        raise InputError(
            f"a frontier over {over!r:.40} was asked.",
            f"of {'decisions' if decisions else 'plans'}: {', '.join(kinds)}.",
            "choose one of these.",
        )
    if not values:
        raise InputError("there are no values.", "one or more numbers.", "use --values 0.1,1.")
    jobs = {value: _with(job, over, value) for value in sorted(set(values))}
    if decisions:
        for one in jobs.values():
            weight_of(one)
    return jobs


def _with(job: Job, over: str, value: float) -> Job:
    """The job with another value of a parameter; the value is checked by what takes it."""
    if over in ("epsilon", "alpha"):
        privacy: Any = _given(job.privacy, "privacy")
        return dataclasses.replace(job, privacy=dataclasses.replace(privacy, **{over: value}))
    if over == "eta":
        feasibility: Any = _given(job.feasibility, "feasibility")
        if not hasattr(feasibility, "eta"):
            raise InputError(
                "a frontier over eta was asked of limits that always hold.",
                "a feasibility with eta.",
                "use another kind, such as exact-box.",
            )
        return dataclasses.replace(job, feasibility=dataclasses.replace(feasibility, eta=value))
    if over == "phi":
        objective: Any = job.objective
        if isinstance(objective, ExpectedCost):
            return dataclasses.replace(job, objective=SolutionDeviation(phi=value))
        return dataclasses.replace(job, objective=dataclasses.replace(objective, phi=value))
    if value < 0:
        raise InputError(f"{over} is {value:g}.", "numbers >= 0.", "use larger values.")
    changes: dict[str, Any] = {over: value}
    return dataclasses.replace(job, **changes)


def _given(part: object, section: str) -> object:
    if part is None:
        raise InputError(f"the job has no [{section}].", f"[{section}].", "add it, or its flags.")
    return part


class _Plans:
    """Plans, each started from what bound in the one before."""

    def __init__(self) -> None:
        self._last: Plan | None = None

    def __call__(self, job: Job, value: float) -> FrontierPoint:
        self._last = plan = solved(job, start=self._last)
        done = finite(plan.completed_loss.value)
        return FrontierPoint(value, "solved", plan.cost, finite(plan.loss), completed=done)


class _Decisions:
    """Decisions, simulated; what nothing measured comes to is seen beside each."""

    def __init__(self) -> None:
        self._constants: list[Prospect] = []

    def __call__(self, job: Job, value: float) -> FrontierPoint:
        made, constant = simulated_of(job)
        self._constants += [] if constant is None else [constant]
        if made is None:
            return FrontierPoint(value, "infeasible")
        return FrontierPoint(value, "solved", completed=made.completed, worth=made.worth)

    def constant(self, job: Job) -> FrontierPoint | None:
        """What a decision from nothing comes to; None if that changes with the parameter."""
        if not self._constants:
            return None
        first = self._constants[0]
        seen = {(one.completed, one.worth.distance) for one in self._constants}
        if len(seen) > 1:
            return None
        return FrontierPoint(0.0, "solved", completed=first.completed, worth=first.worth)
