"""What is claimed of a release, and on what ground.

A `Guarantee` is two claims, privacy and feasibility, kept apart. Each `Claim` says what holds, how
that is known (`Provenance`), why, for what scope, and under which assumptions. What holds is a
matter of numbers (`terms`), from which the sentence is made.

A claim that is read from a file is that file's: its sentence is made anew from its numbers, and it
is shown as stated in the file until a ledger confirms the record. Whoever shows how a claim is
known shows its `label`, which says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from privopt.claims.terms import (
    FeasibilityTerms,
    PrivacyTerms,
    Terms,
    read_terms,
)
from privopt.claims.units import UnitLabels
from privopt.foreign import shown
from privopt.noise.sensitivity import Provenance
from privopt.plain import listed

__all__ = ["Claim", "Guarantee", "Provenance", "Scope"]

_STATED = "as stated in its file"
_NOTHING = "nothing is claimed"  # of a record without numbers and words
_ELSEWHERE = "of what its measurement or decision shows"  # of a record that leaves the argument out


class Scope(StrEnum):
    """What a claim is about."""

    NEIGHBOURS = "neighbours"
    """Every pair of neighbouring data."""
    ROW = "row"
    """Each inequality row by itself."""
    JOINT = "joint"
    """All inequality rows at once."""
    NONE = "none"
    """Nothing is claimed."""


@dataclass(frozen=True)
class Claim:
    """One statement with its ground.

    Attributes
    ----------
    statement
        What holds, in words: those of `terms` where there are any.
    provenance
        PROVEN, ASSUMED or SAMPLED.
    because
        The argument, or what stands in its place.
    scope
        Neighbours, each row, or all rows jointly.
    assumptions
        What the statement rests on and nobody checked.
    confidence
        Probability, over draws made while solving, that the statement holds; one if none were.
    terms
        What holds, in numbers; None where there are none.
    stated
        Whether a file states it and nothing in the file shows it.
    """

    statement: str
    provenance: Provenance
    because: str
    scope: Scope
    assumptions: tuple[str, ...] = ()
    confidence: float = 1.0
    terms: Terms | None = None
    stated: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        if self.terms is not None:
            object.__setattr__(self, "statement", self.terms.sentence(self.confidence))

    @classmethod
    def of(
        cls,
        terms: Terms,
        provenance: Provenance,
        because: str,
        scope: Scope,
        assumptions: Iterable[str] = (),
        confidence: float = 1.0,
    ) -> Claim:
        """The claim that some terms hold."""
        return cls("", provenance, because, scope, tuple(assumptions), confidence, terms)

    @property
    def epsilon(self) -> float | None:
        """Of a privacy claim, in full precision; None of others. So are `delta` and `alpha`."""
        return self.terms.epsilon if isinstance(self.terms, PrivacyTerms) else None

    @property
    def delta(self) -> float | None:
        """Zero for pure differential privacy."""
        return self.terms.delta if isinstance(self.terms, PrivacyTerms) else None

    @property
    def alpha(self) -> float | None:
        """Largest change of one private entry between neighbours."""
        return self.terms.alpha if isinstance(self.terms, PrivacyTerms) else None

    @property
    def eta(self) -> float | None:
        """Of a feasibility claim: the chance of violation, of all rows or the largest of each."""
        return self.terms.chance if isinstance(self.terms, FeasibilityTerms) else None

    @property
    def probability(self) -> float | None:
        """One minus eta."""
        return self.terms.probability if isinstance(self.terms, FeasibilityTerms) else None

    @property
    def word(self) -> str:
        """PROVEN, ASSUMED or SAMPLED, or NO CLAIM: to look up; `label` is what is shown."""
        return "NO CLAIM" if self.scope is Scope.NONE else self.provenance.value

    @property
    def label(self) -> str:
        """How the claim is known, in words to show, and whether only a file states it."""
        return f"{self.word} {_STATED}" if self.stated else self.word

    def __str__(self) -> str:
        scope = "" if self.scope is Scope.NONE else f", {self.scope.value}"
        return f"{shown(self.statement)} [{self.label}{scope}]"

    @property
    def grounds(self) -> tuple[str, ...]:
        """The argument and the assumptions, a sentence each, and whose they are."""
        stated = f"{_STATED}, " if self.stated else ""
        return (
            f"{stated}because {self.because}",
            *(f"{stated}assuming {item}" for item in self.assumptions),
        )

    def in_units(self, units: UnitLabels | None) -> Claim:
        """The same, to be shown: with the unit of each number in its sentence."""
        if units is None or self.terms is None:
            return self
        return replace(self, terms=self.terms.in_units(units))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "statement": self.statement,
            "provenance": self.provenance.value,
            "because": self.because,
            "scope": self.scope.value,
            "assumptions": list(self.assumptions),
            "confidence": self.confidence,
            "terms": None if self.terms is None else self.terms.to_dict(),
        }

    def record(self, *, derived: bool = False) -> dict[str, Any]:
        """The same without the sentence that is made from the numbers.

        Of a claim that is derived from other records no words are part of its own.
        """
        made = {"statement"} if self.terms is not None else set[str]()
        made |= {"statement", "because"} if derived else set()
        return {name: value for name, value in self.to_dict().items() if name not in made}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Claim:
        """The claim that `to_dict` wrote, as stated there."""
        data = {"statement": _NOTHING, "because": _ELSEWHERE, **data}
        return cls(
            str(data["statement"]),
            Provenance(data["provenance"]),
            str(data["because"]),
            Scope(data["scope"]),
            tuple(str(item) for item in listed(data["assumptions"])),
            _share(data["confidence"]),
            read_terms(data["terms"]),
            stated=True,
        )


def _share(value: object) -> float:
    if not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError
    return float(value)


@dataclass(frozen=True)
class Guarantee:
    """The two claims of a release."""

    privacy: Claim
    feasibility: Claim

    @property
    def both(self) -> tuple[tuple[str, Claim], ...]:
        """Each claim under its name."""
        return (("privacy", self.privacy), ("feasibility", self.feasibility))

    def __str__(self) -> str:
        return "\n".join(f"{name}: {claim}" for name, claim in self.both)

    def in_units(self, units: UnitLabels | None) -> Guarantee:
        """The same, to be shown: with the unit of each number in its sentences."""
        return Guarantee(self.privacy.in_units(units), self.feasibility.in_units(units))

    def stated(self, stated: bool = True) -> Guarantee:
        """The same, as a file states it; or as it is shown here."""
        return Guarantee(
            replace(self.privacy, stated=stated), replace(self.feasibility, stated=stated)
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {name: claim.to_dict() for name, claim in self.both}

    def record(self, *, derived: bool = False) -> dict[str, Any]:
        """The claims without what is made from their numbers; see `Claim.record`."""
        return {name: claim.record(derived=derived) for name, claim in self.both}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Guarantee:
        """The guarantee that `to_dict` wrote."""
        privacy, feasibility = (Claim.from_dict(data[name]) for name in ("privacy", "feasibility"))
        swapped = isinstance(privacy.terms, FeasibilityTerms)
        if swapped or isinstance(feasibility.terms, PrivacyTerms):
            raise ValueError
        return cls(privacy, feasibility)
