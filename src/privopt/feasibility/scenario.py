"""Plain scenarios: A (z~ + Z xi_s) <= b for each of N draws (Campi and Garatti).

With D decisions, N draws give all rows together with probability 1 - eta and confidence 1 - beta if

    sum_{i < D} C(N, i) eta^i (1-eta)^(N-i) <= beta,    D = (n - rank G) + p (n - rank [G; S]).

Fewer draws are allowed and then carry no certificate. The worst draw of a row is found when it is
needed: the margin h_i(a) = max_s a'xi_s enters through cuts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy.special import bdtr

from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms
from privopt.feasibility.protocol import BETA, Feasibility, check_probability, draw
from privopt.scalars import whole
from privopt.solving.margins import Margins
from privopt.solving.noisy import NoisyProgram

__all__ = ["Scenario", "scenario_count"]


def scenario_count(eta: float, beta: float, decisions: int) -> int:
    """Smallest N whose binomial tail below `decisions` is at most beta."""
    low, high = decisions, 2 * decisions
    while bdtr(decisions - 1, high, eta) > beta:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bdtr(decisions - 1, middle, eta) <= beta else (middle, high)
    return high


@dataclass(frozen=True, kw_only=True)
class Scenario(Feasibility):
    """All rows hold for N draws; a certificate at (eta, beta) if N is large enough.

    Parameters
    ----------
    eta, beta
        Violation probability and one minus the confidence.
    samples
        N; the certified count unless given.
    """

    name: ClassVar[str] = "scenario"
    kind: ClassVar[str] = "Scenario"

    eta: float
    beta: float = field(metadata=BETA)
    samples: int | None = field(
        default=None,
        metadata={"help": "Of scenario: draws; the certified count.", "flag": "scenarios"},
    )

    def __post_init__(self) -> None:
        check_probability(self, "eta", 0.5)
        check_probability(self, "beta", 0.5)
        if self.samples is not None:
            whole(self.samples, "samples", "leave it out for the certified count.")

    def margins(self, chance: NoisyProgram, rng: np.random.Generator) -> Margins:
        """The worst of fresh draws."""
        count = self._count(chance.decisions())
        return Margins(draws=draw(chance.calibration.law, rng, (count, chance.noise_dimensions)))

    def _count(self, decisions: int) -> int:
        return self.samples or scenario_count(self.eta, self.beta, decisions)

    def claim(self, chance: NoisyProgram) -> Claim:
        """All rows at once if there are enough draws, otherwise those draws alone."""
        decisions = chance.decisions()
        count, needed = self._count(decisions), scenario_count(self.eta, self.beta, decisions)
        if count < needed:
            return Claim.of(
                FeasibilityTerms(chance.program.rows.limits, None, draws=count),
                Provenance.SAMPLED,
                f"{needed} draws would certify eta = {self.eta:g} at confidence "
                f"{1 - self.beta:g} for {decisions} decisions",
                Scope.JOINT,
            )
        return Claim.of(
            FeasibilityTerms(chance.program.rows.limits, self.eta),
            Provenance.PROVEN,
            f"they hold for {count} draws, and {needed} suffice for {decisions} decisions "
            "(Campi and Garatti)",
            Scope.JOINT,
            ("the optimum over the draws is unique",),
            confidence=1 - self.beta,
        )
