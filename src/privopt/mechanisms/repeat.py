"""Repetition: up to T draws, the first that passes a test is released (algorithms 3 and 4).

T = ceil(ln mu / ln eta) tries at epsilon/T (and delta/T) each; the larger noise enters the program,
so repetition is decided when the plan is made. Two tests:

- "published": A z(xi) <= b, as printed. It reads coordinates that are not released, so the proof of
  privacy does not go through: in z1 + z2 = d, z >= 0, releasing z1 at epsilon = 1 with T = 2, the
  density ratio of two neighbours reaches 67 where e is claimed.
- "public": some z has S z = y and meets the public constraints. It reads only the released vector
  and public data, so the release is post-processing of T private draws. It cannot see violations of
  unreleased coordinates, and does not inherit the claim of probability 1 - mu.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from privopt.claims.guarantee import Claim, Guarantee, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms
from privopt.errors import CombinationError, InputError
from privopt.feasibility.protocol import Feasibility, check_probability

__all__ = ["Repeat"]


@dataclass(frozen=True, kw_only=True)
class Repeat:
    """Draw up to T = ceil(ln mu / ln eta) times until a test is passed.

    Parameters
    ----------
    mu
        Sets the number of tries: T = ceil(ln mu / ln eta). Only test="published" reaches a
        violation of mu; with "public" the promise stays at eta.
    test
        "public" (the default: reads only the released vector and public data) or "published" (the
        paper's: it reads unreleased values, so its privacy is not proven).

    Notes
    -----
    Each try gets 1/T of the budget, so the noise is T times as large (Laplace) and the plan costs
    more. Verify with and without before you use it.
    """

    kind: ClassVar[str] = "Repeat"  # in the digests of ledgers

    mu: float = field(metadata={"help": "Draw again until a test is passed: sets the tries."})
    test: Literal["public", "published"] = field(default="public", metadata={"help": "Which test."})

    def __post_init__(self) -> None:
        check_probability(self, "mu")
        if self.test not in ("published", "public"):
            raise InputError(f"test is {self.test!r}.", '"published" or "public".', 'use "public".')

    def tries(self, feasibility: Feasibility) -> int:
        """T for a reformulation."""
        eta = feasibility.total_eta
        if eta is None:
            raise CombinationError(
                "repetition was asked with a vector eta for single rows.",
                "one eta for all rows together: T = ceil(ln mu / ln eta).",
                'use scope="joint", ExactBox, SampledBox or Joint.',
            )
        if eta == 0:
            raise CombinationError(
                "repetition was asked of a release that is always feasible.",
                "a reformulation that may fail.",
                "leave repeat out.",
            )
        if self.mu >= eta:
            raise CombinationError(
                f"mu is {self.mu:g} and eta is {eta:g}.",
                "mu below eta: a single draw already violates no more than eta.",
                "use a smaller mu, or leave repeat out.",
            )
        return max(1, math.ceil(math.log(self.mu) / math.log(eta) - 1e-12))

    def guarantee(self, single: Guarantee, tries: int) -> Guarantee:
        """What is left of a single draw's guarantee."""
        return Guarantee(
            self._privacy(single.privacy, tries), self._feasibility(single.feasibility)
        )

    def _privacy(self, claim: Claim, tries: int) -> Claim:
        if self.test == "public":
            because = (
                f"{claim.because}; {tries} tries at 1/{tries} of the budget each, chosen by a test "
                "that reads only the released vector and public data"
            )
            return dataclasses.replace(claim, because=because)
        because = (
            "the paper's Theorem 5, whose proof fails: the test A z <= b reads coordinates that "
            f"are not released, so its outcome leaks; besides, {claim.because}"
        )
        return dataclasses.replace(claim, provenance=Provenance.ASSUMED, because=because)

    def _feasibility(self, claim: Claim) -> Claim:
        if claim.scope is not Scope.JOINT or claim.provenance is not Provenance.PROVEN:
            return Claim(
                "no probability is claimed for the repeated release",
                Provenance.ASSUMED,
                "T needs an eta that is proven for all rows together; choosing among tries changes "
                f"the probabilities of single rows. Of a single try: {claim.statement}",
                Scope.NONE,
            )
        if self.test == "published":
            rows = claim.terms.rows if isinstance(claim.terms, FeasibilityTerms) else None
            return dataclasses.replace(
                claim,
                terms=FeasibilityTerms(rows, self.mu),
                because=f"each of the independent tries fails with probability at most eta, and "
                f"eta^T <= mu; of a single try: {claim.because}",
            )
        return dataclasses.replace(
            claim,
            because=f"{claim.because}; the public test only replaces tries that were infeasible, "
            f"but it cannot see unreleased violations: 1 - mu = {1 - self.mu:g} is not inherited",
        )
