"""The paper's method: solve the chance-constrained program for one d.

    minimise E[c(z~ + Z xi)]   subject to   G z~ = d,  G Z = 0,  S Z = I,  margins on A z <= b

`solve` returns a `Plan`.
"""

from __future__ import annotations

import copy

import numpy as np

from privopt.arrays import Dense
from privopt.claims.guarantee import Guarantee
from privopt.discreet import discreet
from privopt.errors import (
    Action,
    Clause,
    CombinationError,
    InfeasibleError,
    InputError,
    UnboundedError,
)
from privopt.feasibility.protocol import Feasibility, Settled
from privopt.mechanisms.completed import SEED
from privopt.mechanisms.curved import Curved, improved
from privopt.mechanisms.diagnosis import diagnose
from privopt.mechanisms.expected_cost import Answering, plan_cost
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.question import Question
from privopt.mechanisms.randomness import generator_of
from privopt.mechanisms.repeat import Repeat
from privopt.model.objective import CostDeviation, ExpectedCost, Objective
from privopt.model.program import ConvexProgram, Optimum, stopped
from privopt.model.query import Query
from privopt.noise.calibration import Privacy
from privopt.solving.affine import Affine, Recourse
from privopt.solving.noisy import NoisyProgram
from privopt.solving.problem import Outcome
from privopt.solving.program import Program
from privopt.solving.solver import Settings
from privopt.solving.threads import one_thread
from privopt.solving.working import Marks

__all__ = ["planned", "solve"]

_DRAWS = 256  # of the noise, that a curved cost is optimised by: no other number is stated by them
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
        The noise: `Laplace`, `Gaussian` or `TruncatedLaplace`.
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
    question = Question(
        program,
        query,
        privacy,
        feasibility,
        objective or ExpectedCost(),
        repeat,
        rng,
        settings or Settings(),
    )
    return planned(question, start)


@discreet
def planned(question: Question, start: Plan | None = None) -> Plan:
    """The plan that `solve` was asked for."""
    program, feasibility = question.program, question.kept
    running = question.settings.started()
    marks = _marks(start, program)
    S, generator = question.S, generator_of(question.rng)
    again = copy.deepcopy(generator)
    with one_thread(when=program.n * S.shape[0] <= SMALL):
        question.check_implementable()
        calibration = question.calibration
        same = start is not None and start.program is program
        optimum = start.optimum if start is not None and same else program.solve(running)
        curved = Curved.of(program, S, lambda: optimum.z)
        if curved is not None:
            return _curved_plan(question.under(settings=running), curved, optimum, generator, again)
        chance = NoisyProgram(
            program,
            S,
            calibration,
            running,
            optimum.z,
            objective=question.objective,
            still=question.still,
            start=marks,
        )
        settled = feasibility.settle(chance, generator)
    if not isinstance(settled, Settled):
        raise _no_plan(settled, question.under(rng=again))
    solved = settled.solved
    guarantee = Guarantee(question.claim, settled.claim)
    if question.repeat is not None:
        guarantee = question.repeat.guarantee(guarantee, question.tries)
    variance = calibration.deviation**2 * solved.Z.energy(program.quadratic)
    return Plan(
        question=question,
        affine=Affine(solved.z, solved.Z),
        solved=optimum,
        cost=program.cost(solved.z) + variance,
        guarantee=guarantee,
        calibration=calibration,
        margins=settled.margins,
        residual=solved.residual,
        marks=solved.marks,
    )


def _curved_plan(
    question: Question,
    curved: Curved,
    optimum: Optimum,
    generator: np.random.Generator,
    again: np.random.Generator,
) -> Plan:
    """The plan of a program with a curved cost or curved limits."""
    if isinstance(question.objective, CostDeviation):
        raise CombinationError(
            "CostDeviation was asked for with a cost that is not linear.",
            "a linear cost, whose deviation is that of one sum.",
            "use ExpectedCost() or SolutionDeviation(phi=).",
        )
    calibration, kept = question.calibration, curved.limits.kept
    half = calibration.sample(np.random.default_rng(SEED + 2), _DRAWS // 2)
    xi = np.vstack([half, -half])

    def settle(model: Program) -> Settled | Outcome:
        chance = NoisyProgram(
            model,
            curved.own,
            calibration,
            question.settings,
            optimum.z[kept],
            objective=question.objective,
            still=None if question.still is None else question.still[kept],
        )
        return question.kept.settle(chance, copy.deepcopy(generator))

    def drawn(found: Settled) -> Dense:
        return curved.whole(found.solved.z + (found.solved.Z @ xi.T).T)

    settled = improved(curved, settle, drawn)
    if not isinstance(settled, Settled):
        raise _no_plan(settled, question.under(rng=again))
    solved = settled.solved
    guarantee = Guarantee(question.claim, settled.claim)
    if question.repeat is not None:
        guarantee = question.repeat.guarantee(guarantee, question.tries)
    Z, centre = curved.lifted(np.asarray(solved.Z)), curved.whole(solved.z[None])
    priced = plan_cost(Answering(curved, Z, calibration), centre[0])
    offset = curved.completed(centre)[0]
    return Plan(
        question=question,
        affine=Affine(offset, Recourse(Z)),
        solved=optimum,
        cost=float(priced.value),
        guarantee=guarantee,
        calibration=calibration,
        margins=settled.margins,
        residual=solved.residual,
        curved=curved,
        priced=priced,
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


def _no_plan(outcome: Outcome, question: Question) -> Exception:
    if outcome is Outcome.INFEASIBLE:
        return InfeasibleError(
            "no affine solution keeps the inequalities under this noise.",
            "less noise (larger epsilon, smaller alpha), fewer released values, or a larger eta"
            f"{'; or no repeat, which splits the budget' if question.repeat else ''}.",
            (
                Clause(
                    Action.EXPLAIN,
                    "the rows that block and the values that would do; what it says depends on d "
                    "and is for the curator only.",
                ),
            ),
            lambda: diagnose(question),
        )
    if outcome is Outcome.UNBOUNDED:
        return UnboundedError(
            "the objective falls without end.",
            "an objective bounded below.",
            "add bounds, or use phi < 1.",
        )
    return stopped(outcome)
