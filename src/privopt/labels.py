"""Labels: variables and data entries are named, and chosen by position or by name.

`summed` reads sums of named entries, W u: groups by name, or any matrix.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from privopt import arrays
from privopt.arrays import Dense
from privopt.errors import InputError
from privopt.foreign import some

_FAR = 1e100  # products of weights, data and noise stay floats


def check_names(names: Iterable[object], size: int, what: str) -> tuple[str, ...]:
    """Names as strings: as many as there are `what`, each once."""
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"the names of the {what} are a {type(names).__name__}.",
            f"a list with one name for each of the {what}.",
            "pass a list of that length, or leave the names out.",
        )
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


def summed(W: Any, own: Sequence[str], names: Any = None) -> tuple[Dense, tuple[str, ...]]:  # noqa: ANN401 -- the edge
    """W as a matrix over the private entries, named `own`, and the names of its rows.

    A dict from a name to its entries (names, or positions among the private entries), or a matrix
    with a column for each private entry; a DataFrame, or a Series for one sum, is aligned by their
    names, and the index of a DataFrame names the sums. Every sum has an entry. What is empty has no
    rows.
    """
    if not own:
        raise InputError(
            "there are no private entries.",
            "at least one: sums are sums of them.",
            "say which entries of d are private.",
        )
    given: Iterable[object]
    if isinstance(W, Mapping):
        groups = cast("Mapping[Any, Any]", W)
        matrix, given = _grouped(groups, own, names), groups
    else:
        if arrays.is_series(W):
            W = arrays.vector(W, len(own), "W", labels=own)
        matrix = arrays.matrix(W, "W", columns=own).toarray()
        if matrix.shape == (1, 0):  # an empty list
            matrix = np.zeros((0, len(own)))
        if matrix.shape[1] != len(own):
            raise InputError(
                f"W has {matrix.shape[1]} columns.",
                f"{len(own)}: one for each private entry of d.",
                "the private entries are those of program.private, in their order.",
            )
        own_names = W.index if arrays.is_frame(W) else [f"sum[{k}]" for k in range(len(matrix))]
        given = own_names if names is None else names
    labels = check_names(given, len(matrix), "sums")
    sizes = np.abs(matrix[matrix != 0])
    if ((sizes < 1 / _FAR) | (sizes > _FAR)).any():
        raise InputError(
            f"W has an entry below {1 / _FAR:g} or beyond {_FAR:g}.",
            "weights of ordinary size: no noise could hide larger ones.",
            "write the sums in other units.",
        )
    empty = np.flatnonzero(~matrix.any(axis=1))
    if len(empty):
        raise InputError(
            f"the sum {labels[int(empty[0])]!r:.40} has no entry.",
            "sums of some private entries.",
            "leave it out.",
        )
    return matrix, labels


def check_weights(names: Sequence[str], matrix: NDArray[Any]) -> None:
    """Refuse a sum whose weights, as integers over one power of two, are nothing beside others."""
    for name, row in zip(names, matrix, strict=True):
        if not any(int(v) for v in row):
            raise InputError(
                f"the weights of the sum {name!r:.40} are below 2^-48 of the largest weight.",
                "sums of comparable weights: all get the same noise.",
                "measure it by an instrument of its own, or multiply its weights.",
            )


def _grouped(groups: Mapping[Any, Any], own: Sequence[str], names: object) -> Dense:
    if names is not None:
        raise InputError("names were given with a dict.", "one of them.", "leave names out.")
    matrix = np.zeros((len(groups), len(own)))
    for k, (name, group) in enumerate(groups.items()):
        if isinstance(group, Mapping):
            raise InputError(
                f"the sum {str(name)!r:.40} is a dict.",
                "the names or positions of its entries: each counts once.",
                "pass a DataFrame with a column for each private entry for weights.",
            )
        chosen = positions(group, own, "private entries of d")
        if len(set(chosen)) != len(chosen):
            raise InputError(
                f"the sum {str(name)!r:.40} has an entry twice.",
                "each entry once.",
                "take one out, or pass a matrix with the weights you mean.",
            )
        matrix[k, chosen] = 1.0
    return matrix
