"""Completion with Tab: names of networks, and words to choose from. Nothing heavy is imported."""

from __future__ import annotations

from collections.abc import Callable

from privopt.errors import PrivoptError

__all__ = ["complete_listed_networks", "complete_networks", "one_of"]


def complete_networks(incomplete: str) -> list[str]:
    """The PGLib names that begin like this; none if they are not installed."""
    from privopt.networks.pglib import names

    try:
        return [name for name in names() if name.startswith(incomplete)]
    except PrivoptError:
        return []


def complete_listed_networks(incomplete: str) -> list[str]:
    """The same for the last name of a list with commas."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in complete_networks(last)]


def one_of(words: tuple[str, ...]) -> Callable[[str], list[str]]:
    """The words that begin like this."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete
