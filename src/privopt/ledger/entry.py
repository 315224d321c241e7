"""The entry of a charge: what a release says of the ledger that counted it.

It is made of public parameters alone, and is written before d is read. Whoever has the ledger finds
the charge by its row, and sees by the digest that it is the same one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Entry"]

_KINDS = {"dataset": str, "row": int, "digest": str, "epsilon": str, "delta": str}  # in a file


@dataclass(frozen=True)
class Entry:
    """A charge that is on the disk.

    Attributes
    ----------
    dataset
        The curator's name for the data, as the ledger has it.
    row, digest
        Row of the charge, and its digest in the chain.
    epsilon, delta
        What was charged, as exact decimals.
    time
        When, as the row says (UTC); "" of an entry that was read. A release has it as its date.
    """

    dataset: str
    row: int
    digest: str
    epsilon: str
    delta: str
    time: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        return (
            f"charged to the ledger of {self.dataset!r} (row {self.row}): epsilon = "
            f"{self.epsilon}, delta = {self.delta}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {name: getattr(self, name) for name in _KINDS}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Entry:
        """The entry that `to_dict` wrote; ValueError if it is none."""
        if {name: type(value) for name, value in data.items()} != _KINDS:
            raise ValueError
        return cls(**data)
