"""Whole numbers are exact: against fractions, for floats of any size."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privopt.solving.integers import solved, whole_numbers


def test_floats_are_whole_numbers_over_a_power_of_two() -> None:
    rng = np.random.default_rng(0)
    values = np.ldexp(rng.normal(size=(4, 5)), rng.integers(-200, 200, size=(4, 5)))
    values[0, 0] = 0.0
    found, shift = whole_numbers(values)
    assert found.shape == values.shape
    for whole, value in zip(found.ravel(), values.ravel(), strict=True):
        assert Fraction(int(whole), 1 << shift) == Fraction(float(value))
    assert whole_numbers(np.zeros((0, 3)))[0].shape == (0, 3)


def eliminated(H: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Gauss and Jordan, in fractions."""
    table = [[*row, b] for row, b in zip(H, right, strict=True)]
    for i in range(len(table)):
        pivot = next(k for k in range(i, len(table)) if table[k][i])
        table[i], table[pivot] = table[pivot], table[i]
        table[i] = [value / table[i][i] for value in table[i]]
        for k in range(len(table)):
            if k != i:
                times = table[k][i]
                table[k] = [a - times * b for a, b in zip(table[k], table[i], strict=True)]
    return [row[-1] for row in table]


@pytest.mark.parametrize("size", [0, 1, 2, 3, 6])
def test_systems_are_solved_exactly(size: int) -> None:
    rng = np.random.default_rng(size)
    for spread in (0, 40):
        root = np.ldexp(rng.normal(size=(size, size)), rng.integers(-spread, spread + 1, size=1)[0])
        R, _ = whole_numbers(root)
        H = np.asarray(R.T @ R if size else np.zeros((0, 0)), dtype=object)
        right = np.array([int(v) for v in rng.integers(-(10**6), 10**6, size)], dtype=object)
        above, below = solved(H, right)
        assert below > 0
        known = eliminated(
            [[Fraction(int(v)) for v in row] for row in H], [Fraction(int(v)) for v in right]
        )
        assert [Fraction(int(v), below) for v in above] == known
