"""How a plan was asked for, beside program, query and noise: what its key in a ledger stands for.

Two plans with the same program, query, noise and claim can still release different values: they may
differ in their objective, in the chance that each row may fail, or in the test for which draws are
repeated. So a request in a ledger holds a digest of each.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.digest import digest_of
from privopt.mechanisms.repeat import Repeat
from privopt.model.objective import ExpectedCost, Objective

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
        """Whether objective and eta are of the kind that a request of 0.1.0 tells by itself.

        It stored neither the objective nor the eta of each row.
        """
        rows = np.ndim(getattr(self.feasibility, "eta", 0.0))
        return isinstance(self.objective, ExpectedCost) and not rows


def _digest(value: Any) -> str:  # noqa: ANN401 -- a dataclass of numbers, or None
    if value is None:
        return digest_of(None)
    given = [
        (item.name, np.asarray(getattr(value, item.name)).tolist())
        for item in dataclasses.fields(value)
    ]
    return digest_of(value.kind, given)
