"""What a planted bug is."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Mutant"]


@dataclass(frozen=True)
class Mutant:
    """A bug, where it is planted, and the test that catches it."""

    name: str
    file: str
    old: str
    new: str
    test: str
