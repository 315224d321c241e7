"""Decide, from a measurement and public data alone, between which ends the optimal cost lies.

    measurement -> U(y), where the data lie with probability 1 - eta          `belief`
                -> an affine rule that is cheapest in the worst case          `cost_task`
                -> both ends, looked at in exact fractions                    `cost_certificate`
                -> the mean of V over draws of what y leaves possible         `posterior`

d is taken out of the program first: the same y and public data give the same bytes, whatever d is.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from privopt.claims.estimate import MeanEstimate
from privopt.claims.worth import Worth
from privopt.errors import Action, Clause, NoDecisionError, SolverError, UnboundedError
from privopt.feasibility.protocol import Feasibility
from privopt.foreign import some
from privopt.kernel.measurement import Measurement
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.claiming import eta_of, guaranteed_cost
from privopt.mechanisms.measured.cost_decision import NAMES, CostDecision
from privopt.mechanisms.measured.cost_task import CostTask
from privopt.mechanisms.measured.telling import hidden, narrow_of
from privopt.mechanisms.measured.undecided import no_decision
from privopt.mechanisms.question import check_arguments
from privopt.mechanisms.randomness import generator_of
from privopt.model.program import ConvexProgram
from privopt.solving.problem import Outcome
from privopt.solving.solver import Settings
from privopt.solving.threads import one_thread

__all__ = ["DRAWS", "decide_cost"]

DRAWS, _FEWER = 128, 48  # of the posterior, for programs up to so many variables and beyond
_LARGE = 1000
_WIDER, _RELATIVE = 1e-9, 1e-12  # of the width and of the ends: what an interval is widened by


def decide_cost(
    program: ConvexProgram,
    measurement: Measurement | Iterable[Measurement],
    feasibility: Feasibility,
    *,
    prior: Any = None,  # noqa: ANN401 -- the edge
    balance: Any = None,  # noqa: ANN401 -- the edge
    rng: int | np.random.Generator | None = None,
    settings: Settings | None = None,
) -> CostDecision:
    """Decide the optimal cost from a measurement: a value, and an interval that is proven.

    A public computation: d is not looked at, and nothing is charged.

    Parameters
    ----------
    program
        What is solved. If it holds d, its private entries are taken out before anything is
        computed.
    measurement
        What `instrument.measure(d)` returned; or several measurements of the same data.
    feasibility
        `ExactBox(eta=)`: an interval that does not hold the optimal cost is stated with probability
        at most eta. `Always()`: with bounded noise, never.
    prior
        Public draws of the private entries, one a row; uniform on the domain unless given. It moves
        the value, not the interval.
    balance
        Where G is rank-deficient: the entries of d that absorb a change of a private one.
    rng
        Seed or generator of the public draws; the same ones in every run unless given.
    settings
        Tolerance, time limit, threads.

    Raises
    ------
    NoDecisionError
        No affine rule keeps the limits for all data that y leaves possible, so the cost has no
        upper end; which eta, epsilon or domain would do is said as it was tried.
    UnboundedError
        The cost falls without end, or nothing bounds some variables.
    SolverError
        The solver came to no answer, or to none in time. All of these are public.
    """
    check_arguments(program=program, feasibility=feasibility, settings=settings)
    with one_thread():
        belief = Belief.of(measurement, program)
        running = (settings or Settings()).started()
        task = CostTask(program, belief, running, prior=prior, balance=balance)
        generator = generator_of(0 if rng is None else rng)
        return _decided(task, belief, feasibility, generator)


def _decided(
    task: CostTask, belief: Belief, feasibility: Feasibility, rng: np.random.Generator
) -> CostDecision:
    """The decision of a prepared task."""
    start = time.process_time()
    region = belief.region(feasibility)
    count = _FEWER if task.program.n > _LARGE else DRAWS
    draws = task.draws(belief, count, rng, within=region)
    fresh = task.draws(belief, count, rng)
    z = task.optima(draws)
    rule = task.rule(region, z)
    if rule is Outcome.UNBOUNDED:  # which a solver may also say of what has no solution
        below = task.below(region)
        rule = below if isinstance(below, Outcome) else Outcome.STALLED
    if rule is Outcome.INFEASIBLE:
        served = bool(np.isfinite(z).all())
        raise _no_rule(task, belief, feasibility, served, time.process_time() - start)
    certificate = rule if isinstance(rule, Outcome) else task.certificate(region, rule)
    if certificate is Outcome.UNBOUNDED:
        raise _unbounded("the optimal cost falls without end at some possible data.")
    if isinstance(certificate, Outcome):
        raise _stopped(certificate)
    lower, upper = certificate.ends(task.program)
    if not math.isfinite(upper):  # what is called PROVEN has been looked at
        raise _stopped(Outcome.STALLED)
    if not math.isfinite(lower):
        names = [task.program.names[int(j)] for j in task.loose(certificate, upper)]
        raise _unbounded(f"nothing bounds {some(names, count=True) or 'some variables'}.")
    estimate = MeanEstimate.over(task.costs(z))
    if not math.isfinite(estimate.value):
        raise _stopped(Outcome.STALLED)
    interval, eta = _stated(lower, upper), eta_of(feasibility)
    return CostDecision(
        estimate=estimate,
        interval=interval,
        measurements=belief.measurements,
        guarantee=guaranteed_cost(belief, task.program, interval, eta),
        certificate=certificate,
        worth=_worth(task, belief, float(estimate.value), task.costs(task.optima(fresh))),
        program=task.program.without_data(),
    )


def _stated(lower: float, upper: float) -> tuple[float, float]:
    """The proven ends, a little wider: another machine, which rounds otherwise, confirms them."""
    room = _WIDER * (upper - lower) + _RELATIVE * max(abs(lower), abs(upper))
    return lower - room, upper + room


def _worth(task: CostTask, belief: Belief, value: float, costs: Any) -> Worth:  # noqa: ANN401 -- a vector
    """How far the value is off, beside the best constant, with what the noise hides."""
    known = costs[np.isfinite(costs)]
    answers = task.cost_answers
    off = float(np.sqrt(np.square(known - value).mean())) if len(known) else math.nan
    spread = float(answers.costs.std())
    return Worth(
        NAMES,
        np.array([off]),
        np.array([spread]),
        sum(one.epsilon for one in belief.measurements),
        *hidden(belief.instruments, answers),
        samples=len(known),
        narrow=narrow_of(belief),
    )


def _no_rule(
    task: CostTask, belief: Belief, feasibility: Feasibility, served: bool, seconds: float
) -> NoDecisionError:
    """The error where no affine rule keeps the limits, with what would do."""
    found = no_decision(task, belief, feasibility, seconds)
    what = (
        "no affine rule keeps the limits for all data"
        if served
        else "the program has no feasible point at some data"
    )
    known = tuple((name, v) for name in ("eta", "epsilon") if (v := getattr(found, name)))
    return NoDecisionError(
        f"{what} that the measurement leaves possible, so the optimal cost has no upper end.",
        found.needed,
        (
            *((Clause(Action.TAKE, values=known),) if known else ()),
            "settle eta before the next measurement, or price what is short: a variable without "
            "limit at a high cost.",
        ),
        eta=found.eta,
        epsilon=found.epsilon,
        domain=found.domain,
    )


def _stopped(outcome: Outcome) -> SolverError:
    return SolverError(
        f"the solver came to no interval: {outcome.value}.",  # public: d is not looked at
        "an optimum within the tolerance and the time limit.",
        "rescale the data, or relax Settings(time_limit=).",
    )


def _unbounded(got: str) -> UnboundedError:
    return UnboundedError(
        got,
        "a cost that is bounded below, and variables that rows, equalities or the cost bound.",
        "give them bounds with lower= and upper=.",
    )
