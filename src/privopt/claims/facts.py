"""Public facts about the private data: names and a domain, and how a file of an instrument has it.

    {"lower": [...], "upper": [...], "rows": {"W": [[...]], "low": [...], "high": [...]}}

An instrument clamps to a box on its grid. What was given, and the rows low <= W u <= high beside
it, are what decisions use; no noise and no charge depends on them. An end of a row that bounds
nothing is null.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.errors import InputError
from privopt.plain import floats, listed, number

__all__ = [
    "Ends",
    "NamedEntries",
    "Possible",
    "Slabs",
    "check_entries",
    "check_possible",
    "check_width",
    "facts_from_dict",
    "facts_to_dict",
]

Ends: TypeAlias = tuple[Vector, Vector]
Slabs: TypeAlias = tuple[Dense, Vector, Vector]  # W, low, high: low <= W u <= high


class NamedEntries(Protocol):
    """What is needed of a program: names of the entries of d, and which are private."""

    data_names: tuple[str, ...]
    private: NDArray[np.int64]


class Possible(Protocol):
    """What is needed of a domain: its box, and the rows beside it."""

    def ends(self, size: int | Sequence[str]) -> Ends:
        """Lower and upper bounds of the private entries: so many, or of these names."""
        ...

    def slabs(self, names: Sequence[str]) -> Slabs:
        """W, low and high of the rows over private entries of these names."""
        ...


def check_entries(program: object) -> None:
    """Refuse what does not name the entries of d and say which are private."""
    if isinstance(program, type) or not all(hasattr(program, n) for n in ("data_names", "private")):
        raise InputError(
            f"program is {_kind(program)}.",
            "the program whose data are measured.",
            "pass program=, a ConvexProgram: it names the entries of d.",
        )


def check_possible(domain: object) -> None:
    """Refuse what is no domain."""
    if isinstance(domain, type) or not all(hasattr(domain, name) for name in ("ends", "slabs")):
        raise InputError(
            f"domain is {_kind(domain)}.",
            "the public range of the private data.",
            "pass domain=privopt.Box(lower, upper).",
        )


def _kind(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def check_width(lower: Vector, upper: Vector, alpha: float) -> None:
    """Refuse a domain, of which nothing is left on the grid of d, unless it is a point."""
    if (upper > lower).any():
        raise InputError(
            f"alpha is {alpha:g}, beside which the whole domain, {float((upper - lower).max()):g} "
            "wide, is nothing: all sums would be constants.",
            "an alpha of about the width of the domain, or less.",
            "set alpha to the width of the domain, which hides every change within it.",
        )


def facts_to_dict(domain: Ends, rows: Slabs, box: Ends) -> dict[str, Any]:
    """Plain data for JSON; nothing where the domain is the box that data are clamped to."""
    data: dict[str, Any] = {}
    if not all(np.array_equal(mine, own) for mine, own in zip(domain, box, strict=True)):
        data |= {"lower": domain[0].tolist(), "upper": domain[1].tolist()}
    if len(rows[0]):
        ends = [[v if math.isfinite(v) else None for v in end.tolist()] for end in rows[1:]]
        data["rows"] = {"W": rows[0].tolist(), "low": ends[0], "high": ends[1]}
    return data


def facts_from_dict(data: dict[str, Any], box: Ends) -> tuple[Ends, Slabs]:
    """Domain and rows that were written; ValueError if they are none."""
    q, domain = len(box[0]), box
    if "lower" in data or "upper" in data:
        domain = floats(data["lower"], q), floats(data["upper"], q)
    if "rows" not in data:
        return domain, (np.zeros((0, q)), np.zeros(0), np.zeros(0))
    given = data["rows"]
    count = len(listed(given["W"]))
    W = floats(given["W"], count, q)
    low, high = (
        np.array([far if v is None else number(v) for v in listed(given[name])])
        for name, far in (("low", -math.inf), ("high", math.inf))
    )
    if not count or len(low) != count or len(high) != count or not (low <= high).all():
        raise ValueError
    return domain, (W, low, high)
