"""What files say of a release's worth.

    {"errors": [...], "spreads": [...], "worth": {"noise": [...], "most": [...], "samples": 256}}

Where the answers are not known there are errors alone; null is what is not known, or (of `most`)
infinite.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from privopt.arrays import Vector
from privopt.claims.worth import Worth
from privopt.digits import finite
from privopt.plain import floats, integer, listed, number

__all__ = ["worth_from_dict", "worth_to_dict"]

_MANY = 10**9  # draws that nobody makes


def worth_to_dict(worth: Worth) -> dict[str, Any]:
    """Plain data for JSON; floats keep their bits."""
    data: dict[str, Any] = {"errors": _written(worth.errors)}
    if np.isnan(worth.spreads).all():
        return data
    parts = {"noise": _written(worth.noise), "most": _written(worth.most)}
    return {**data, "spreads": _written(worth.spreads), "worth": parts | {"samples": worth.samples}}


def worth_from_dict(
    data: dict[str, Any], names: tuple[str, ...], epsilon: float, narrow: tuple[str, ...] = ()
) -> Worth:
    """What was written, of these values at this charge; ValueError if it is something else."""
    more = data.get("worth", {"noise": [], "most": [], "samples": 0})
    count = len(listed(more["noise"]))
    size = len(names)
    worth = Worth(
        names,
        _read(data["errors"], size, math.nan),
        _read(data["spreads"], size, math.nan) if "spreads" in data else np.full(size, math.nan),
        epsilon,
        floats(more["noise"], count),
        _read(more["most"], count, math.inf),
        integer(more["samples"], 0, _MANY),
        narrow,
    )
    numbers = (worth.errors, worth.spreads, worth.noise, worth.most - worth.noise)
    if any((part < 0).any() for part in numbers):
        raise ValueError
    return worth


def _written(values: Vector) -> list[float | None]:
    return [finite(value) for value in values.tolist()]


def _read(data: object, size: int, far: float) -> Vector:
    """That many numbers; `far` where there is none."""
    given = listed(data)
    if len(given) != size:
        raise ValueError
    return np.array([far if value is None else number(value) for value in given], dtype=float)
