"""How far one person's data can move the solution: the factor in Delta = factor alpha ||S||.

The paper claims factor one (its Proposition 1). That is false on its own networks: factors up to
nine were measured. So a factor carries its provenance, and so does every epsilon made from it:

- `Assumed`: somebody says so (the default, at the paper's factor)
- `Sampled`: a search found no pair of neighbours further apart (`privopt.assess.lower_bound`)
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np

from privopt.arrays import Sparse
from privopt.errors import InputError
from privopt.noise.neighbours import AS_FLOATS
from privopt.scalars import real, round_up

__all__ = [
    "UNCORRELATED",
    "Assumed",
    "Provenance",
    "Sampled",
    "Sensitivity",
    "check_factor",
    "check_sensitivity",
    "largest_column_norm",
    "round_up",
]

UNCORRELATED = "the entries of d are not correlated with each other"


class Provenance(StrEnum):
    """How a claim is known."""

    PROVEN = "PROVEN"
    """An argument holds for every case in the scope."""
    ASSUMED = "ASSUMED"
    """The user or the paper says so; nobody has shown it."""
    SAMPLED = "SAMPLED"
    """A search or a sample found nothing worse; that is no proof."""


class Sensitivity(ABC):
    """A factor and how it is known.

    Attributes
    ----------
    factor
        ||S z~(d) - S z~(d')|| <= factor * alpha * (largest column norm of S).
    """

    factor: float

    @property
    @abstractmethod
    def provenance(self) -> Provenance:
        """PROVEN, ASSUMED or SAMPLED."""

    @property
    @abstractmethod
    def because(self) -> str:
        """The ground in words."""

    def assumptions(self, *, unique: bool) -> tuple[str, ...]:
        """What a claim leaves to be believed; `unique`: whether the optimum is known to be."""
        paper = (
            UNCORRELATED,
            "every neighbour of d is feasible too; that a plan exists at all depends on d",
            AS_FLOATS,
        )
        if unique:
            return paper
        tie = (
            "the optimum is unique (the cost is not strictly convex, so S z~ may depend on the "
            "solver; a small quadratic cost breaks the tie)"
        )
        return (tie, *paper)


@dataclass(frozen=True)
class Assumed(Sensitivity):
    """||z~(d) - z~(d')||_1 <= factor * alpha for all neighbours, because the user says so."""

    factor: float = 1.0

    def __post_init__(self) -> None:
        remedy = "use Assumed(1.0) for the paper's claim, or a larger factor you can defend."
        object.__setattr__(self, "factor", check_factor(self.factor, remedy))

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
class Sampled(Sensitivity):
    """The same because a search over neighbours found none further apart. That is no proof.

    Made by `privopt.assess.lower_bound(...).sampled`, or from a factor of your own search.
    """

    factor: float

    def __post_init__(self) -> None:
        remedy = "take it from privopt.assess.lower_bound(...).sampled."
        object.__setattr__(self, "factor", check_factor(self.factor, remedy))

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


def check_factor(value: object, remedy: str) -> float:
    """A factor as a float; refused outside of its range."""
    return real(value, "the sensitivity factor", "a positive number.", remedy, low=1e-9, high=1e9)


def check_sensitivity(value: object) -> None:
    """Refuse what is none of ours: what a sensitivity says of its ground is claimed of releases."""
    if type(value) not in {Assumed, Sampled}:
        raise InputError(
            f"sensitivity is {value!r:.40}.",
            "a sensitivity with its provenance.",
            "pass sensitivity=privopt.Assumed(1.0) or privopt.Sampled(...).",
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
