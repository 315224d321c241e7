"""From a privacy request to noise: the scale whose charge stays within what was asked.

`Privacy` is the request (epsilon, delta, alpha, sensitivity); `Calibration` is what becomes of it
for one query: Delta, scale, grid, charge and law. The charge is computed by the noise's own rule at
the scale that is used, never assumed from a quotient: at the naive scale Delta/epsilon the grid's
share would put it a little above epsilon, so the scale is raised until it fits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

import numpy as np

from privopt.arrays import Sparse, Vector
from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.claims.terms import PrivacyTerms
from privopt.errors import InputError
from privopt.noise.law import Law
from privopt.noise.neighbours import AS_FLOATS, exact_alpha
from privopt.noise.sensitivity import (
    Sensitivity,
    check_sensitivity,
    largest_column_norm,
    round_up,
)
from privopt.scalars import probability, real


@dataclass(frozen=True)
class Calibration:
    """Noise made for one query.

    Attributes
    ----------
    size
        Number of noise dimensions p.
    scale
        Scale of the noise; entries are `scale` times the law.
    exponent
        k: values and noise lie on the grid 2^k.
    sensitivity
        Delta, the largest distance of the query's values between neighbours.
    epsilon, delta
        The charge of a release: within the request.
    tries
        T, the draws that one release may make (the charge covers all of them).
    made_for
        The smaller Delta that the scale was made for, where neighbours turned out to lie further
        apart (`recharged`): the charge is then above the request. None where it is `sensitivity`.
    """

    size: int
    scale: float
    exponent: int
    sensitivity: float
    epsilon: float
    delta: float
    tries: int
    law: Law = field(repr=False)
    draw: Callable[[Vector], Vector] = field(repr=False, compare=False)
    made_for: float | None = None

    @property
    def deviation(self) -> float:
        """Standard deviation of one entry."""
        return self.scale * float(np.sqrt(self.law.variance))


class Privacy(Protocol):
    """What every noise family offers."""

    @property
    def epsilon(self) -> float:
        """Asked epsilon."""
        ...

    @property
    def delta(self) -> float:
        """Asked delta; zero for pure differential privacy."""
        ...

    @property
    def alpha(self) -> float:
        """Largest change of one private entry between neighbours."""
        ...

    @property
    def sensitivity(self) -> Sensitivity:
        """How far the solution moves, in multiples of alpha."""
        ...

    @property
    def order(self) -> int:
        """The norm in which the sensitivity is measured: 1 or 2."""
        ...

    def calibrate(
        self, size: int, Delta: float, *, bound: float | None = None, tries: int = 1
    ) -> Calibration:
        """Noise for `size` values of sensitivity Delta, |values| <= bound if that is public."""
        ...

    def recharged(self, made: Calibration, Delta: float) -> Calibration:
        """The same noise with what it costs for values of a larger sensitivity."""
        ...

    @property
    def terms(self) -> PrivacyTerms:
        """The promise in numbers, for claims."""
        ...

    def describe(self) -> str:
        """The promise in words."""
        ...


def query_sensitivity(privacy: Privacy, S: Sparse) -> float:
    """Delta = factor * alpha * (largest column norm of S), rounded up."""
    norm = largest_column_norm(S, privacy.order)
    return round_up(
        Fraction(privacy.sensitivity.factor) * exact_alpha(privacy.alpha) * Fraction(norm)
    )


def privacy_claim(privacy: Privacy, *, unique: bool) -> Claim:
    """The privacy claim of a plan: as good as the sensitivity it was given."""
    sensitivity = privacy.sensitivity
    return Claim.of(
        privacy.terms,
        sensitivity.provenance,
        f"noise independent of d is added to the released values, and {sensitivity.because}"
        "; only the released values are covered: status, run time and cost of the solve are not",
        Scope.NEIGHBOURS,
        sensitivity.assumptions(unique=unique),
    )


def input_claim(privacy: Privacy, *, bounded: bool) -> Claim:
    """The privacy claim of noise added to d itself: for every neighbour, if d is clamped.

    Without a public domain nothing bounds what the conversion of d to floats moves.
    """
    because = "noise is added to d, whose own sensitivity is alpha; what follows reads the noisy d"
    if not bounded:
        return Claim.of(
            privacy.terms,
            Provenance.ASSUMED,
            f"{because}, but d has no public bounds: domain=privopt.Box(lower, upper) proves it",
            Scope.NEIGHBOURS,
            (AS_FLOATS,),
        )
    return Claim.of(
        privacy.terms,
        Provenance.PROVEN,
        f"{because} only; d is clamped to a public domain, and what its conversion to floats moves "
        "there was added to alpha",
        Scope.NEIGHBOURS,
    )


def check_request(request: Privacy) -> None:
    """Bring the numbers of a request to floats; refuse those outside their range."""
    checked = {
        "epsilon": real(
            request.epsilon,
            "epsilon",
            "a number from 1e-9 to 1e9.",
            "use about 0.1 to 10; 1 is common.",
            low=1e-9,
            high=1e9,
        ),
        "alpha": real(
            request.alpha,
            "alpha",
            "a positive number (1e-100 to 1e100), in the units of d.",
            "set it to the largest change of one entry of d that must stay hidden.",
            low=1e-100,
            high=1e100,
        ),
    }
    if "delta" in {item.name for item in dataclasses.fields(request)}:  # pyright: ignore[reportArgumentType]
        remedy = (
            "use about 1e-5, well below one over the number of people; or Laplace, without delta."
        )
        checked["delta"] = probability(request.delta, "delta", remedy=remedy)
    check_sensitivity(request.sensitivity)
    for name, value in checked.items():
        object.__setattr__(request, name, value)


def smallest_scale(charge: Callable[[float], float], start: float, limit: Fraction) -> float:
    """Smallest scale (to a few parts in 10^12) whose charge is at most the limit.

    `charge` falls with the scale, about like its reciprocal.
    """
    scale = start
    for _ in range(60):
        excess = Fraction(charge(scale)) / limit
        if excess <= 1:
            return scale
        scale = float(np.nextafter(scale * max(float(excess), 1.0), np.inf))
    raise InputError(
        "no scale was found whose charge is within the asked epsilon.",
        "an epsilon the grid can resolve.",
        "use a larger epsilon, or smaller public bounds on the released values.",
    )
