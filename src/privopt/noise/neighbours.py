"""Neighbours: which data must look alike, and how far apart their entries are as floats.

*Who is protected.* Neighbours differ in the entries of one owner (`Neighbours`):

    each     |d_j - d'_j| <= alpha_j                 for every entry j of the owner
    total    sum over j of |d_j - d'_j| / alpha_j <= 1

Each entry is an owner of its own unless owners are given; with "total" and no owners, all entries
are one owner's. An entry of alpha 0 never differs: it is public, and not protected.

An entry may be several owners', as a bus is whose load is the sum of its customers'. Neighbours
differ in what one of them adds to it, by at most alpha, so that the entries of each owner are what
counts, whether or not they are others' too (`owners.normal`).

*As floats.* The curator's numbers are decimals, integers of any size or fractions; privopt computes
with floats:

    |float(x) - float(y)| <= |x - y| + ulp(B)      for x, y in [lower, upper], B = max |ends|

A number converted once, correctly rounded, moves by at most half a unit in the last place of the
largest number that its public domain holds. Clamping a float to the domain is the same as clamping
the number first: rounding is monotone and keeps the ends, which are floats; a number beyond the
largest float becomes that one (`arrays.held`). So data at most alpha apart are at most
alpha + ulp(B) apart as floats, inside the domain or not, and a sensitivity made for that is proven
for the data that the curator has.

Where ulp(B) is no longer negligible against alpha the domain is refused, by its public bounds and
never by the data. Without a public bound nothing limits what conversion moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from privopt.arrays import Vector
from privopt.errors import InputError
from privopt.noise.owners import grouped, normal
from privopt.noise.relation_words import Change, RelationWords, words
from privopt.scalars import round_up

__all__ = ["AS_FLOATS", "Change", "Neighbours", "exact_alpha", "widened", "words"]

AS_FLOATS = (
    "neighbours are d as floating-point numbers: no public domain bounds what the conversion of "
    "decimals or large integers moves"
)
_SHARE = 24  # conversion may widen alpha by 2^-24 (6e-8) of it, which costs that much more noise


@dataclass(frozen=True)
class Neighbours(RelationWords):
    """Which data are neighbours, in one form for each relation: `of` finds it.

    Attributes
    ----------
    alpha
        Largest change: one number, or one for each private entry where they differ.
    owners
        The owner of each private entry, counted in order of appearance; None where each entry has
        its own, or with "total" all have the same. Where owners share entries: all owners of each.
    change
        "each" entry of the owner by at most its alpha, or all of them in "total".
    moved
        How much of each alpha is what the conversion to floats moves (`widened`).
    """

    alpha: float | tuple[float, ...]
    owners: tuple[int, ...] | tuple[tuple[int, ...], ...] | None = None
    change: Change = "each"
    moved: float = 0.0

    @classmethod
    def of(
        cls, alpha: float | tuple[float, ...], owners: tuple[object, ...] | None, change: Change
    ) -> Neighbours:
        """The relation in its one form: what says the same is equal, in files and ledgers too."""
        if isinstance(alpha, tuple) and len(set(alpha)) == 1:
            alpha = alpha[0]
        if owners is None:
            return cls(alpha, None, change)
        found = normal(owners)
        if isinstance(found[0], tuple):
            return cls(alpha, found, change)
        if len(set(found)) == len(found):
            return cls(alpha)
        together = len(set(found)) == 1 and change == "total"
        return cls(alpha, None if together else found, change)

    @property
    def plain(self) -> bool:
        """Whether one entry differs, by at most one alpha for all."""
        return not isinstance(self.alpha, tuple) and self.owners is None and self.change == "each"

    @property
    def largest(self) -> float:
        """The largest alpha."""
        return max(self.alpha) if isinstance(self.alpha, tuple) else self.alpha

    @property
    def least(self) -> float:
        """The smallest alpha; 0 where an entry is not protected."""
        return min(self.alpha) if isinstance(self.alpha, tuple) else self.alpha

    @property
    def grain(self) -> float:
        """The smallest alpha that is not 0: from which grids are made."""
        alpha = self.alpha if isinstance(self.alpha, tuple) else (self.alpha,)
        return min(value for value in alpha if value > 0)

    @property
    def together(self) -> int:
        """How many entries the owner of most has; 0: all there are."""
        if self.owners is not None:
            return max(map(len, self.groups(len(self.owners))))
        return 1 if self.change == "each" else 0

    def alphas(self, size: int) -> tuple[float, ...]:
        """Alpha of each private entry; ValueError if the relation is about another number."""
        alpha = self.alpha if isinstance(self.alpha, tuple) else (self.alpha,) * size
        if len(alpha) != size:
            raise ValueError
        return alpha

    def groups(self, size: int) -> list[list[int]]:
        """The entries of each owner; ValueError if the relation is about another number."""
        owners = self.owners
        if owners is None:
            owners = tuple(range(size)) if self.change == "each" else (0,) * size
        if len(owners) != size or (isinstance(self.alpha, tuple) and len(self.alpha) != size):
            raise ValueError
        return grouped(owners)

    def holds(self, apart: Vector) -> bool:
        """Whether data that are so far apart in each entry, and not the same, are neighbours."""
        alphas = np.array(self.alphas(len(apart)))
        if not apart.any() or (apart > alphas).any():
            return False
        parts = np.divide(apart, alphas, out=np.zeros(len(apart)), where=alphas > 0)
        changed = set(np.flatnonzero(apart).tolist())
        one = any(changed <= set(group) for group in self.groups(len(apart)))
        return one and (self.change == "each" or float(parts.sum()) <= 1)

    def widened(self, lower: Vector, upper: Vector) -> Neighbours:
        """The same as floats of a domain: each alpha is larger by what conversion moves."""
        if isinstance(self.alpha, tuple):
            wide = {value: widened(value, lower, upper) for value in set(self.alpha) if value}
            alpha = tuple(wide.get(value, 0.0) for value in self.alpha)
        else:
            alpha = widened(self.alpha, lower, upper)
        return replace(self, alpha=alpha, moved=_spacing(lower, upper))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: alpha, and what is not as usual."""
        alpha = list(self.alpha) if isinstance(self.alpha, tuple) else self.alpha
        owners: dict[str, Any] = {}
        if self.owners is not None:
            owners["owners"] = [list(one) if isinstance(one, tuple) else one for one in self.owners]
        return {"alpha": alpha, **owners, **({} if self.change == "each" else {"change": "total"})}


def exact_alpha(alpha: float) -> Fraction:
    """The larger of a float and of the decimal that it is written as: 0.95 is below its decimal."""
    return max(Fraction(alpha), Fraction(repr(float(alpha))))


def widened(alpha: float, lower: Vector | float, upper: Vector | float) -> float:
    """How far neighbours can be apart as floats, rounded up: alpha + ulp(B).

    The ends of the domain are public. So far from zero that floats there are coarse against alpha,
    they are refused.
    """
    spacing = _spacing(lower, upper)
    if Fraction(spacing) * 2**_SHARE > exact_alpha(alpha):
        raise InputError(
            f"the domain is more than 2^28 times as wide, or as far from zero, as alpha: numbers "
            f"there are {spacing:.3g} apart as floats, and alpha is {alpha!r}.",
            "a domain and an alpha of comparable size.",
            "measure d from a public reference value, or use a larger alpha.",
        )
    return round_up(exact_alpha(alpha) + Fraction(spacing))


def _spacing(lower: Vector | float, upper: Vector | float) -> float:
    """How far apart floats are at the far end of a domain."""
    ends = np.abs(np.concatenate([np.ravel(lower), np.ravel(upper)]).astype(float))
    return math.ulp(float(ends.max(initial=0.0)))
