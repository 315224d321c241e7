"""A frontier: what a plan, a policy or a decision costs as one parameter of its job changes.

    frontier(job, "epsilon", [0.1, 0.5, 1.0], "policy")     one policy (plan, decision) for each

Values at which there is none are kept, and marked. Beside policies and decisions stands the
constant, which costs no epsilon: what they must beat. A frontier of plans is private, because their
costs depend on d; the others are made from public data. Decisions are simulated: measured, decided
and completed at public draws.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.app.decisions import Outcomes, simulated_of
from privopt.app.job import Job, design_task, solved
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
from privopt.show.figures import BLUE, ORANGE, figure, titled
from privopt.show.result import Result, unseen
from privopt.show.view import Table, View
from privopt.solving.problem import Outcome
from privopt.solving.threads import one_thread

__all__ = ["OVER", "Frontier", "FrontierPoint", "frontier", "spaced"]

OVER = ("epsilon", "alpha", "eta", "phi", "floor", "fidelity", "within")
_OF_POLICIES = ("floor", "fidelity", "within")
_CONSTANT = "constant"
_LOSSES = (
    "Loss: extra cost of the affine solution. Completed: what is paid once the curator has "
    "re-optimised what is not released."
)
_TELLS = (
    "Tells: the share of what varies in the answers that the values tell. The constant costs no "
    "epsilon and tells nothing: what is paid for should beat it."
)
_SIMULATED = (
    "Completed: extra cost once the curator has optimised what is not released, simulated on "
    "public draws of data and noise."
)
_OF_AFFINE = ("cost", "loss, %", "noise level s")  # what a decision, no affine solution, has not
_OF_DECISIONS = ("epsilon", "alpha", "eta", "fidelity")
_LOGARITHMIC = ("epsilon", "alpha", "eta", "fidelity", "within")


@dataclass(frozen=True, repr=False)
class FrontierPoint:
    """One value of the parameter, and what came of it. Private, if it is about a plan.

    Attributes
    ----------
    status
        "solved", "infeasible", or "failed" (the solver gave no answer).
    cost, loss
        Expected cost of the affine solution, and its excess over the optimum's as a fraction; no
        loss over a cost of 0.
    distance, level
        Of a policy: expected distance from the non-private answer, and noise level s.
    completed
        The loss after completion; None where no simulated release could be completed.
    tells
        Of a policy: the share of what varies in the answers that its values tell; None where
        nothing varies.
    """

    value: float
    status: str
    cost: float | None = None
    loss: float | None = None
    distance: float | None = None
    level: float | None = None
    completed: float | None = None
    tells: float | None = None


@dataclass(frozen=True, repr=False)
class Frontier(Result):
    """Points along the parameter `over`, in the order of its values.

    It is `private` if it is about plans: then it depends on d and is the curator's. `constant` is
    the policy that releases a constant, at epsilon 0; None if there is none, or of plans. It is
    about `decisions`, or else about policies or plans.
    """

    over: str
    private: bool
    points: tuple[FrontierPoint, ...]
    constant: FrontierPoint | None = None
    decisions: bool = False

    def __repr__(self) -> str:
        kind = "plans; private: read .points" if self.private else self._words[0].lower()
        return f"Frontier({len(self.points)} values of {self.over}, {kind})"

    @property
    def _words(self) -> tuple[str, str]:
        """What it is about, many and one."""
        if self.decisions:
            return "Decisions", "decision"
        return ("Plans", "plan") if self.private else ("Policies", "policy")

    def view(self) -> View:
        """What each value costs."""
        shown = [*self.points, *([] if self.constant is None else [self.constant])]
        columns: dict[str, Any] = {
            "status": [point.status for point in shown],
            "cost": [point.cost for point in shown],
            "loss, %": [_percent(point.loss) for point in shown],
            "completed, %": [_percent(point.completed) for point in shown],
        }
        if not self.private:
            columns["distance"] = [point.distance for point in shown]
            columns["tells, %"] = [_percent(point.tells) for point in shown]
            columns["noise level s"] = [point.level for point in shown]
        if self.decisions:
            columns = {name: columns[name] for name in columns if name not in _OF_AFFINE}
        what, one = self._words
        values = [point.value for point in self.points]
        rows = [*values, *([] if self.constant is None else [_CONSTANT])]
        none = sum(point.status != "solved" for point in self.points)
        still = any(point.level == 0 for point in self.points)
        return View(
            f"{what} over {self.over}",
            Table(self.over, rows, columns, f"by {self.over}"),
            notes=(
                _SIMULATED if self.decisions else _LOSSES,
                *(() if self.private else (_TELLS,)),
                *(("At noise level s = 0 the release is a constant.",) if still else ()),
            ),
            warnings=(f"No {one} at {none} of {len(values)} values.",) if none else (),
            private=self.private,
            lead=f"What privacy costs as {self.over} changes and all else stays as it is.",
        )

    def _repr_html_(self) -> str:
        return unseen(self) if self.private else super()._repr_html_()

    def plot(self) -> Any:  # noqa: ANN401 -- a plotly figure; plotly has no types
        """Loss (and, of policies, distance) against the parameter. That of plans is private."""
        x, still = [point.value for point in self.points], self.constant
        done = [_percent(point.completed) for point in self.points]
        lines = [
            ("loss after completion, %", done, BLUE, "y", "solid"),
            ("loss as designed, %", [_percent(p.loss) for p in self.points], BLUE, "y", "dot"),
        ][: 1 if self.decisions else 2]
        if not self.private:
            lines.append(("distance", [p.distance for p in self.points], ORANGE, "y2", "solid"))
        if still is not None:
            flat = len(x)
            lines += [
                ("loss of the constant, %", [_percent(still.completed)] * flat, BLUE, "y", "dash"),
                ("distance of the constant", [still.distance] * flat, ORANGE, "y2", "dash"),
            ]
        data = [
            {
                "type": "scatter",
                "mode": "lines" if style == "dash" else "lines+markers",
                "x": x,
                "y": values,
                "name": label,
                "yaxis": place,
                "line": {"color": colour, "dash": style},
            }
            for label, values, colour, place, style in lines
        ]
        none = sum(point.status != "solved" for point in self.points)
        return figure(
            data,
            f"{'PRIVATE: plans' if self.private else self._words[0]} over {self.over}",
            f"no solution at {none} of {len(x)} values" if none else "",
            xaxis=titled(
                self.over, type="log" if self.over in _LOGARITHMIC and min(x) > 0 else "linear"
            ),
            yaxis=titled("loss, %", rangemode="tozero"),
            yaxis2=titled("distance", rangemode="tozero", overlaying="y", side="right"),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        points = [dataclasses.asdict(point) for point in self.points]
        constant = None if self.constant is None else dataclasses.asdict(self.constant)
        found = {"over": self.over, "private": self.private, "points": points}
        return found if self.private else {**found, "constant": constant}


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def spaced(over: str, low: float, high: float, points: int) -> list[float]:
    """Values from low to high: even steps, or even ratios where only ratios matter."""
    count = whole(points, "points", "use about 9.", low=2)
    if not low < high:
        raise InputError(
            f"the values go from {low:g} to {high:g}.", "from a smaller one.", "swap them."
        )
    if over in _LOGARITHMIC and low > 0:
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
    return Frontier(over, private, tuple(points), constant, decisions)


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
    """Policies; what they share is prepared once where only the wishes change."""

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
        wish = 0.0 if isinstance(job.fidelity, Within) else job.fidelity
        with one_thread():
            found = self._kept[0].constant(wish)
        return None if found is None else _point(0.0, found)

    def _policy(self, job: Job) -> Policy | None:
        timed = job.settings.time_limit is not None  # the clock starts with what is prepared
        if not self._kept or not self._shared or timed:
            self._kept = [design_task(job)]
        task, wish = self._kept[0], job.fidelity
        if isinstance(wish, Within):
            return within(wish, lambda weight: designed(task, weight, job.floor), task.scale)
        # Not `designed`: what would make an infeasible one feasible takes long to find.
        found = task.solution(wish, job.floor)
        if found is Outcome.INFEASIBLE:
            return None
        if isinstance(found, Outcome):
            raise stopped(found)
        return task.policy(found)


class _Decisions:
    """Decisions, simulated; what nothing measured comes to is seen beside each."""

    def __init__(self) -> None:
        self._constants: list[Outcomes] = []

    def __call__(self, job: Job, value: float) -> FrontierPoint:
        found, constant = simulated_of(job)
        self._constants += [] if constant is None else [constant]
        if found is None:
            return FrontierPoint(value, "infeasible")
        return FrontierPoint(value, "solved", **found)

    def constant(self, job: Job) -> FrontierPoint | None:
        """What a decision from nothing comes to; None if that changes with the parameter."""
        same = all(one == self._constants[0] for one in self._constants)
        return (
            FrontierPoint(0.0, "solved", **self._constants[0]) if self._constants and same else None
        )


def _point(value: float, policy: Policy) -> FrontierPoint:
    tells = None if policy.worth is None else finite(policy.worth.tells)
    return FrontierPoint(
        value,
        "solved",
        policy.cost,
        finite(policy.loss),
        policy.distance,
        policy.sensitivity,
        finite(policy.completed_loss.value),
        tells,
    )
