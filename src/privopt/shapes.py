"""Names carry shapes: `x[1,2]` is the entry in row 1 and column 2 of the array x.

    x[0,0], x[1,0], x[0,1], x[1,1], t        <->        {"x": an array of 2 x 2, "t": a number}

`folded` makes arrays of named values, `flattened` named values of arrays, whatever order the names
come in. No value is looked at: what is refused is refused for its type, its keys or its shape.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from privopt.errors import InputError
from privopt.foreign import shown

__all__ = ["Shape", "flattened", "folded", "nested"]

Shape: TypeAlias = tuple[int, ...]

_ENTRY = re.compile(r"(.+)\[((?:0|[1-9]\d{0,8})(?:,(?:0|[1-9]\d{0,8}))*)\]", re.DOTALL)
_ROOM = 1000  # an array so many times as large as what is known of it is none
_LISTED = 4  # arrays that a message names


@dataclass(frozen=True, repr=False)
class _Array:
    """An array of some of the values: their positions among the names, and their places in it."""

    name: str
    shape: Shape
    positions: list[int]
    places: list[Shape]

    @property
    def words(self) -> str:
        """Its name, and the shape that is asked for."""
        return f"{shown(self.name)} of shape {self.shape}" if self.shape else shown(self.name)


def folded(names: Sequence[str], values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Values by name as arrays; NaN where an array has a place that is not among the names."""
    found: dict[str, NDArray[np.float64]] = {}
    for array in _arrays(names):
        whole = np.full(array.shape, np.nan)
        if array.shape:
            whole[tuple(np.array(array.places).T)] = values[array.positions]
        else:
            whole[()] = values[array.positions[0]]
        found[array.name] = whole
    return found


def flattened(
    value: Any,  # noqa: ANN401 -- the edge
    names: Sequence[str] | None,
    what: str,
    *,
    spread: bool = False,
) -> Any:  # noqa: ANN401
    """One value for each name, from an array of their shape; for several a dict, or a list.

    A number, a vector and whatever is no array at all come back as they are. With `spread` one
    number will do for an array of several.
    """
    if names is None or not (isinstance(value, Mapping) or nested(value)):
        return value
    arrays = _arrays(names)
    if isinstance(value, Mapping):
        given = {str(key): part for key, part in cast("Mapping[Any, Any]", value).items()}
        if set(given) != {array.name for array in arrays}:
            raise InputError(
                f"the names of {what} do not match.",
                _needed(arrays),
                "pass each of them, by its name; of a graph, program.data(...) takes nodes.",
            )
        parts = [given[array.name] for array in arrays]
    elif not any(array.shape for array in arrays):
        return value  # a table, where only single values are known
    elif len(arrays) > 1 and isinstance(value, (list, tuple)):
        parts = list(cast("Sequence[Any]", value))
        if len(parts) != len(arrays):
            raise InputError(
                f"{what} is a list of {len(parts)}.", _needed(arrays), "pass each of them."
            )
    elif len(arrays) > 1:
        raise InputError(
            f"{what} is one array of shape {_shape(value)}.",
            _needed(arrays),
            "pass a dict by name, or a list in this order.",
        )
    else:
        parts = [value]
    flat: list[Any] = [None] * len(names)
    for array, part in zip(arrays, parts, strict=True):
        shape = _shape(part)
        if shape != array.shape and not (spread and shape == ()):
            got = f"has shape {shape}" if shape is not None else f"is {type(part).__name__}"
            raise InputError(
                f"{what} {got}{f' for {shown(array.name)}' if len(arrays) > 1 else ''}.",
                _needed(arrays),
                f"pass {what} in the shape of the parameter, or as one vector in the order of "
                "program.data_names.",
            )
        for position, place in zip(array.positions, array.places, strict=True):
            flat[position] = _entry(part, place if shape else ())
    return flat


def nested(value: Any) -> bool:  # noqa: ANN401 -- the edge
    """Whether entries have entries: a matrix, or a list of lists. A data frame has labels."""
    if hasattr(value, "columns"):
        return False
    if hasattr(value, "ndim"):
        return value.ndim > 1
    return isinstance(value, (list, tuple)) and any(
        isinstance(one, (list, tuple)) or getattr(one, "ndim", 0) > 0
        for one in cast("Sequence[object]", value)
    )


def _arrays(names: Sequence[str]) -> list[_Array]:
    """The arrays that names speak of, in the order in which they come; single values by name."""
    entries: dict[str, list[tuple[int, Shape]]] = {}
    for position, name in enumerate(names):
        match = _ENTRY.fullmatch(name)
        base, place = (match[1], tuple(map(int, match[2].split(",")))) if match else (name, ())
        entries.setdefault(base, []).append((position, place))
    found: list[_Array] = []
    for base, items in entries.items():
        positions, places = [k for k, _ in items], [place for _, place in items]
        shape = _extent(places)
        if shape is None:  # no array after all
            found += [_Array(names[k], (), [k], [()]) for k in positions]
        else:
            found.append(_Array(base, shape, positions, places))
    return found


def _extent(places: list[Shape]) -> Shape | None:
    """The shape of an array that has these places; None if none, or far too large."""
    if len({len(place) for place in places}) > 1:
        return None
    shape = tuple(1 + max(along) for along in zip(*places, strict=True))
    return shape if math.prod(shape) <= _ROOM * len(places) else None


def _shape(value: Any) -> Shape | None:  # noqa: ANN401 -- the edge
    """The shape of an array or of lists in lists, by types and lengths; None if there is none."""
    if isinstance(value, np.ndarray):
        array = cast("NDArray[Any]", value)
        return None if np.ma.isMaskedArray(array) else array.shape
    if isinstance(value, Number) or getattr(value, "shape", None) == ():
        return ()
    if not isinstance(value, (list, tuple)):
        return None
    items = cast("Sequence[Any]", value)
    inner = {_shape(one) for one in items}
    if not inner:
        return (0,)
    first = inner.pop()
    return None if inner or first is None else (len(items), *first)


def _entry(part: Any, place: Shape) -> Any:  # noqa: ANN401 -- the edge
    if isinstance(part, np.ndarray):
        return part[place]
    for index in place:
        part = part[index]
    return part


def _needed(arrays: list[_Array]) -> str:
    listed = ", ".join(array.words for array in arrays[:_LISTED])
    more = f", ... ({len(arrays)} in all)" if len(arrays) > _LISTED else ""
    return f"{'an array, ' if len(arrays) == 1 else ''}{listed}{more}."
