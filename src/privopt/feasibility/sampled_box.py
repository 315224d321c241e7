"""The box spanned by samples (the paper's sample approximation, after Margellos et al.).

N >= (1/eta) (e/(e-1)) (2p - 1 + ln(1/beta)) draws span a box that holds probability 1 - eta with
confidence 1 - beta. Every row is kept for every noise in the box by its support function, the worst
of a'xi being sum_j max(a_j low_j, a_j high_j). The box is not symmetric, so it differs for a and
-a.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms
from privopt.feasibility.protocol import BETA, Feasibility, check_probability, draw
from privopt.solving.margins import Cuboid, Margins
from privopt.solving.noisy import NoisyProgram

__all__ = ["SampledBox", "box_samples"]


def box_samples(eta: float, beta: float, p: int) -> int:
    """N = ceil((1/eta) (e/(e-1)) (2p - 1 + ln(1/beta)))."""
    return math.ceil(math.e / (math.e - 1) * (2 * p - 1 + math.log(1 / beta)) / eta)


@dataclass(frozen=True, kw_only=True)
class SampledBox(Feasibility):
    """All rows hold together with probability at least 1 - eta, with confidence 1 - beta."""

    name: ClassVar[str] = "sampled-box"
    kind: ClassVar[str] = "SampledBox"

    eta: float
    beta: float = field(metadata=BETA)

    def __post_init__(self) -> None:
        check_probability(self, "eta", 0.5)
        check_probability(self, "beta", 0.5)

    def margins(self, chance: NoisyProgram, rng: np.random.Generator) -> Margins:
        """The box spanned by fresh draws."""
        shape = (box_samples(self.eta, self.beta, chance.noise_dimensions), chance.noise_dimensions)
        draws = draw(chance.calibration.law, rng, shape)
        return Margins(box=Cuboid(draws.min(axis=0), draws.max(axis=0)))

    def claim(self, chance: NoisyProgram) -> Claim:
        """All rows at once, with the confidence of the samples."""
        count = box_samples(self.eta, self.beta, chance.noise_dimensions)
        return Claim.of(
            FeasibilityTerms(chance.program.rows.limits, self.eta),
            Provenance.PROVEN,
            f"they hold for every noise in the box spanned by {count} draws (Margellos et al.)",
            Scope.JOINT,
            confidence=1 - self.beta,
        )
