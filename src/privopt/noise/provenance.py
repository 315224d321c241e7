"""How something is known: a word that goes with every factor, every epsilon and every claim."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Provenance"]


class Provenance(StrEnum):
    """How a claim is known."""

    PROVEN = "PROVEN"
    """An argument holds for every case in the scope."""
    ASSUMED = "ASSUMED"
    """The user or the paper says so; nobody has shown it."""
    SAMPLED = "SAMPLED"
    """A search or a sample found nothing worse; that is no proof."""
