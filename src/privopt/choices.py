"""How a plan was asked for, beside program, query and noise: what its key in a ledger stands for.

Another objective, another chance for each row or another test decide other values under the same
noise and, in words, the same claim. A request in a ledger therefore has digests of them.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.digest import digest_of
from privopt.objective import ExpectedCost, Objective
from privopt.repeat import Repeat

__all__ = ["Choices"]


@dataclass(frozen=True, repr=False)
class Choices:
    """Objective, feasibility and repeat of a plan."""

    objective: Objective
    feasibility: Any
    repeat: Repeat | None

    @property
    def digests(self) -> dict[str, str]:
        """A digest of each."""
        return {item.name: _digest(getattr(self, item.name)) for item in dataclasses.fields(self)}

    @property
    def usual(self) -> bool:
        """Whether version 0.1.0, which kept none of them, had these: nothing chosen row by row."""
        rows = np.ndim(getattr(self.feasibility, "eta", 0.0))
        return isinstance(self.objective, ExpectedCost) and not rows


def _digest(value: Any) -> str:  # noqa: ANN401 -- a dataclass of numbers, or None
    if value is None:
        return digest_of(None)
    given = [
        (item.name, np.asarray(getattr(value, item.name)).tolist())
        for item in dataclasses.fields(value)
    ]
    return digest_of(type(value).__name__, given)
