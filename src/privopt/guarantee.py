"""What is claimed of a release, and on what ground.

A `Guarantee` is two claims, privacy and feasibility, kept apart. Each `Claim` says what holds, how
that is known (`Provenance`), why, for what scope, and under which assumptions. It travels unchanged
into repr, JSON and the release itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

__all__ = ["Claim", "Guarantee", "Provenance", "Scope"]


class Provenance(StrEnum):
    """How a claim is known."""

    PROVEN = "PROVEN"
    """An argument holds for every case in the scope."""
    ASSUMED = "ASSUMED"
    """The user or the paper says so; nobody has shown it."""
    SAMPLED = "SAMPLED"
    """A search or a sample found nothing worse; that is no proof."""


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
        What holds.
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
    """

    statement: str
    provenance: Provenance
    because: str
    scope: Scope
    assumptions: tuple[str, ...] = ()
    confidence: float = 1.0

    @property
    def label(self) -> str:
        """PROVEN, ASSUMED or SAMPLED; NO CLAIM where nothing is claimed."""
        return "NO CLAIM" if self.scope is Scope.NONE else self.provenance.value

    def __str__(self) -> str:
        scope = "" if self.scope is Scope.NONE else f", {self.scope.value}"
        return f"{self.statement} [{self.label}{scope}]"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "statement": self.statement,
            "provenance": self.provenance.value,
            "because": self.because,
            "scope": self.scope.value,
            "assumptions": list(self.assumptions),
            "confidence": self.confidence,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Claim:
        """The claim that `to_dict` wrote."""
        return cls(
            str(data["statement"]),
            Provenance(data["provenance"]),
            str(data["because"]),
            Scope(data["scope"]),
            tuple(str(item) for item in data["assumptions"]),
            _share(data["confidence"]),
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

    def __str__(self) -> str:
        return f"privacy: {self.privacy}\nfeasibility: {self.feasibility}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"privacy": self.privacy.to_dict(), "feasibility": self.feasibility.to_dict()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Guarantee:
        """The guarantee that `to_dict` wrote."""
        return cls(Claim.from_dict(data["privacy"]), Claim.from_dict(data["feasibility"]))
