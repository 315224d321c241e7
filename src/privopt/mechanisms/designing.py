"""The certified mechanism: a convex program over public data whose releases are provably private.

    z(u, xi) = z0 + K u + Z xi,     u = d - middle of the domain, xi noise of scale lambda

    minimise   the expected cost over a public prior (plus fidelity * E||S z - S z*||^2)
    subject to G z0 = d0,  G K = F,  G Z = 0,  S Z = s I,  ||S K e_j|| <= s for every private j
               A_i z0 + |A_i K| w + margin(A_i Z) <= b_i

K, z0, Z and s are public and the map is affine, so y = S z0 + S K u + s xi is private for *every*
pair of neighbours: noise of scale s lambda hides what ||S K e_j|| alpha can move. s is optimised
too. Nothing here reads a private entry of d; with d=None nothing could.

With `measure=W` the release is an affine rule instead, y = W u + xi and S z = q0 + T y: S Z = T
and S K = T W, for noise of the scale that W needs (`measuring`). It is convex in z0, K, Z and T.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from privopt.feasibility.protocol import Feasibility
from privopt.mechanisms.advice import no_policy
from privopt.mechanisms.design_task import DesignTask
from privopt.mechanisms.fidelity import Within, within
from privopt.mechanisms.measuring import check_measured
from privopt.mechanisms.policy import Policy
from privopt.mechanisms.question import Question, check_arguments
from privopt.mechanisms.randomness import generator_of
from privopt.model.domain import Box
from privopt.model.program import ConvexProgram, stopped
from privopt.model.query import Query
from privopt.noise.calibration import Privacy
from privopt.scalars import real
from privopt.solving.problem import Outcome
from privopt.solving.solver import Settings
from privopt.solving.structure import Shared
from privopt.solving.threads import one_thread

__all__ = ["design", "designed", "policy_of", "prepared"]


def design(
    program: ConvexProgram,
    query: Query,
    privacy: Privacy,
    feasibility: Feasibility,
    *,
    domain: Box,
    prior: Any = None,  # noqa: ANN401
    fidelity: float | Within = 0.0,
    floor: float = 0.0,
    balance: Any = None,  # noqa: ANN401
    structure: Shared | None = None,
    measure: Any = None,  # noqa: ANN401
    rng: int | np.random.Generator | None = None,
    settings: Settings | None = None,
) -> Policy:
    """Design a policy from public data.

    Parameters
    ----------
    program
        The convex program; d=None will do where every entry of d is private.
    query, privacy, feasibility
        What is released, the noise, and how the inequalities are kept, for every d of the domain.
        The noise takes no `sensitivity`: it is designed, not assumed.
    domain
        `Box(lower, upper)`: where the private entries of d can lie. Data outside are clamped. Of a
        `Domain` the box alone is used: the policy serves data outside its rows, too.
    prior
        Public draws of the private entries, one a row, over which the cost is averaged (their mean
        and variances count); uniform on the domain unless given.
    fidelity
        Weight of the mean squared distance of the release from the non-private answer; or
        `Within(distance)`, the cheapest policy whose expected distance is at most that.
    floor
        Least noise level s. A policy with s = 0 releases a constant.
    balance
        Where G is rank-deficient (demands that must balance): the entries of d that absorb a change
        of a private one. Neighbours are then defined on the private entries, these following.
    structure
        `Shared(rank)` for a gain that is diagonal plus low rank, where a full one is too large.
    measure
        Asks for an affine rule: a policy whose released values are an affine function of a noisy
        measurement W u + xi of the private entries u, and of nothing else. W as in `Instrument`: a
        dict from a name to the entries that are summed, a matrix, or an `Instrument`. The noise is
        that of W (there is no `floor`), and every value has its own share of it.
    rng
        Seed or generator for reformulations that sample. (The draws of the prior behind `loss`,
        `distance` and `fidelity` are the same in every run.)
    settings
        Tolerance, time limit (for all of it, the search behind an `InfeasibleError` included),
        threads.

    Raises
    ------
    NotImplementableError
        The equalities leave no room for noise on the query; or, with `measure`, fix a released
        value to something private.
    InfeasibleError
        No policy keeps the inequalities over this domain; the message says which larger epsilon,
        smaller alpha, smaller floor or narrower domain would do, and what there was no time to try.
    """

    def task() -> DesignTask:
        question = Question(
            program, query, privacy, feasibility, rng=rng, settings=settings or Settings()
        )
        return prepared(question, domain, prior, balance, structure, measure)

    if measure is not None:
        check_measured(real(floor, "floor", "a number >= 0.", "leave it out.", low=0.0), structure)
    return policy_of(task, fidelity, floor)


def policy_of(make: Callable[[], DesignTask], fidelity: float | Within, floor: float) -> Policy:
    """The policy for a fidelity and a floor, of a task that is made once these are checked."""
    wish = fidelity
    if not isinstance(wish, Within):
        remedy = "use 0 for none, or privopt.Within(distance) for a bound."
        wish = real(fidelity, "fidelity", "a number >= 0, or Within(distance).", remedy, low=0.0)
    least = real(floor, "floor", "a number >= 0.", "use 1.0 for the paper's noise.", low=0.0)
    with one_thread():
        task = make()
        if isinstance(wish, Within):
            return within(wish, lambda weight: designed(task, weight, least), task.scale)
        return designed(task, wish, least)


def prepared(
    question: Question,
    domain: Box,
    prior: Any = None,  # noqa: ANN401 -- the edge
    balance: Any = None,  # noqa: ANN401 -- the edge
    structure: Shared | None = None,
    measure: Any = None,  # noqa: ANN401 -- the edge
) -> DesignTask:
    """Start the clock, and prepare what designs for a question share."""
    check_arguments(feasibility=question.feasibility)
    seed = int(generator_of(question.rng).integers(2**63))
    own = question.started().under(rng=seed)
    return DesignTask(own, domain, prior, balance, structure, measure)


def designed(task: DesignTask, fidelity: float, floor: float) -> Policy:
    """The policy for some weight and floor."""
    start = time.process_time()
    found = task.solution(fidelity, floor)
    if found is Outcome.INFEASIBLE:
        raise no_policy(task, floor, time.process_time() - start)
    if isinstance(found, Outcome):
        raise stopped(found)
    return task.policy(found)
