"""Plain data from a file, as strictly as it was written: ValueError for anything else."""

from __future__ import annotations

import math
import re
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, numbers

__all__ = [
    "entries_from_dict",
    "floats",
    "integer",
    "integers",
    "listed",
    "marked",
    "number",
    "texts",
]

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_DIGEST = re.compile(r"[0-9a-f]{64}")


def listed(value: object) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise ValueError  # noqa: TRY004 -- of what a file holds
    return cast("list[Any]", value)


def integer(value: object, low: int, high: int) -> int:
    """An integer from low to high."""
    if type(value) is not int or not low <= value <= high:
        raise ValueError
    return value


def integers(value: object) -> list[int]:
    """A list of integers of any size."""
    if any(type(item) is not int for item in listed(value)):
        raise ValueError
    return cast("list[int]", value)


def number(value: object) -> float:
    """A finite float."""
    if type(value) not in (int, float) or not math.isfinite(cast("float", value)):
        raise ValueError
    return float(cast("float", value))


def floats(value: object, *shape: int) -> Dense:
    """Finite floats in lists of lists of that shape."""
    found = numbers(listed(value))
    if found is None or found.shape != shape or not np.isfinite(found).all():
        raise ValueError
    return found


def texts(value: object, size: int) -> tuple[str, ...]:
    """That many strings."""
    found = listed(value)
    if len(found) != size or any(type(item) is not str for item in found):
        raise ValueError
    return tuple(found)


def marked(data: dict[str, Any], name: str) -> str | None:
    """The date (UTC) or the digest under a name of these; None if there is none."""
    value = data.get(name)
    form = _DATE if name == "date" else _DIGEST
    if value is not None and (type(value) is not str or form.fullmatch(value) is None):
        raise ValueError
    return value


def entries_from_dict(data: dict[str, Any]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Names of the entries of d, and the positions of those that are private."""
    names, private = listed(data["data_names"]), sorted(integers(data["private"]))
    unique = len(set(names)) == len(names) and len(set(private)) == len(private) > 0
    if not unique or not 0 <= private[0] <= private[-1] < len(names):
        raise ValueError
    return texts(names, len(names)), np.array(private, dtype=np.int64)
