"""The paper's method: solve the chance-constrained program for one d.

    minimise E[c(z~ + Z xi)]   subject to   G z~ = d,  G Z = 0,  S Z = I,  margins on A z <= b

`solve` returns a `Plan`.
"""

from __future__ import annotations

import copy

import numpy as np

from privopt.claims.guarantee import Guarantee
from privopt.claims.privacy import privacy_claim
from privopt.discreet import discreet
from privopt.errors import Action, Clause, InfeasibleError, InputError, UnboundedError
from privopt.feasibility.protocol import Feasibility, Settled
from privopt.mechanisms.arguments import check_arguments
from privopt.mechanisms.certificate import certified_plan
from privopt.mechanisms.certified import Certified
from privopt.mechanisms.choices import Choices
from privopt.mechanisms.diagnosis import Request, diagnose
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.repeat import Repeat
from privopt.model.implementable import check_implementable
from privopt.model.magnitude import public_bound
from privopt.model.objective import ExpectedCost, Objective
from privopt.model.program import ConvexProgram, stopped
from privopt.model.query import Query, still_entries
from privopt.model.uniqueness import released_is_unique
from privopt.noise.calibration import Privacy, query_sensitivity
from privopt.randomness import generator_of
from privopt.solving.affine import Affine
from privopt.solving.chance import ChanceProgram
from privopt.solving.problem import Outcome
from privopt.solving.solver import Settings
from privopt.solving.threads import one_thread
from privopt.solving.working import Marks

__all__ = ["solve"]

SMALL = 1_000_000  # numbers of a recourse that are not worth a second thread


@discreet
def solve(
    program: ConvexProgram,
    query: Query,
    privacy: Privacy,
    feasibility: Feasibility,
    *,
    objective: Objective | None = None,
    repeat: Repeat | None = None,
    rng: int | np.random.Generator | None = None,
    settings: Settings | None = None,
    start: Plan | None = None,
) -> Plan:
    """Solve the chance-constrained program of the paper.

    Parameters
    ----------
    program
        The convex program, with its d.
    query
        What is released: `Identity`, `Sum` or `Linear`.
    privacy
        The noise: `Laplace`, `Gaussian` or `TruncatedLaplace`. With a `Certified` sensitivity, z~
        is solved for under the recourse and margins of the certificate.
    feasibility
        How the inequalities are kept: `Analytic`, `SampledBox`, `ExactBox`, `Joint`, `Scenario`,
        `Always`.
    objective
        `ExpectedCost` (the default), `CostDeviation` or `SolutionDeviation`.
    repeat
        Draw again until a test is passed, as in the paper's appendix.
    rng
        Seed or generator for reformulations that sample. It never seeds a release.
    settings
        Tolerance, time limit, threads.
    start
        A plan of a similar program (another d, cost, noise, objective or feasibility; the same
        rows): what bound there is tried first. It saves time and changes the result by rounding
        only.

    Returns
    -------
    Plan
        Private. `plan.release()` makes what may be published.

    Raises
    ------
    NotImplementableError
        The equalities leave no room for noise on the query; names the conflict.
    InfeasibleError
        No affine solution meets the margins. `error.diagnose()` tells the curator why.
    """
    objective, settings = objective or ExpectedCost(), settings or Settings()
    check_arguments(
        program=program,
        query=query,
        privacy=privacy,
        feasibility=feasibility,
        objective=objective,
        repeat=repeat,
        settings=settings,
    )
    running = settings.started()
    if isinstance(privacy.sensitivity, Certified):
        with one_thread(when=program.n <= 500):
            return certified_plan(program, query, privacy, feasibility, objective, repeat)
    marks = _marks(start, program)
    S, names = query.matrix(program), query.names(program)
    generator = generator_of(rng)
    again = copy.deepcopy(generator)
    with one_thread(when=program.n * S.shape[0] <= SMALL):
        still = still_entries(query, program)
        check_implementable(program, S, names, still)
        tries = 1 if repeat is None else repeat.tries(feasibility)
        calibration = privacy.calibrate(
            S.shape[0], query_sensitivity(privacy, S), bound=public_bound(program, S), tries=tries
        )
        same = start is not None and start.program is program
        optimum = start.optimum if start is not None and same else program.solve(running)
        chance = ChanceProgram(
            program, S, calibration, objective, running, optimum.z, still, start=marks
        )
        settled = feasibility.settle(chance, generator)
    if not isinstance(settled, Settled):
        request = Request(program, query, privacy, feasibility, repeat, again, settings)
        raise _no_plan(settled, request)
    solved = settled.solved
    guarantee = Guarantee(
        privacy_claim(privacy, unique=released_is_unique(program, S, objective)), settled.claim
    )
    if repeat is not None:
        guarantee = repeat.guarantee(guarantee, tries)
    variance = calibration.deviation**2 * solved.Z.energy(program.quadratic)
    return Plan(
        program=program,
        query=query,
        privacy=privacy,
        affine=Affine(solved.z, solved.Z),
        solved=optimum,
        cost=program.cost(solved.z) + variance,
        guarantee=guarantee,
        calibration=calibration,
        margins=settled.margins,
        residual=solved.residual,
        repeat=repeat,
        marks=solved.marks,
        choices=Choices(objective, feasibility, repeat),
    )


def _marks(start: Plan | None, program: ConvexProgram) -> Marks | None:
    if start is None:
        return None
    if not isinstance(start, Plan) or len(start.program.rows) != len(program.rows):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            "start is no plan of a program with these rows.",
            "a plan of a program with the same inequalities.",
            "leave it out.",
        )
    return start.marks


def _no_plan(outcome: Outcome, request: Request) -> Exception:
    if outcome is Outcome.INFEASIBLE:
        return InfeasibleError(
            "no affine solution keeps the inequalities under this noise.",
            "less noise (larger epsilon, smaller alpha), fewer released values, or a larger eta"
            f"{'; or no repeat, which splits the budget' if request.repeat else ''}.",
            (
                Clause(
                    Action.EXPLAIN,
                    "the rows that block and the values that would do; what it says depends on d "
                    "and is for the curator only.",
                ),
            ),
            lambda: diagnose(request),
        )
    if outcome is Outcome.UNBOUNDED:
        return UnboundedError(
            "the objective falls without end.",
            "an objective bounded below.",
            "add bounds, or use phi < 1.",
        )
    return stopped(outcome)
