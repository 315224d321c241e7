"""How far one person's data can move the solution: the factor in Delta = factor alpha ||S||.

The paper claims factor one (its Proposition 1). That is false on its own networks: factors up to
nine were measured. So a factor carries its provenance, and so does every epsilon made from it:

- `Assumed`: somebody says so (the default, at the paper's factor)
- `Sampled`: a search found no pair of neighbours further apart (`privopt.assess.lower_bound`)
- `Certified`: every piece of the solution map was looked at (`privopt.assess.certify`)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from privopt.arrays import Dense, Sparse, Vector
from privopt.digest import digest_of
from privopt.digits import up
from privopt.errors import InputError
from privopt.guarantee import Claim, Provenance
from privopt.scalars import real, round_up

if TYPE_CHECKING:
    from privopt.conic.margins import Margins
    from privopt.conic.solution_map import SolutionMap

__all__ = [
    "Assumed",
    "Certified",
    "Sampled",
    "Sensitivity",
    "check_sensitivity",
    "largest_column_norm",
    "round_up",
]

_FOLLOW = (
    "entries named with balance= follow the private ones: what d says of them is not read, and the "
    "plan is for what follows"
)


class Sensitivity(Protocol):
    """A factor and how it is known."""

    @property
    def factor(self) -> float:
        """||S z~(d) - S z~(d')|| <= factor * alpha * (largest column norm of S)."""
        ...

    @property
    def provenance(self) -> Provenance:
        """PROVEN, ASSUMED or SAMPLED."""
        ...

    @property
    def because(self) -> str:
        """The ground in words."""
        ...


@dataclass(frozen=True)
class Assumed:
    """||z~(d) - z~(d')||_1 <= factor * alpha for all neighbours, because the user says so."""

    factor: float = 1.0

    def __post_init__(self) -> None:
        remedy = "use Assumed(1.0) for the paper's claim, or a larger factor you can defend."
        object.__setattr__(self, "factor", _factor(self.factor, remedy))

    @property
    def provenance(self) -> Provenance:
        """An assumption."""
        return Provenance.ASSUMED

    @property
    def because(self) -> str:
        """The assumption in words."""
        text = (
            f"the sensitivity ||z~(d) - z~(d')||_1 <= {self.factor:g} alpha is assumed, not shown"
        )
        if self.factor <= 1.0:
            text += "; it is the paper's Proposition 1, which fails on the paper's own networks"
        return text


@dataclass(frozen=True)
class Sampled:
    """The same because a search over neighbours found none further apart. That is no proof.

    Made by `privopt.assess.lower_bound(...).sampled`, or from a factor of your own search.
    """

    factor: float

    def __post_init__(self) -> None:
        remedy = "take it from privopt.assess.lower_bound(...).sampled."
        object.__setattr__(self, "factor", _factor(self.factor, remedy))

    @property
    def provenance(self) -> Provenance:
        """A search."""
        return Provenance.SAMPLED

    @property
    def because(self) -> str:
        """The search in words."""
        return (
            f"a search found no neighbours whose released values differ by more than "
            f"{self.factor:g} alpha times the largest column norm of S; pairs it did not meet may "
            "lie further apart"
        )


@dataclass(frozen=True, eq=False)
class Certified:
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
    # Certificates of version 0.1.0, which exist as pickles, have none of these.
    room: Vector = field(default_factory=lambda: np.zeros(0), repr=False)
    exponent: int = field(default=0, repr=False)
    map: SolutionMap | None = field(default=None, repr=False)
    digest: str = field(default="", repr=False)

    @classmethod
    def sealed(cls, **parts: Any) -> Certified:  # noqa: ANN401 -- the fields above
        """A certificate with the digest of its parts."""
        parts["factor"] = _factor(parts["factor"], "use privopt.assess.certify.")
        return cls(**parts, digest=digest_of(tuple(sorted(parts.items()))))

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", _factor(self.factor, "use privopt.assess.certify."))
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

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the proof leaves to be believed."""
        kept = "d outside of the public domain is clamped to it, and the plan is for the clamped d"
        given = (kept, *((_FOLLOW,) if self.balance else ()))
        if self.whole:
            return given
        return (
            *given,
            "neighbours at which a plan exists: whether it does depends on d, and for some d of "
            "the domain it may not; such d are refused",
        )


def _factor(value: object, remedy: str) -> float:
    return real(value, "the sensitivity factor", "a positive number.", remedy, low=1e-9, high=1e9)


def check_sensitivity(value: object) -> None:
    """Refuse what is no sensitivity."""
    if not isinstance(value, (Assumed, Sampled, Certified)):
        raise InputError(
            f"sensitivity is {value!r:.40}.",
            "a sensitivity with its provenance.",
            "pass sensitivity=privopt.Assumed(1.0), privopt.Sampled(...) or what "
            "privopt.assess.certify returned.",
        )


def largest_column_norm(S: Sparse, order: int) -> float:
    """Largest l1 or l2 norm of a column of S, rounded up."""
    columns = S.tocsc()
    sizes = np.abs(columns.data)
    if (np.diff(columns.indptr) <= 1).all():  # one entry a column: both norms are its size
        return float(sizes.max(initial=0.0))
    best = Fraction(0)
    for j in range(columns.shape[1]):
        entries = columns.data[columns.indptr[j] : columns.indptr[j + 1]]
        parts = [abs(Fraction(float(value))) for value in entries]
        size = sum(parts, Fraction(0)) if order == 1 else sum((v * v for v in parts), Fraction(0))
        best = max(best, size)
    if order == 1:
        return round_up(best)
    root = math.sqrt(round_up(best))
    while Fraction(root) ** 2 < best:
        root = float(np.nextafter(root, np.inf))
    return root
