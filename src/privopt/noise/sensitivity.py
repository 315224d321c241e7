"""How far one person's data can move the solution: the factor in Delta = factor alpha ||S||.

The paper claims factor one (its Proposition 1). That is false on its own networks: factors up to
eight were measured. So a factor carries its provenance, and so does every epsilon made from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privopt.arrays import Sparse
from privopt.guarantee import Provenance
from privopt.scalars import real

__all__ = ["Assumed", "largest_column_norm", "round_up"]


@dataclass(frozen=True)
class Assumed:
    """||z~(d) - z~(d')||_1 <= factor * alpha for all neighbours, because the user says so."""

    factor: float = 1.0

    def __post_init__(self) -> None:
        remedy = "use Assumed(1.0) for the paper's claim, or a larger factor you can defend."
        factor = real(
            self.factor, "the sensitivity factor", "a positive number.", remedy, low=1e-9, high=1e9
        )
        object.__setattr__(self, "factor", factor)

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


def round_up(value: Fraction) -> float:
    """Smallest float that is not below an exact number."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else float(np.nextafter(nearest, np.inf))
