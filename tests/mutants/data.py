"""Planted bugs of what the curator hands over, and of what a file claims."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

__all__ = ["PLANTED"]

PLANTED: tuple[Mutant, ...] = ()
