"""What every reformulation offers: margins for the program, and the claim they earn.

A reformulation settles a `NoisyProgram`: it chooses `Margins`, has the program solved under them
(once, or several times to calibrate), and says what the result guarantees.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.claims.guarantee import Claim
from privopt.digest import Kinded
from privopt.errors import CombinationError
from privopt.noise.law import Law
from privopt.scalars import probability
from privopt.solving.margins import Margins
from privopt.solving.noisy import NoisyProgram
from privopt.solving.problem import Outcome
from privopt.solving.program import Rows
from privopt.solving.solved import Solved

MAX_DRAWS = 100_000_000  # numbers held in memory at once
BETA = {"help": "One minus the confidence of what was sampled."}


@dataclass(frozen=True, repr=False)
class Settled:
    """A solution, the margins it was made with, and what they guarantee."""

    solved: Solved
    margins: Margins
    claim: Claim


class Feasibility(Kinded, ABC):
    """A way to keep A z(xi) <= b with a stated probability. `feasibility.registry` lists them.

    A reformulation is a frozen dataclass whose fields are what can be asked of it, in Python and in
    jobs.

    Attributes
    ----------
    name
        In jobs: "exact-box".
    kind
        In the digests of ledgers and certificates: "ExactBox".
    """

    name: ClassVar[str]

    @property
    def total_eta(self) -> float | None:
        """The one eta asked for; None if rows have different ones, zero if nothing may fail."""
        return getattr(self, "eta", None)

    @property
    def largest_eta(self) -> float:
        """The largest eta in its range, for a search."""
        return 0.499

    def fitted(self, rows: Rows) -> Self:
        """The same for these rows, of what was asked for each row as it was given."""
        return self

    def row_eta(self, rows: int) -> Vector | None:
        """The chance that each row by itself may fail; None if only all together is asked."""
        return None

    @abstractmethod
    def margins(self, chance: NoisyProgram, rng: np.random.Generator) -> Margins:
        """The margins of this reformulation (of one that calibrates them, where it starts)."""

    @abstractmethod
    def claim(self, chance: NoisyProgram) -> Claim:
        """What a solution under these margins guarantees."""

    def settle(self, chance: NoisyProgram, rng: np.random.Generator) -> Settled | Outcome:
        """Solve under the margins of this reformulation: once, unless it calibrates them."""
        margins = self.margins(chance, rng)
        solved = chance.solve(margins)
        return (
            solved if isinstance(solved, Outcome) else Settled(solved, margins, self.claim(chance))
        )


def draw(law: Law, rng: np.random.Generator, shape: tuple[int, int]) -> Dense:
    """Draws of the noise at scale one, if they fit in memory."""
    if shape[0] * shape[1] > MAX_DRAWS:
        raise CombinationError(
            f"{shape[0]} draws of {shape[1]} noise dimensions are needed here.",
            f"at most {MAX_DRAWS // shape[1]} of them.",
            "use a larger eta, or ExactBox, which draws nothing; Scenario takes samples= without a "
            "certificate.",
        )
    return law.sample(rng, shape)


def check_probability(holder: object, name: str, high: float = 1.0) -> None:
    """Bring a probability of a frozen object to a float in (0, high), or refuse it."""
    object.__setattr__(holder, name, probability(getattr(holder, name), name, high=high))
