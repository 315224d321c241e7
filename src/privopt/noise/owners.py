"""Owners who may share entries: whose the entries are, in one form for each relation.

    entry 0: ann      entry 1: ann, bob      entry 2: bob          groups {0, 1} and {1, 2}

What neighbours are depends on the groups of entries alone, and only on the largest ones: data that
differ within a group that lies in another differ within that one, too. So equal groups count once,
and those within others not at all. Where the groups that are left do not meet, each entry has one
owner (a number, counted in order of appearance); else each has all of its owners, as a tuple.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

__all__ = ["grouped", "normal"]


def normal(owners: Sequence[object]) -> Any:  # noqa: ANN401 -- a tuple of numbers, or of tuples
    """The owners of each entry, one or a tuple of them, in the one form of their relation."""
    if not any(isinstance(one, tuple) for one in owners):
        place = {owner: k for k, owner in enumerate(dict.fromkeys(owners))}
        return tuple(place[one] for one in owners)
    found: dict[object, list[int]] = {}
    for entry, own in enumerate(owners):
        for owner in cast("tuple[object, ...]", own if isinstance(own, tuple) else (own,)):
            found.setdefault(owner, []).append(entry)
    largest = _largest({tuple(group) for group in found.values()})
    if sum(map(len, largest)) == len(owners):
        place = {entry: k for k, group in enumerate(largest) for entry in group}
        return tuple(place[entry] for entry in range(len(owners)))
    member: list[list[int]] = [[] for _ in owners]
    for k, group in enumerate(largest):
        for entry in group:
            member[entry].append(k)
    return tuple(tuple(own) for own in member)


def grouped(owners: Sequence[int | tuple[int, ...]]) -> list[list[int]]:
    """The entries of each owner, in the order of the owners."""
    found: dict[int, list[int]] = {}
    for entry, own in enumerate(owners):
        for owner in own if isinstance(own, tuple) else (own,):
            found.setdefault(owner, []).append(entry)
    return [found[owner] for owner in sorted(found)]


def _largest(groups: set[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The groups that lie within no other, sorted by their entries."""
    kept: list[frozenset[int]] = []
    of: dict[int, list[frozenset[int]]] = {}  # the kept groups with an entry
    for group in sorted(groups, key=lambda one: (-len(one), one)):
        entries = frozenset(group)
        if not any(entries <= other for other in of.get(group[0], ())):
            kept.append(entries)
            for entry in entries:
                of.setdefault(entry, []).append(entries)
    return sorted(tuple(sorted(one)) for one in kept)
