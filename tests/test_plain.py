"""What a file holds is taken as it was written, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from privopt.plain import floats, integer, integers, listed, number, texts

TAKEN: list[tuple[Callable[[], Any], Any]] = [
    (lambda: listed([1, "a"]), [1, "a"]),
    (lambda: integer(3, 3, 5), 3),
    (lambda: integer(5, 3, 5), 5),
    (lambda: integers([1, -(10**40)]), [1, -(10**40)]),
    (lambda: integers([]), []),
    (lambda: number(3), 3.0),
    (lambda: number(-2.5), -2.5),
    (lambda: texts(["a", ""], 2), ("a", "")),
    (lambda: texts([], 0), ()),
]
REFUSED: list[Callable[[], Any]] = [
    lambda: listed((1, 2)),
    lambda: listed({"a": 1}),
    lambda: listed("ab"),
    lambda: listed(None),
    lambda: integer(True, 0, 5),
    lambda: integer(3.0, 0, 5),
    lambda: integer("3", 0, 5),
    lambda: integer(2, 3, 5),
    lambda: integer(6, 3, 5),
    lambda: integers([1, 2.0]),
    lambda: integers([False]),
    lambda: integers("12"),
    lambda: number(float("nan")),
    lambda: number(float("inf")),
    lambda: number(True),
    lambda: number("1"),
    lambda: number(None),
    lambda: floats([1.0, 2.0], 3),
    lambda: floats([1.0, float("nan")], 2),
    lambda: floats([[1.0], [2.0, 3.0]], 2, 1),
    lambda: floats([1.0, "2"], 2),
    lambda: floats(np.ones(2), 2),
    lambda: texts(["a"], 2),
    lambda: texts(["a", 1], 2),
    lambda: texts("ab", 2),
]


@pytest.mark.parametrize("place", range(len(TAKEN)))
def test_what_is_whole_is_taken(place: int) -> None:
    act, known = TAKEN[place]
    assert act() == known


@pytest.mark.parametrize("place", range(len(REFUSED)))
def test_anything_else_is_a_value_error(place: int) -> None:
    with pytest.raises(ValueError):
        REFUSED[place]()


def test_floats_have_their_shape() -> None:
    found = floats([[1, 2.5], [3, 4]], 2, 2)
    assert found.dtype == float
    assert found.tolist() == [[1.0, 2.5], [3.0, 4.0]]
    assert floats([], 0).shape == (0,)
