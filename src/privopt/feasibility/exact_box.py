"""The box of probability exactly 1 - eta: half-width w with P(|xi_j| <= w)^p = 1 - eta.

For Laplace noise w = lambda ln(1 / (1 - (1-eta)^(1/p))). Every row is kept for every noise in the
box, by the box's support function w ||A_i Z||_1, so all rows hold together with probability at
least 1 - eta. No samples and no confidence parameter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms
from privopt.errors import InputError
from privopt.feasibility.protocol import Feasibility, check_probability
from privopt.solving.margins import Cuboid, Margins
from privopt.solving.noisy import NoisyProgram

__all__ = ["ExactBox"]

_LEAST = 1e-300


@dataclass(frozen=True, kw_only=True)
class ExactBox(Feasibility):
    """All rows hold together with probability at least 1 - eta."""

    name: ClassVar[str] = "exact-box"
    kind: ClassVar[str] = "ExactBox"

    eta: float

    def __post_init__(self) -> None:
        check_probability(self, "eta", 0.5)
        if self.eta < _LEAST:  # its share of one dimension must be a float
            raise InputError(
                f"eta is {self.eta!r}.", f"at least {_LEAST:g}.", "use Always() with bounded noise."
            )

    def margins(self, chance: NoisyProgram, rng: np.random.Generator) -> Margins:
        """The box of probability 1 - eta."""
        p = chance.noise_dimensions
        each = -math.expm1(math.log1p(-self.eta) / p)
        half = chance.calibration.law.half_width(each) * (1 + 1e-12)
        return Margins(box=Cuboid(np.full(p, -half), np.full(p, half)))

    def claim(self, chance: NoisyProgram) -> Claim:
        """All rows at once, without sampling."""
        return Claim.of(
            FeasibilityTerms(chance.program.rows.limits, self.eta),
            Provenance.PROVEN,
            "they hold for every noise in a box of exactly that probability",
            Scope.JOINT,
        )
