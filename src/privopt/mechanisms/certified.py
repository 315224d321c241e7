"""A certified sensitivity: a factor that is proven for every pair of neighbours, piece by piece.

It brings along what the proof is about: the public recourse, the margins and the exact map from d
to z~, and a digest of them all. `privopt.assess.certify` makes it; `certificate` solves under it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.claims.guarantee import Claim, Provenance
from privopt.digest import digest_of
from privopt.digits import up
from privopt.errors import InputError
from privopt.noise.sensitivity import UNCORRELATED, Sensitivity, check_factor, kind_of_sensitivity
from privopt.solving.margins import Margins
from privopt.solving.solution_map import SolutionMap

__all__ = ["Certified"]

_FOLLOW = (
    "entries named with balance= follow the private ones: what d says of them is not read, and the "
    "plan is for what follows"
)


@kind_of_sensitivity
@dataclass(frozen=True, eq=False)
class Certified(Sensitivity):
    """The same for every pair of neighbours in a public domain, proven piece by piece.

    Made by `privopt.assess.certify`, from public data. It holds for one program, query, noise,
    feasibility and domain, with the map, recourse and margins it brings along; `solve` refuses
    others.

    Attributes
    ----------
    factor
        The certified factor, rounding included.
    regions
        Number of affine pieces of the solution map, all of them looked at.
    whole
        Whether a plan that keeps its margins is proven to exist for every d of the domain; then
        none is refused.
    recourse, margins
        Z, and what each row gives up for the noise and a little more.
    room
        That little: by so much the map may exceed a row.
    lower, upper
        The domain of the private entries of d, which they are clamped to.
    balance
        Entries of d that are computed from the private ones; d is not read there.
    rounding, exponent
        Released values are rounded to the grid 2^exponent; the part of the sensitivity for that.
    map
        From d to z~, in numbers that are taken as exact.
    digest
        Of all of the above. It finds accidents and edits, not somebody who makes a new one.
    """

    factor: float
    regions: int
    whole: bool
    recourse: Dense = field(repr=False)
    margins: Vector = field(repr=False)
    lower: Vector = field(repr=False)
    upper: Vector = field(repr=False)
    rounding: float = field(repr=False)
    balance: tuple[int, ...] = field(repr=False)
    rule: Margins = field(repr=False)
    feasibility: Claim = field(repr=False)
    fingerprint: tuple[tuple[str, str], ...] = field(repr=False)
    # What was made by hand, without a proof, has none of these.
    room: Vector = field(default_factory=lambda: np.zeros(0), repr=False)
    exponent: int = field(default=0, repr=False)
    map: SolutionMap | None = field(default=None, repr=False)
    digest: str = field(default="", repr=False)

    @classmethod
    def sealed(cls, **parts: Any) -> Certified:  # noqa: ANN401 -- the fields above
        """A certificate with the digest of its parts."""
        parts["factor"] = check_factor(parts["factor"], "use privopt.assess.certify.")
        return cls(**parts, digest=digest_of(tuple(sorted(parts.items()))))

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", check_factor(self.factor, "use privopt.assess.certify."))
        self.check()

    def check(self) -> SolutionMap:
        """The map, if nothing was changed since the certificate was made; refused otherwise."""
        if self.map is None or self.digest != self._digest():
            raise InputError(
                "the certificate was changed after it was made, or was made by version 0.1.0, "
                "whose proof did not hold for rows that are nearly parallel.",
                "a certificate as privopt.assess.certify returned it.",
                "call privopt.assess.certify again.",
            )
        return self.map

    def _digest(self) -> str:
        names = sorted(item.name for item in fields(self) if item.name != "digest")
        return digest_of(tuple((name, getattr(self, name)) for name in names))

    @property
    def provenance(self) -> Provenance:
        """A proof, where no d of the domain is refused; else it rests on that."""
        proven = self.whole and self.map is not None
        return Provenance.PROVEN if proven else Provenance.ASSUMED

    @property
    def because(self) -> str:
        """The proof in words."""
        pieces = "1 affine piece" if self.regions == 1 else f"{self.regions} affine pieces"
        return (
            f"recourse and margins are public and the released map of d has at most {pieces} over "
            "the public domain, which cover it; along none do neighbours differ by more than "
            f"{up(self.factor, 6)} alpha times the largest column norm of S"
        )

    def assumptions(self, *, unique: bool) -> tuple[str, ...]:
        """What the proof leaves to be believed. It holds for the map, unique or not."""
        kept = "d outside of the public domain is clamped to it, and the plan is for the clamped d"
        given = (UNCORRELATED, kept, *((_FOLLOW,) if self.balance else ()))
        if self.whole:
            return given
        return (
            *given,
            "neighbours at which a plan exists: whether it does depends on d, and for some d of "
            "the domain it may not; such d are refused",
        )
