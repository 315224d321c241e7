"""The public domain of the private data: which values of d are possible.

    Box(lower, upper)             every private entry of d between two public numbers
    Domain(lower, upper, rows)    the same, and low <= W u <= high for the private entries u

The box is what privacy rests on: data outside are clamped to it, entry by entry. Rows are facts
that a decision may use. Data outside the rows are not moved, since a projection would move many
entries for a change of one: they keep their privacy and lose the promise of feasibility.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from privopt import arrays
from privopt.arrays import Dense, Vector
from privopt.errors import InputError
from privopt.labels import summed
from privopt.shapes import flattened, nested
from privopt.solving.robust.region import Region

__all__ = ["Box", "Domain", "checked_domain"]

_TRIPLE = 3  # W, low, high
_FAR = 1e100  # squares and products of bounds stay finite


@dataclass(frozen=True, eq=False)
class Box:
    """lower <= d_i <= upper for every private entry i of d.

    Parameters
    ----------
    lower, upper
        Finite numbers, or one number for each private entry; a Series is aligned by their names. Or
        arrays of the shapes that the names speak of, as `ConvexProgram.data` takes them; in a dict
        or a list one number will do for each.
    """

    lower: Any
    upper: Any

    def __post_init__(self) -> None:
        lower, upper = (_numbers(end) for end in (self.lower, self.upper))
        with np.errstate(invalid="ignore"):
            usable = all((np.abs(end) <= _FAR).all() for end in (lower, upper))
        if not usable:
            raise InputError(
                f"a bound of the domain is no finite number, or beyond {_FAR:g}.",
                "finite lower and upper bounds, whose squares are finite too.",
                "give the range in which the private data can lie.",
            )
        labelled = all(map(arrays.is_series, (self.lower, self.upper)))  # in orders of their own
        if not (labelled or self._shaped or _ordered(lower, upper)):
            raise InputError(
                "the bounds of the domain do not fit: a lower one lies above an upper one, or "
                f"their shapes {lower.shape} and {upper.shape} differ.",
                "lower <= upper, numbers or vectors of one length.",
                "check that lower and upper are not swapped.",
            )

    @property
    def _shaped(self) -> bool:
        """Whether names must tell which entry has which bound."""
        return any(isinstance(end, Mapping) or nested(end) for end in (self.lower, self.upper))

    def ends(self, size: int | Sequence[str]) -> tuple[Vector, Vector]:
        """Lower and upper bounds of so many private entries, or of those of these names."""
        if not isinstance(size, int):
            if self._shaped or any(map(arrays.is_series, (self.lower, self.upper))):
                return self._by_name(size)
            size = len(size)
        lower, upper = _numbers(self.lower), _numbers(self.upper)
        try:
            return np.broadcast_to(lower, size).copy(), np.broadcast_to(upper, size).copy()
        except ValueError:
            raise InputError(
                f"the domain has bounds of shape {lower.shape} and {upper.shape}.",
                f"one number, or {size}: one for each private entry of d.",
                "pass bounds in the order of program.private.",
            ) from None

    def _by_name(self, names: Sequence[str]) -> tuple[Vector, Vector]:
        """Bounds of which one is a Series, whose order means nothing, or has a shape."""
        lower, upper = (
            arrays.vector(
                flattened(end, names, what, spread=True), len(names), what, labels=names
            ).copy()
            for end, what in (
                (self.lower, "lower of the domain"), (self.upper, "upper of the domain"),
            )
        )  # fmt: skip
        if not _ordered(lower, upper):
            raise InputError(
                "a lower bound of the domain lies above the upper one of the same name.",
                "lower <= upper.",
                "check that lower and upper are not swapped.",
            )
        return lower, upper

    def slabs(self, names: Sequence[str]) -> tuple[Dense, Vector, Vector]:
        """W, low and high of the rows over private entries of these names: none of a box."""
        return np.zeros((0, len(names))), np.zeros(0), np.zeros(0)


@dataclass(frozen=True, eq=False)
class Domain(Box):
    """A box, and public linear facts: low <= W u <= high for the private entries u of d.

    Privacy never depends on the rows: data are clamped to the box only. For data outside the rows
    a decision is private and may turn out infeasible.

    Parameters
    ----------
    lower, upper
        The box, as in `Box`.
    rows
        (W, low, high). W as an `Instrument` takes it: a dict from a name to its private entries
        (names or positions), or a matrix with a column for each private entry. low and high are
        numbers, or one for each row; infinite ones bound nothing.
    """

    rows: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rows is None:
            return
        rows = cast("tuple[Any, ...]", self.rows)
        if not isinstance(self.rows, (tuple, list)) or len(rows) != _TRIPLE:
            raise InputError(
                "the rows of the domain are not three things.",
                "rows=(W, low, high): low <= W u <= high.",
                "leave rows out where nothing but the box is known.",
            )
        ends = [arrays.numbers(end) for end in rows[1:]]
        try:
            low, high = (np.full(1, np.nan) if end is None else end for end in ends)
            ordered = bool((low <= high).all() and (low < np.inf).all() and (high > -np.inf).all())
        except ValueError:
            ordered = False
        if not ordered:
            raise InputError(
                "low and high of the domain's rows do not fit: one is NaN, a low lies above its "
                "high, or their shapes differ.",
                "low <= high, numbers or one for each row of W.",
                "check that they are not swapped; an end that is not known is infinite.",
            )

    def slabs(self, names: Sequence[str]) -> tuple[Dense, Vector, Vector]:
        """W, low and high of the rows over private entries of these names."""
        if self.rows is None:
            return super().slabs(names)
        W, labels = summed(self.rows[0], names)
        low, high = (
            arrays.vector(end, len(W), f"{what} of the domain's rows", infinite=True, labels=labels)
            for end, what in zip(self.rows[1:], ("low", "high"), strict=True)
        )
        if Region.of(*self.ends(names), W, low, high).empty:
            raise InputError(
                "no data are possible: no point of the box satisfies the rows of the domain.",
                "rows that some data within lower and upper satisfy.",
                "check the units of W, low and high, and whether the bounds belong to these rows.",
            )
        return W, low, high


def _numbers(end: object) -> Vector:
    """A bound as numbers; NaN where it is none. Of several arrays, all numbers."""
    parts: Any = end
    if isinstance(end, Mapping):
        parts = list(cast("Mapping[Any, Any]", end).values())
    if parts is not end or (nested(end) and arrays.numbers(end) is None):
        return np.concatenate([np.zeros(0), *(np.ravel(_numbers(part)) for part in parts)])
    found = arrays.numbers(end)
    return np.full(1, np.nan) if found is None else found


def _ordered(lower: Vector, upper: Vector) -> bool:
    try:
        return bool((lower <= upper).all())
    except ValueError:  # shapes that do not fit each other
        return False


def checked_domain(domain: object) -> Box:
    """The domain, if it is one."""
    if not isinstance(domain, Box):
        raise InputError(
            f"domain is {type(domain).__name__}.",
            "the public range of the private data.",
            "pass domain=privopt.Box(lower, upper).",
        )
    return domain
