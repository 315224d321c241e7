"""Trace a frontier: a plan, a policy or a simulated decision at each value of one parameter.

    frontier(job, "epsilon", [0.1, 0.5, 1.0], policies=True)      one policy for each

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
from privopt.app.making import design_task, instrument_of, solved
from privopt.claims.units import UnitLabels
from privopt.digits import finite
from privopt.errors import InfeasibleError, InputError, SolverError
from privopt.mechanisms.design_task import DesignTask
from privopt.mechanisms.designing import designed
from privopt.mechanisms.fidelity import Within, within
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.policy import Policy
from privopt.model.objective import ExpectedCost, SolutionDeviation
from privopt.model.program import stopped
from privopt.scalars import whole
from privopt.solving.problem import Outcome
from privopt.solving.threads import one_thread

__all__ = ["OVER", "frontier", "jobs_of", "spaced"]

OVER = ("epsilon", "alpha", "eta", "phi", "floor", "fidelity", "within")
_OF_POLICIES = ("floor", "fidelity", "within")
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
    policies: bool,
    decisions: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Frontier:
    """Solve, design policies or simulate decisions at each value of a parameter.

    Parameters
    ----------
    over
        "epsilon", "alpha", "eta" or "phi"; of policies "floor", "fidelity" or "within"; of
        decisions the first three or "fidelity".
    progress
        Is told how many values are done, and of how many.
    """
    jobs = jobs_of(job, over, values, policies=policies, decisions=decisions)
    if decisions or (policies and job.measure is not None):  # the same sums at every value
        sums = instrument_of(job)
        jobs = {
            value: dataclasses.replace(one, measure=same_sums(one, sums))
            for value, one in jobs.items()
        }
    make = _Decisions() if decisions else _Policies(over) if policies else _Plans()
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
    private = not (policies or decisions)
    return Frontier(over, private, tuple(points), constant, decisions, _units(job))


def _units(job: Job) -> UnitLabels | None:
    """What the values of a job are counted in."""
    if job.source is None or job.query is None or job.source.program.units is None:
        return None
    program = job.source.program
    return job.source.program.units.of_rows(job.query.matrix(program))


def jobs_of(
    job: Job, over: str, values: Sequence[float], *, policies: bool, decisions: bool = False
) -> dict[float, Job]:
    """The job at each value; what no frontier has is refused, before anything is simulated."""
    kinds = [name for name in OVER if name != "phi"] if policies else list(OVER[:4])
    kinds = list(_OF_DECISIONS) if decisions else kinds
    if over not in kinds:
        what = "decisions" if decisions else "policies" if policies else "plans"
        raise InputError(
            f"a frontier over {over!r:.40} was asked.",
            f"of {what}: {', '.join(kinds)}.",
            "choose one of these, or give the job a domain for a policy.",
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
    if over == "within":
        return dataclasses.replace(job, fidelity=Within(value))
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


class _Policies:
    """Policies; their task is prepared once where the parameter does not change it."""

    def __init__(self, over: str) -> None:
        self._shared = over in _OF_POLICIES
        self._kept: list[DesignTask] = []

    def __call__(self, job: Job, value: float) -> FrontierPoint:
        with one_thread():
            policy = self._policy(job)
        if policy is None:
            return FrontierPoint(value, "infeasible")
        return _point(value, policy)

    def constant(self, job: Job) -> FrontierPoint | None:
        """The constant that keeps the limits, which no noise and no epsilon changes."""
        if not self._kept:
            return None
        fidelity = 0.0 if isinstance(job.fidelity, Within) else job.fidelity
        with one_thread():
            policy = self._kept[0].constant(fidelity)
        return None if policy is None else _point(0.0, policy)

    def _policy(self, job: Job) -> Policy | None:
        timed = job.settings.time_limit is not None  # the clock starts with what is prepared
        if not self._kept or not self._shared or timed:
            self._kept = [design_task(job)]
        task, fidelity = self._kept[0], job.fidelity
        if isinstance(fidelity, Within):
            return within(fidelity, lambda weight: designed(task, weight, job.floor), task.scale)
        # Not `designed`: what would make an infeasible one feasible takes long to find.
        found = task.solution(fidelity, job.floor)
        if found is Outcome.INFEASIBLE:
            return None
        if isinstance(found, Outcome):
            raise stopped(found)
        return task.policy(found)


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


def _point(value: float, policy: Policy) -> FrontierPoint:
    return FrontierPoint(
        value,
        "solved",
        policy.cost,
        finite(policy.loss),
        policy.sensitivity,
        finite(policy.completed_loss.value),
        policy.worth,
    )
