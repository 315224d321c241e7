"""Always feasible: with bounded noise, every row for every possible draw.

|xi_j| <= B for all j makes the worst case of A_i Z xi equal to B ||A_i Z||_1. The margin also
covers half a grid step (the release is rounded to the grid before noise is added).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms
from privopt.errors import CombinationError
from privopt.feasibility.protocol import Feasibility
from privopt.solving.margins import Cuboid, Margins
from privopt.solving.noisy import NoisyProgram
from privopt.solving.scaling import TOLERANCE

__all__ = ["Always"]


@dataclass(frozen=True)
class Always(Feasibility):
    """All rows hold with probability one. Needs bounded noise (`TruncatedLaplace`)."""

    name: ClassVar[str] = "always"
    kind: ClassVar[str] = "Always"

    @property
    def total_eta(self) -> float | None:
        """No violation."""
        return 0.0

    def margins(self, chance: NoisyProgram, rng: np.random.Generator) -> Margins:
        """The support of the noise, and half a grid step."""
        calibration, p = chance.calibration, chance.noise_dimensions
        if not math.isfinite(calibration.law.bound):
            raise CombinationError(
                "Always was asked with unbounded noise.",
                "noise with a bounded support.",
                "use TruncatedLaplace(epsilon=, delta=, alpha=), or a probability: ExactBox(eta=).",
            )
        half_step = math.ldexp(0.5, calibration.exponent) / calibration.scale
        bound = (calibration.law.bound + half_step) * (1 + 1e-12)
        return Margins(box=Cuboid(np.full(p, -bound), np.full(p, bound)))

    def claim(self, chance: NoisyProgram) -> Claim:
        """All rows, whatever is drawn."""
        return Claim.of(
            FeasibilityTerms(chance.program.rows.limits, 0.0),
            Provenance.PROVEN,
            "they hold for every noise in its support, a box of half-width "
            f"{chance.calibration.law.bound:.4g} times the scale (up to {TOLERANCE:g} of a row's "
            "size, for rounding)",
            Scope.JOINT,
        )
