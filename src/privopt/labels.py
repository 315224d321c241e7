"""Labels: variables and data entries are named, and chosen by position or by name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from privopt.errors import InputError
from privopt.foreign import some


def check_names(names: Iterable[object], size: int, what: str) -> tuple[str, ...]:
    """Names as strings: as many as there are `what`, each once."""
    labels = tuple(str(name) for name in names)
    if len(labels) != size:
        raise InputError(
            f"{len(labels)} names were given for {size} {what}.",
            f"one name for each of the {what}.",
            "pass a list of that length, or leave the names out.",
        )
    if len(set(labels)) != size:
        twice = next(name for name in labels if labels.count(name) > 1)
        raise InputError(
            f"the name {twice!r} stands for more than one of the {what}.",
            "names that are all different.",
            "rename one of them.",
        )
    return labels


def positions(which: object, names: Sequence[str], what: str) -> list[int]:
    """Positions of `which` (indices, names, a boolean mask, or one of these) among `names`."""
    size = len(names)
    items: list[Any]
    if isinstance(which, (str, int, np.integer)):
        items = [which]
    else:
        try:
            items = list(which)  # pyright: ignore[reportArgumentType, reportUnknownVariableType, reportUnknownArgumentType]
        except TypeError:
            raise InputError(
                f"{type(which).__name__} cannot choose among the {what}.",
                "positions, names or a boolean mask.",
                "pass a list such as [0, 3] or ['x', 'y'].",
            ) from None
    if items and all(isinstance(item, (bool, np.bool_)) for item in items):
        if len(items) != size:
            raise InputError(
                f"a mask of length {len(items)} was given for {size} {what}.",
                f"a mask of length {size}.",
                "pass one True or False for each, or positions or names.",
            )
        return [k for k, chosen in enumerate(items) if chosen]
    place = {name: k for k, name in enumerate(names)}
    return [_position(item, place, size, what) for item in items]


def _position(item: object, place: dict[str, int], size: int, what: str) -> int:
    if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
        index = int(item)  # pyright: ignore[reportUnknownArgumentType]
        if place.get(str(index), index) != index:
            raise InputError(
                f"{index} is a position and also the name of another of the {what}.",
                "a choice that means one thing.",
                f"write {str(index)!r} for the name, or rename the {what}.",
            )
        if -size <= index < size:
            return index % size
        raise InputError(
            f"position {index} is outside the {size} {what}.",
            f"a position from 0 to {size - 1}.",
            "count from zero, or use names.",
        )
    if str(item) in place:
        return place[str(item)]
    close = difflib.get_close_matches(str(item), place, n=1)
    raise InputError(
        f"{str(item)!r} is not a name of the {what}.",
        f"one of: {some(list(place), 6, count=True)}.",
        f"did you mean {close[0]!r}?" if close else "check the spelling, or use positions.",
    )
