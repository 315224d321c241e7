"""A design, prepared once and solved under different wishes.

What does not depend on fidelity or floor (the query, the private data, the calibration of a unit of
noise, the non-private answers at public draws) is found once; `solution` then solves the design
program, with noise, and without any where next to none is wanted. Nothing here reads a private
entry of d.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any

import numpy as np

from privopt.conic.design import Designed, DesignProgram
from privopt.conic.margins import Margins
from privopt.conic.problem import Outcome
from privopt.conic.solver import Settings
from privopt.domain import Box
from privopt.errors import CombinationError, InfeasibleError, InputError
from privopt.exact_policy import Solution, exact_policy
from privopt.feasibility.protocol import Feasibility, Settled
from privopt.guarantee import Claim, Provenance, Scope
from privopt.implementable import check_implementable
from privopt.magnitude import public_bound
from privopt.noise.calibration import Privacy
from privopt.noise.sensitivity import Assumed
from privopt.policy import Policy
from privopt.private_data import Answers, PrivateData
from privopt.program import ConvexProgram
from privopt.query import Query, still_entries
from privopt.structure import Shared

__all__ = ["DesignTask"]

_SILENT = 1e-6  # noise below this part of the released values is none


class DesignTask:
    """One program, query, noise, feasibility and domain."""

    def __init__(
        self,
        program: ConvexProgram,
        query: Query,
        privacy: Privacy,
        feasibility: Feasibility,
        domain: Box,
        prior: Any = None,  # noqa: ANN401 -- the edge
        balance: Any = None,  # noqa: ANN401 -- the edge
        structure: Shared | None = None,
        *,
        seed: int,
        settings: Settings,
    ) -> None:
        _check(privacy, domain, query, program, structure)
        self.program, self.query, self.domain, self.balance = program, query, domain, balance
        self.privacy, self.feasibility, self.structure = privacy, feasibility, structure
        self.settings, self._seed = settings, seed
        self.S, self._names = query.matrix(program), query.names(program)
        check_implementable(program, self.S, self._names)
        lower, upper = domain.ends(len(program.private))
        self.data = PrivateData.of(program, lower, upper, prior, balance)
        self.unit = privacy.calibrate(
            self.S.shape[0], privacy.alpha, bound=public_bound(program, self.S)
        )

    @cached_property
    def answers(self) -> Answers:
        """The non-private answers at public draws."""
        return self.data.answers(self.S, self.settings)

    @property
    def solvable(self) -> bool:
        """Whether the program has a solution at the middle of the domain, before any privacy."""
        try:
            return self._near is not None
        except InfeasibleError:
            return False

    @cached_property
    def _near(self) -> Any:  # noqa: ANN401 -- a vector
        return self.program.solve(self.settings, d=self.data.middle).z

    def policy(self, solution: Solution) -> Policy:
        """The policy of a solution, in exact numbers."""
        return exact_policy(self._names, self.privacy, solution, self.data, self.answers)

    def solution(self, fidelity: float, floor: float) -> Solution | Outcome:
        """With noise; without any, where next to none is wanted."""
        try:
            return self._solution(fidelity, floor)
        except InfeasibleError:  # at a public point of the domain
            return Outcome.INFEASIBLE

    def _solution(self, fidelity: float, floor: float) -> Solution | Outcome:
        found = self._with_noise(fidelity, floor)
        if isinstance(found, Outcome) or floor > 0:
            return found
        size = max(self.answers.size, found.program.released_size)
        if found.solved.level > _SILENT * size / self.unit.scale:
            return found
        constant = self._program(fidelity, floor, silent=True)
        solved = constant.solve(Margins())
        if isinstance(solved, Outcome):
            return solved
        return Solution(constant, solved, _sure(constant.rows), Margins())

    def feasible(self, floor: float) -> bool | None:
        """Whether there is any policy; None where the solver does not tell in time."""
        found = self.solution(0.0, floor)
        if isinstance(found, Solution):
            return True
        return False if found is Outcome.INFEASIBLE else None

    def _with_noise(self, fidelity: float, floor: float) -> Solution | Outcome:
        made = self._program(fidelity, floor, silent=False)
        rng = np.random.default_rng(self._seed)
        settled = self.feasibility.settle(made, rng)
        if isinstance(settled, Settled) and isinstance(settled.solved, Designed):
            return Solution(made, settled.solved, _everywhere(settled.claim), settled.margins)
        return settled if isinstance(settled, Outcome) else Outcome.STALLED

    def _program(self, fidelity: float, floor: float, *, silent: bool) -> DesignProgram:
        rank = None if self.structure is None else self.structure.rank
        answers = self.answers if fidelity else None
        request = self.data.request(self.privacy, floor, fidelity, answers, rank)
        return DesignProgram(
            self.program, self.S, self.unit, request, self.settings, self._near, silent=silent
        )


def _check(
    privacy: Privacy, domain: object, query: Query, program: ConvexProgram, structure: object
) -> None:
    """Refuse what makes no sense in a design."""
    if privacy.sensitivity != Assumed(1.0):
        raise CombinationError(
            "a sensitivity was handed to design.",
            "none: the sensitivity of a policy is designed and proven, not assumed.",
            "leave sensitivity= out of the noise.",
        )
    if not isinstance(domain, Box):
        raise InputError(
            f"domain is {type(domain).__name__}.",
            "the public range of the private data.",
            "pass domain=privopt.Box(lower, upper).",
        )
    if still_entries(query, program) is not None:
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
    if privacy.order != 1:
        raise CombinationError(
            "Shared was asked for with noise whose sensitivity is a 2-norm.",
            "Laplace or TruncatedLaplace.",
            "leave structure= out, or use Laplace noise.",
        )


def _everywhere(claim: Claim) -> Claim:
    """A claim of the noise, for every d of the domain."""
    return dataclasses.replace(
        claim, statement=f"for every d of the domain: {claim.statement}",
        because=f"{claim.because}; the worst case over the domain is added to every row",
    )  # fmt: skip


def _sure(rows: int) -> Claim:
    return Claim(
        f"for every d of the domain: all {rows} inequalities hold",
        Provenance.PROVEN,
        "the release is a constant and the worst case over the domain is kept by every row",
        Scope.JOINT,
    )
