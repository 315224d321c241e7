"""What every reformulation offers: margins for the program, and the claim they earn.

A reformulation settles a `ChanceProgram`: it chooses `Margins`, has the program solved under them
(once, or several times to calibrate), and says what the result guarantees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from privopt.conic.chance import ChanceProgram, Solved
from privopt.conic.margins import Margins
from privopt.conic.problem import Outcome
from privopt.errors import InputError
from privopt.guarantee import Claim


@dataclass(frozen=True)
class Settled:
    """A solution, the margins it was made with, and what they guarantee."""

    solved: Solved
    margins: Margins
    claim: Claim


class Feasibility(Protocol):
    """A way to keep A z(xi) <= b with a stated probability."""

    @property
    def joint_eta(self) -> float | None:
        """Bound on the probability that any row is violated; None if only single rows are bound."""
        ...

    def with_eta(self, eta: float) -> Self | None:
        """The same with another eta; None if there is no eta to change."""
        ...

    def settle(self, chance: ChanceProgram, rng: np.random.Generator) -> Settled | Outcome:
        """Solve under the margins of this reformulation."""
        ...


def finish(chance: ChanceProgram, margins: Margins, claim: Claim) -> Settled | Outcome:
    """Solve once under given margins."""
    solved = chance.solve(margins)
    return solved if isinstance(solved, Outcome) else Settled(solved, margins, claim)


def check_probability(value: float, name: str, upper: float = 1.0) -> None:
    """Refuse a probability outside (0, upper)."""
    if not (np.isfinite(value) and 0 < value < upper):
        raise InputError(
            f"{name} is {value}.",
            f"a number between 0 and {upper:g}.",
            "use a small number such as 0.025." if name == "eta" else "use about 0.01.",
        )
