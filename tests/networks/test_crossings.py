"""Crossings are counted right, and untangling takes them away where it can."""

from __future__ import annotations

import numpy as np
import pytest

from privopt.networks.crossings import crossings

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


@pytest.mark.parametrize(
    ("source", "target", "count"),
    [
        ([0, 1], [2, 3], 1),  # the diagonals
        ([0, 1, 2, 3], [1, 2, 3, 0], 0),  # the sides
        ([0, 1, 2, 3, 0, 1], [1, 2, 3, 0, 2, 3], 1),  # all of them
        ([], [], 0),
    ],
)
def test_crossings_of_a_square(source: list[int], target: list[int], count: int) -> None:
    ends = np.array(source, dtype=np.intp), np.array(target, dtype=np.intp)
    assert crossings(SQUARE, *ends) == count
