"""Structures of the gain of a policy, for programs too large for a full matrix.

`Shared(rank)`: every column of K (the answer to one private entry) is made of a few answers of its
own and of `rank` directions that all columns share: diagonal plus low rank. It has a handful of
numbers a column instead of as many as the program has degrees of freedom. The policy is as private
and as feasible as any; what is lost is cost, and docs/certified.md says how much.
"""

from __future__ import annotations

from dataclasses import dataclass

from privopt.scalars import whole

__all__ = ["Shared"]


@dataclass(frozen=True)
class Shared:
    """Each private entry has answers of its own, and all of them share `rank` directions."""

    rank: int = 6

    def __post_init__(self) -> None:
        remedy = "use about 6; more is dearer to solve and cheaper to run."
        object.__setattr__(self, "rank", whole(self.rank, "rank", remedy, low=0))
