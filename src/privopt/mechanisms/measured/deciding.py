"""Decide, from a measurement and public data alone, what to release.

    measurement -> U(y), where the data lie with probability 1 - eta       `belief`
                -> draws of what it leaves possible                        `posterior`
                -> values of least mean cost that have a certificate       `task`
                -> their loss and distance, on fresh draws that are not cut to U(y)

d is taken out of the program first: the same y and public data give the same bytes, whatever d is.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from privopt.arrays import Vector, vector
from privopt.claims.estimate import MeanEstimate, RangeEstimate
from privopt.errors import CombinationError, InfeasibleError, NotImplementableError, SolverError
from privopt.feasibility.protocol import Feasibility
from privopt.kernel.measurement import Measurement
from privopt.mechanisms.fidelity import Within
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.certificate import Certificate
from privopt.mechanisms.measured.claiming import eta_of, guaranteed
from privopt.mechanisms.measured.decision import Decision
from privopt.mechanisms.measured.nearness import decided_near
from privopt.mechanisms.measured.task import DecisionTask, Outlook
from privopt.mechanisms.measured.telling import decision_worth
from privopt.mechanisms.measured.undecided import no_decision
from privopt.mechanisms.question import check_arguments
from privopt.mechanisms.randomness import generator_of
from privopt.model.objective import Objective
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.scalars import real
from privopt.solving.problem import Outcome
from privopt.solving.solver import Settings
from privopt.solving.threads import one_thread

__all__ = ["DRAWS", "FRESH", "decide", "decided_by"]

DRAWS = 160  # for the objective
FRESH = 128  # for loss and distance
_LARGE, _FEWER = 1000, 48  # of programs with more variables than that: so many for both


def decide(
    program: ConvexProgram,
    query: Query,
    measurement: Measurement | Iterable[Measurement],
    feasibility: Feasibility,
    *,
    objective: Objective | None = None,
    fidelity: float | Within = 0.0,
    prior: Any = None,  # noqa: ANN401 -- the edge
    balance: Any = None,  # noqa: ANN401 -- the edge
    fallback: Any = None,  # noqa: ANN401 -- the edge
    rng: int | np.random.Generator | None = None,
    settings: Settings | None = None,
) -> Decision:
    """Choose the released values from a measurement.

    A public computation: d is not looked at, and nothing is charged. One measurement serves any
    number of decisions, with other queries, limits, costs or networks on the same data.

    Parameters
    ----------
    program, query
        What is solved and which values of its solution are released. If the program holds d, its
        private entries are taken out before anything is computed.
    measurement
        What `instrument.measure(d)` returned; or several measurements of the same data.
    feasibility
        `ExactBox(eta=)`: values that cannot be completed, all rows together, are decided with
        probability at most eta. `Always()`: with bounded noise, never.
    objective
        `ExpectedCost()`, as unless given. Deviations are refused: decided values have no recourse
        that varies, and what varies in the cost is the data's doing.
    fidelity
        Weight of the mean squared distance from the non-private answers; or `Within(distance)`, the
        least-cost values whose expected distance is at most that: root mean square over the draws
        that the values are decided by. (`decision.distance` is over fresh ones.)
    prior
        Public draws of the private entries, one a row; uniform on the domain unless given.
    balance
        Where G is rank-deficient: the entries of d that absorb a change of a private one.
    fallback
        Values to take where there is no decision at this y, also if the solver does not get to one:
        name them before y is known. Nothing is claimed about their feasibility.
    rng
        Seed or generator of the public draws; the same ones in every run unless given.
    settings
        Tolerance, time limit, threads.

    Raises
    ------
    NotImplementableError
        Some values follow from the data alone: they cannot be chosen before these are known.
    NoDecisionError
        No values have a certificate at this y. That is public, and says what would do: which eta,
        epsilon, domain or query, as it was tried.
    InfeasibleError
        No values that have one are as near as `Within` asks for.
    SolverError
        The solver came to no answer, or to none in time. That is public, too.
    """
    check_arguments(program=program, query=query, feasibility=feasibility, settings=settings)
    _check_objective(objective)
    weight = fidelity
    if not isinstance(weight, Within):
        needed, remedy = "a number >= 0, or Within(distance).", "use 0 for none."
        weight = real(weight, "fidelity", needed, remedy, low=0.0)
    with one_thread():
        belief = Belief.of(measurement, program)
        running = (settings or Settings()).started()
        task = DecisionTask(
            program, query, belief.everywhere, belief.domain, running, prior=prior, balance=balance
        )
        generator = generator_of(0 if rng is None else rng)
        given = None
        if fallback is not None:
            given = vector(fallback, len(task.names), "fallback", labels=task.names)
        return decided_by(task, belief, feasibility, weight, generator, given)


def _check_objective(objective: Objective | None) -> None:
    """Refuse a deviation, which no decided values could lessen: see the theory, section 4."""
    if objective is None:
        return
    check_arguments(objective=objective)
    if objective.phi:
        raise CombinationError(
            f"{objective.kind} was asked of a decision.",
            "ExpectedCost: decided values are constants without a recourse that varies, and the "
            "deviation of the cost is the data's, to within that of the loss.",
            "leave objective out; fidelity= or Within(distance) asks for nearer values, and more "
            "sums or a larger epsilon for a smaller loss. solve takes deviations.",
        )


def decided_by(
    task: DecisionTask,
    belief: Belief,
    feasibility: Feasibility,
    fidelity: float | Within,
    rng: np.random.Generator,
    fallback: Vector | None = None,
) -> Decision:
    """The decision of a prepared task; the fallback where there is none, whatever the reason."""
    start = time.process_time()
    region = belief.region(feasibility)
    large = task.program.n > _LARGE
    draws = task.draws(belief, task.count(_FEWER if large else DRAWS), rng, within=region)
    fresh = task.draws(belief, task.count(_FEWER if large else FRESH), rng)
    try:
        found = decided_near(task, region, draws, fidelity)
    except InfeasibleError:  # as all that follows a function of y and public data
        if fallback is None:
            raise
        found = Outcome.INFEASIBLE
    if not isinstance(found, Outcome):
        q, certificate = found
        outlook = task.outlook(q, fresh)
        decision = _decision(task, belief, q, certificate, outlook, eta_of(feasibility))
        if decision.check().holds:  # what is called PROVEN has been looked at in exact fractions
            return decision
        found = Outcome.STALLED
    if not task.possible(region):
        task.check_answerable()
        raise NotImplementableError(
            "some released values follow from the data alone.",
            "values that can be chosen before d is known.",
            "leave out the values that the equalities determine.",
        )
    if fallback is not None:
        return _decision(task, belief, fallback, None, task.outlook(fallback, fresh), None)
    if found is Outcome.INFEASIBLE:
        raise no_decision(task, belief, feasibility, time.process_time() - start)
    raise SolverError(
        f"the solver came to no decision: {found.value}.",  # public: d is not looked at
        "an optimum within the tolerance and the time limit.",
        "rescale the data, relax Settings(time_limit=), or name a fallback= in advance.",
    )


def _decision(
    task: DecisionTask,
    belief: Belief,
    q: Vector,
    certificate: Certificate | None,
    outlook: Outlook,
    eta: float | None,
) -> Decision:
    return Decision(
        values=q,
        names=task.names,
        measurements=belief.measurements,
        guarantee=guaranteed(belief, task.certifying.limits, eta),
        certificate=certificate,
        completed_loss=MeanEstimate.over((outlook.completed - outlook.optimal) / task.scale),
        optimal_cost=RangeEstimate.over(outlook.optimal),
        worth=decision_worth(task, belief, q, outlook),
        public=task.public,
        S=task.S,
        balance=tuple(task.program.data_names[k] for k in task.data.balance),
    )
