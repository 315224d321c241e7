"""The public domain of the private data: which values of d are possible.

`Box(lower, upper)` holds every private entry of d between two public numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.arrays import Vector
from privopt.errors import InputError

__all__ = ["Box", "checked_domain"]

_FAR = 1e100  # squares and products of bounds stay finite


@dataclass(frozen=True, eq=False)
class Box:
    """lower <= d_i <= upper for every private entry i of d.

    Parameters
    ----------
    lower, upper
        Finite numbers, or one number for each private entry.
    """

    lower: Any
    upper: Any

    def __post_init__(self) -> None:
        lower, upper = (np.asarray(end, dtype=float) for end in (self.lower, self.upper))
        with np.errstate(invalid="ignore"):
            usable = all((np.abs(end) <= _FAR).all() for end in (lower, upper))
        if not usable:
            raise InputError(
                f"a bound of the domain is not finite, or beyond {_FAR:g}.",
                "finite lower and upper bounds, whose squares are finite too.",
                "give the range in which the private data can lie.",
            )
        try:
            ordered = bool((lower <= upper).all())
        except ValueError:
            ordered = False
        if not ordered:
            raise InputError(
                "the bounds of the domain do not fit: a lower one lies above an upper one, or "
                f"their shapes {lower.shape} and {upper.shape} differ.",
                "lower <= upper, numbers or vectors of one length.",
                "check that lower and upper are not swapped.",
            )

    def ends(self, size: int) -> tuple[Vector, Vector]:
        """Lower and upper bounds of `size` private entries."""
        lower, upper = np.asarray(self.lower, dtype=float), np.asarray(self.upper, dtype=float)
        try:
            return np.broadcast_to(lower, size).copy(), np.broadcast_to(upper, size).copy()
        except ValueError:
            raise InputError(
                f"the domain has bounds of shape {lower.shape} and {upper.shape}.",
                f"one number, or {size}: one for each private entry of d.",
                "pass bounds in the order of program.private.",
            ) from None


def checked_domain(domain: object) -> Box:
    """The domain, if it is one."""
    if not isinstance(domain, Box):
        raise InputError(
            f"domain is {type(domain).__name__}.",
            "the public range of the private data.",
            "pass domain=privopt.Box(lower, upper).",
        )
    return domain
