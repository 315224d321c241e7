"""A design, prepared once and solved under different wishes.

What does not depend on fidelity or floor (the query, the private data, the calibration of a unit of
noise, the non-private answers at public draws) is found once; `solution` then solves the design
program, with noise, and without any where next to none is wanted. Nothing here reads a private
entry of d.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from privopt.arrays import Dense
from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms
from privopt.errors import CombinationError, InfeasibleError, InputError, SolverError
from privopt.feasibility.protocol import Settled
from privopt.kernel.instrument import Instrument
from privopt.mechanisms.completed import SEED
from privopt.mechanisms.curved import Curved, improved
from privopt.mechanisms.exact_policy import Solution, exact_policy
from privopt.mechanisms.measuring import check_answerable, check_measured, instrument_of
from privopt.mechanisms.policy import Policy
from privopt.mechanisms.private_data import Answers, PrivateData
from privopt.mechanisms.question import Question
from privopt.mechanisms.randomness import generator_of
from privopt.model.domain import Box, checked_domain
from privopt.model.excess import loss_scale
from privopt.model.program import ConvexProgram
from privopt.noise.calibration import Calibration, Privacy
from privopt.noise.registry import FAMILIES
from privopt.noise.sensitivity import Assumed
from privopt.solving.margins import Margins
from privopt.solving.noisy import NoisyProgram
from privopt.solving.problem import Outcome
from privopt.solving.program import Program
from privopt.solving.solver import Settings
from privopt.solving.structure import Shared

__all__ = ["DesignTask"]

_SILENT = 1e-6  # noise below this part of the released values is none


class DesignTask:
    """One question about every d of a domain.

    The question's `rng` is a seed, so that each design of the task draws the same; its time limit
    has started.
    """

    def __init__(
        self,
        question: Question,
        domain: Box,
        prior: Any = None,  # noqa: ANN401 -- the edge
        balance: Any = None,  # noqa: ANN401 -- the edge
        structure: Shared | None = None,
        measure: Any = None,  # noqa: ANN401 -- the edge
    ) -> None:
        _check(question, domain, structure)
        self.question, self.domain = question, domain
        self._balance, self._structure, self._measure = balance, structure, measure
        if measure is None:
            question.check_implementable()
        lower, upper = domain.ends(self.program.private_names)
        question.privacy.neighbours.widened(lower, upper)  # refused before anything is solved
        self.data = PrivateData.of(self.program, lower, upper, prior, balance)
        if measure is not None:
            check_measured(0.0, structure)
            check_answerable(self.program, question.S, self.data.F, question.names)
        _ = self.unit  # an epsilon that no noise can have is refused here, too

    @property
    def program(self) -> ConvexProgram:
        """The program."""
        return self.question.program

    @property
    def settings(self) -> Settings:
        """Of every solve; the time limit is for all of them."""
        return self.question.settings

    @cached_property
    def instrument(self) -> Instrument | None:
        """What an affine rule measures; None where there is no rule."""
        if self._measure is None:
            return None
        return instrument_of(self._measure, self.program, self.question.privacy, self.domain)

    @property
    def unit(self) -> Calibration:
        """The noise of level one; of a rule, that of its measurement."""
        measured = None if self.instrument is None else self.instrument.calibration
        return self.question.unit if measured is None else measured

    @cached_property
    def answers(self) -> Answers:
        """The non-private answers at public draws."""
        return self.data.answers(self.question.S, self.settings)

    @cached_property
    def optimal(self) -> float:
        """The mean optimal cost over the prior, which `policy.loss` is an excess over.

        The mean over the public draws, less the part by which the cost at the mean of the draws
        exceeds the cost at the mean of the prior: draws of a given prior do not lie evenly about
        its mean. (On the paper's networks the mean of 200 random draws is off by 0.1 to 2 percent
        without this correction, by 0.02 percent at most with it.)

        It is one number for all designs of a program, domain and prior. Query, noise, feasibility,
        fidelity, floor and rng have no part in it, so the loss orders policies as their cost does.
        """
        drawn, costs = self.answers.drawn, self.answers.costs
        shifted = self.data.solutions(drawn.mean(axis=0, keepdims=True), self.settings)[0]
        return float(costs.mean()) - (self.program.cost(shifted) - self.program.cost(self._near))

    @cached_property
    def scale(self) -> float:
        """What the loss is a fraction of: |optimal|, or what costs are made of where that is 0."""
        size = float(self.answers.sizes.mean())
        return loss_scale(self.program, self.data.target(self.data.mean), self.optimal, size)

    def under(self, privacy: Privacy, settings: Settings) -> DesignTask:
        """The same with other noise; what does not depend on it is kept."""
        other = copy.copy(self)
        other.question = self.question.under(privacy, settings=settings)
        if self.instrument is not None:  # that of the noise before
            other._measure = self.instrument.W
            vars(other).pop("instrument")
        _ = other.unit
        return other

    def over(self, domain: Box, settings: Settings) -> DesignTask:
        """The same for another domain, and uniform on it."""
        question = self.question.under(settings=settings)
        measure = None if self.instrument is None else self.instrument.W
        return DesignTask(question, domain, None, self._balance, self._structure, measure)

    @property
    def served(self) -> bool:
        """Whether the program has a solution at all public draws of d, as far as can be told."""
        try:
            return len(self.answers.costs) > 0
        except InfeasibleError:
            return False
        except SolverError:
            return True

    @property
    def solvable(self) -> bool:
        """Whether the program has a solution at the middle of the domain, before any privacy."""
        try:
            return self._near is not None
        except InfeasibleError:
            return False

    @cached_property
    def _near(self) -> Any:  # noqa: ANN401 -- a vector
        middle = np.zeros((1, len(self.data.mean)))
        return self.data.solutions(middle, self.settings)[0]

    @cached_property
    def curved(self) -> Curved | None:
        """What makes rows and a quadratic cost of a curved program; None of one that has these."""
        return Curved.of(self.program, self.question.S, lambda: self._near)

    def policy(self, solution: Solution) -> Policy:
        """The policy of a solution, in exact numbers."""
        known = self.data, self.answers, self.optimal, self.scale
        return exact_policy(self.question, solution, *known, self.instrument, self.curved)

    def _best(self, solve: Callable[[Program | None], Solution | Outcome]) -> Solution | Outcome:
        """A solution of the program; of a curved one, the best that quadratic costs lead to."""
        if self.curved is None:
            return solve(None)
        curved, data = self.curved, self.data
        v = data.draws(seed=1)[:, data.moving]  # none that a loss or a cost is stated by

        def draws(found: Solution) -> Dense:
            solved = found.solved
            z = solved.z + v @ solved.gain.T
            if not found.program.silent:
                xi = found.program.calibration.sample(np.random.default_rng(SEED + 2), len(v))
                z = z + (solved.Z @ xi.T).T
            return curved.whole(z)

        return improved(curved, solve, draws)

    def solution(self, fidelity: float, floor: float) -> Solution | Outcome:
        """With noise; without any, where next to none is wanted."""
        try:
            if self._informed:
                found = self._with_noise(fidelity, floor)
                if isinstance(found, Outcome) or floor > 0:
                    return found
                size = max(self.answers.size, found.program.released_size)
                if self._needed(found) > _SILENT * size / self.unit.scale:
                    return found
            return self._constant(fidelity)
        except InfeasibleError:  # at a public point of the domain
            return Outcome.INFEASIBLE

    def constant(self, fidelity: float = 0.0) -> Policy | None:
        """The policy that releases a constant, without noise and free; None if there is none."""
        try:
            found = self._constant(fidelity)
        except InfeasibleError:
            return None
        return None if isinstance(found, Outcome) else self.policy(found)

    def _constant(self, fidelity: float) -> Solution | Outcome:
        def solve(model: Program | None) -> Solution | Outcome:
            made = self._program(fidelity, 0.0, silent=True, model=model)
            solved = made.solve(Margins())
            if isinstance(solved, Outcome):
                return solved
            return Solution(made, solved, _sure(made.program.rows.limits), Margins())

        return self._best(solve)

    @property
    def _informed(self) -> bool:
        """Whether there is anything that a rule could answer."""
        if self.instrument is None:
            return True
        return self.instrument.calibration is not None and len(self.data.moving) > 0

    def _needed(self, found: Solution) -> float:
        """The level that hides the gain: where noise costs next to nothing, there is more.

        Of a rule, whose noise has one scale: by how many times that the values follow the data.
        """
        asked, unit = found.program.asked, self.unit
        if asked is None or not len(asked.low):
            return 0.0
        released = np.asarray(found.program.S @ found.solved.gain)
        if asked.measure is not None:
            return float((np.abs(released) @ (asked.high - asked.low)).max()) / unit.scale
        moved = np.linalg.norm(asked.together(released), ord=asked.order, axis=0)
        return min(found.solved.level, float(moved.max()) / unit.sensitivity)

    def _with_noise(self, fidelity: float, floor: float) -> Solution | Outcome:
        def solve(model: Program | None) -> Solution | Outcome:
            made = self._program(fidelity, floor, silent=False, model=model)
            settled = self.question.kept.settle(made, generator_of(self.question.rng))
            if isinstance(settled, Settled):
                return Solution(made, settled.solved, _everywhere(settled.claim), settled.margins)
            return settled

        return self._best(solve)

    def _program(
        self, fidelity: float, floor: float, *, silent: bool, model: Program | None
    ) -> NoisyProgram:
        """The design program, of the program itself or of what stands for a curved one."""
        question, structure = self.question, self._structure
        rank = None if structure is None else structure.rank
        answers = self.answers if fidelity else None
        W = None if silent or self.instrument is None else self.instrument.W
        asked = self.data.specification(
            question.privacy, floor, fidelity, answers, rank, silent=silent, measure=W
        )
        unit = question.unit if W is None else self.unit
        program, S, near = self.program, question.S, self._near
        if self.curved is not None and model is not None:
            limits = self.curved.limits
            own = limits.equalities
            asked = dataclasses.replace(asked, target=asked.target[own], F=asked.F[own])
            program, S, near = model, self.curved.own, near[limits.kept]
        return NoisyProgram(program, S, unit, self.settings, near, asked=asked)


def _check(question: Question, domain: object, structure: object) -> None:
    """Refuse what makes no sense in a design."""
    if question.privacy.sensitivity != Assumed(1.0):
        raise CombinationError(
            "a sensitivity was handed to design.",
            "none: the sensitivity of a policy is designed and proven, not assumed.",
            "leave sensitivity= out of the noise.",
        )
    checked_domain(domain)
    if question.still is not None:
        raise CombinationError(
            "a query with separate groups was handed to design.",
            "a query without them.",
            "use Sum(..., separate=False).",
        )
    if structure is None:
        return
    if not isinstance(structure, Shared):
        raise InputError(
            f"structure is {type(structure).__name__}.",
            "None for any gain, or privopt.Shared(rank).",
            "leave it out unless the design takes too long.",
        )
    if question.privacy.order != 1:
        raise CombinationError(
            "Shared was asked for with noise whose sensitivity is a 2-norm.",
            f"{' or '.join(family.kind for family in FAMILIES if family.order == 1)}.",
            "leave structure= out, or use Laplace noise.",
        )


def _everywhere(claim: Claim) -> Claim:
    """A claim of the noise, for every d of the domain."""
    terms = claim.terms
    if isinstance(terms, FeasibilityTerms):
        terms = dataclasses.replace(terms, everywhere=True)
    return dataclasses.replace(
        claim, terms=terms,
        because=f"{claim.because}; the worst case over the domain is added to every row",
    )  # fmt: skip


def _sure(rows: int) -> Claim:
    return Claim.of(
        FeasibilityTerms(rows, 0.0, everywhere=True),
        Provenance.PROVEN,
        "the release is a constant and the worst case over the domain is kept by every row",
        Scope.JOINT,
    )
