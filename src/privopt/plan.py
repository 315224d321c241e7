"""The paper's method: solve the chance-constrained program for one d, then release.

    minimise E[c(z~ + Z xi)]   subject to   G z~ = d,  G Z = 0,  S Z = I,  margins on A z <= b

`solve` returns a `Plan`, which is private: z~ and the very existence of a plan depend on d. Only
what `plan.release()` returns may be published, and its privacy rests on the sensitivity that was
assumed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privopt.affine import Affine, Recourse
from privopt.arguments import check_arguments
from privopt.arrays import Dense, Sparse, Vector
from privopt.completion import Completion
from privopt.conic.chance import ChanceProgram
from privopt.conic.margins import Margins
from privopt.conic.problem import Outcome
from privopt.conic.scaling import TOLERANCE
from privopt.conic.solver import Settings
from privopt.diagnosis import Request, diagnose
from privopt.errors import InfeasibleError, InputError, SolverError, UnboundedError
from privopt.feasibility.protocol import Feasibility, Settled
from privopt.guarantee import Guarantee
from privopt.implementable import check_implementable
from privopt.magnitude import public_bound
from privopt.noise.calibration import Calibration, Privacy, privacy_claim, query_sensitivity
from privopt.objective import ExpectedCost, Objective
from privopt.program import ConvexProgram, Optimum
from privopt.query import Query, still_entries
from privopt.randomness import generator_of
from privopt.release import Release
from privopt.repeat import Repeat
from privopt.threads import one_thread
from privopt.uniqueness import released_is_unique
from privopt.verify import Verification, row_test, verify_affine

__all__ = ["Plan", "solve"]


@dataclass(frozen=True, repr=False, eq=False)
class Plan:
    """An affine solution z(xi) = z~ + Z xi for one d. Private: values only by attribute.

    Attributes
    ----------
    affine
        z~ and Z as one object; `expected` and `recourse` are its parts.
    optimum
        The non-private answer, for comparison.
    cost, loss
        Expected cost, and its excess over the optimum's as a fraction of it.
    guarantee
        What is claimed of a release, and on what ground.
    calibration
        Noise scale, grid and charge (public).
    margins, residual
        The margins the rows were given, and the largest relative excess of a row over them.
    """

    program: ConvexProgram
    query: Query
    privacy: Privacy
    affine: Affine
    optimum: Optimum
    cost: float
    guarantee: Guarantee
    calibration: Calibration
    margins: Margins = field(repr=False)
    residual: float
    repeat: Repeat | None = None

    def __repr__(self) -> str:
        n, p = self.recourse.shape
        return (
            f"Plan({n} variables, {p} released; charge epsilon={self.calibration.epsilon:.6g}, "
            f"delta={self.calibration.delta:g}; private: read .expected, .recourse, .cost, .loss)\n"
            f"{self.guarantee}"
        )

    @property
    def expected(self) -> Vector:
        """z~, the solution at zero noise and on average."""
        return self.affine.offset

    @property
    def recourse(self) -> Recourse:
        """Z, how the solution answers the noise."""
        return self.affine.recourse

    @cached_property
    def S(self) -> Sparse:
        """The query matrix."""
        return self.query.matrix(self.program)

    @property
    def loss(self) -> float:
        """(expected cost - optimal cost) / |optimal cost|; infinite if only the latter is 0."""
        extra = self.cost - self.optimum.cost
        return extra / abs(self.optimum.cost) if self.optimum.cost else (np.inf if extra else 0.0)

    @property
    def cost_deviation(self) -> float:
        """Standard deviation of the linear part of the cost, sqrt(c1'Z Sigma Z'c1)."""
        row = self.recourse.under(self.program.linear[None, :])
        return self.calibration.deviation * float(np.linalg.norm(row))

    @property
    def solution_deviation(self) -> float:
        """sqrt(tr(Z Sigma Z'))."""
        return self.calibration.deviation * float(np.linalg.norm(self.recourse.sizes))

    def release(self) -> Release:
        """Draw noise and release S z(xi): the paper's algorithms 1 and 2, or 3 and 4 repeated.

        The noise comes from the secure sampler; there is no seed. The charge covers all tries of
        this release. Each further release is charged again: the epsilons (and deltas) of all
        releases about the same data add up.
        """
        base = np.asarray(self.S @ self.expected)
        values = self.calibration.draw(base)
        if self.repeat is not None:
            fails = self._test()
            for _ in range(self.calibration.tries - 1):
                if not fails(values[None, :])[0]:
                    break
                values = self.calibration.draw(base)
        return Release(
            values=values,
            names=self.query.names(self.program),
            epsilon=self.calibration.epsilon,
            delta=self.calibration.delta,
            alpha=self.privacy.alpha,
            scale=self.calibration.scale,
            exponent=self.calibration.exponent,
            mechanism=self._mechanism,
            guarantee=self.guarantee,
        )

    @property
    def _mechanism(self) -> str:
        return "plan" if self.repeat is None else f"plan, repeated ({self.repeat.test})"

    def realise(self, release: Release) -> Vector:
        """The whole solution behind a release, z~ + Z (y - S z~). Private: it holds d exactly."""
        made_here = (
            isinstance(release, Release)  # pyright: ignore[reportUnnecessaryIsInstance]
            and release.names == self.query.names(self.program)
            and release.mechanism == self._mechanism
        )
        if not made_here:
            raise InputError(
                "this is no release of this plan: other names, another mechanism, or no release.",
                "a release made by this plan.",
                "pass the release that plan.release() returned.",
            )
        return self.affine.at(release.values - np.asarray(self.S @ self.expected))

    def verify(
        self, samples: int = 10_000, rng: int | np.random.Generator | None = 0
    ) -> Verification:
        """Simulate releases: violation of z(xi), and releases that no feasible solution has."""
        generator = generator_of(rng)
        return verify_affine(
            self.program,
            self.S,
            self.affine,
            lambda count: self._simulate(count, generator),
            deviation=self.calibration.deviation,
            samples=samples,
        )

    def _simulate(self, count: int, rng: np.random.Generator) -> Dense:
        """Noise of `count` releases; of the tries of each, the one that is released."""
        calibration = self.calibration
        xi = calibration.scale * calibration.law.sample(rng, (count, calibration.size))
        if self.repeat is None:
            return xi
        fails, base = self._test(), np.asarray(self.S @ self.expected)
        waiting = np.flatnonzero(fails(base + xi))
        for _ in range(calibration.tries - 1):
            shape = (len(waiting), calibration.size)
            xi[waiting] = calibration.scale * calibration.law.sample(rng, shape)
            waiting = waiting[fails(base + xi[waiting])]
        return xi

    def _test(self) -> Callable[[Dense], NDArray[np.bool_]]:
        """The test of the repetition: for each vector y (row), whether it is rejected."""
        if self.repeat is None or self.repeat.test == "published":
            broken = row_test(self.program, self.affine, self.calibration.deviation)
            base = np.asarray(self.S @ self.expected)
            return lambda y: broken(y - base)
        # A function of y and public data alone: not even whether z(xi) is feasible is asked here.
        public = np.setdiff1d(np.arange(len(self.program.equalities)), self.program.private)
        test = Completion(self.program, self.S, self.program.right_hand_side(), keep=public)
        return lambda y: test.impossible(y, TOLERANCE)


SMALL = 1_000_000  # numbers of a recourse that are not worth a second thread


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
    S, names = query.matrix(program), query.names(program)
    still = still_entries(query, program)
    check_implementable(program, S, names, still)
    tries = 1 if repeat is None else repeat.tries(feasibility)
    calibration = privacy.calibrate(
        S.shape[0], query_sensitivity(privacy, S), bound=public_bound(program, S), tries=tries
    )
    optimum = program.solve(settings)
    chance = ChanceProgram(program, S, calibration, objective, settings, optimum.z, still)
    generator = generator_of(rng)
    again = copy.deepcopy(generator)
    with one_thread(when=program.n * S.shape[0] <= SMALL):
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
        optimum=optimum,
        cost=program.cost(solved.z) + variance,
        guarantee=guarantee,
        calibration=calibration,
        margins=settled.margins,
        residual=solved.residual,
        repeat=repeat,
    )


def _no_plan(outcome: Outcome, request: Request) -> Exception:
    if outcome is Outcome.INFEASIBLE:
        return InfeasibleError(
            "no affine solution keeps the inequalities under this noise.",
            "less noise (larger epsilon, smaller alpha), fewer released values, or a larger eta"
            f"{'; or no repeat, which splits the budget' if request.repeat else ''}.",
            "call error.diagnose() for the rows that block and the values that would do; what it "
            "says depends on d and is for the curator only.",
            lambda: diagnose(request),
        )
    if outcome is Outcome.UNBOUNDED:
        return UnboundedError(
            "the objective falls without end.",
            "an objective bounded below.",
            "add bounds, or use phi < 1.",
        )
    return SolverError(
        f"the solver stopped early ({outcome.value}).",
        "an optimum within the tolerance.",
        "rescale the data, or relax Settings(tolerance=, time_limit=).",
    )
