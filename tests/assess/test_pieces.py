"""Enclosures of pieces hold the law in fractions; systems in whole numbers are solved exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.assess.programs import anything, over

from privopt.assess.pieces import ExactPieces, Piece
from privopt.errors import SolverError
from privopt.solving.integers import solved, whole_numbers
from privopt.solving.solution_map import SolutionMap


def the_map(seed: int) -> SolutionMap:
    form = over(anything(seed, private=2, free=2), -1.0, 1.0).hardened()
    return SolutionMap.of(form, np.array([-1.0, -0.3]), np.array([1.0, 0.7]))


def at(piece: Piece, i: int, v: Any) -> Fraction:
    parts = [Fraction(float(a)) * Fraction(float(b)) for a, b in zip(piece.g[i], v, strict=True)]
    return Fraction(float(piece.c[i])) + sum(parts)


@pytest.mark.parametrize("seed", range(4))
def test_enclosures_hold_the_law(seed: int) -> None:
    """Multipliers and slacks in fractions, at corners of the box, where doubt is largest."""
    found = the_map(seed)
    S = sp.csr_array(np.eye(4)[[0]])
    pieces = ExactPieces(found, S, 1)
    H, right, shifts = found.numbers
    half = [Fraction(1), Fraction(1, 2) * (Fraction(0.7) - Fraction(-0.3))]
    for rows in [(), (0,), (0, 1), (0, 1, 2, 3), (2, 3, 4, 5, 6, 7)]:
        piece = pieces.piece(frozenset(rows))
        k = list(rows)
        for v in ((1, 1), (-1, 1), (1, -1), (0, 0)):
            steps = [Fraction(1), *(h * s for h, s in zip(half, v, strict=True))]
            r = [
                sum(
                    Fraction(int(a), 1 << shift) * t
                    for a, shift, t in zip(row, shifts, steps, strict=True)
                )
                for row in right
            ]
            scale = 1 << 400
            whole = np.array([int(x * scale) for x in r], dtype=object)
            assert all(Fraction(int(w), scale) == x for w, x in zip(whole, r, strict=True))
            above, below = solved(H[np.ix_(k, k)], -whole[k])
            multipliers = [Fraction(int(x), below * scale) * 2**52 for x in above]
            for i in range(len(r)):
                if i in rows:
                    exact = multipliers[k.index(i)]
                else:
                    exact = r[i] + sum(
                        Fraction(int(H[i, j]), 2**52) * x
                        for j, x in zip(k, multipliers, strict=True)
                    )
                assert abs(exact - at(piece, i, v)) <= Fraction(float(piece.doubt[i]))
                assert (
                    piece.doubt[i] <= 1e-12 * (abs(piece.c[i]) + np.abs(piece.g[i]).sum()) + 1e-25
                )


def test_whole_numbers_are_the_floats() -> None:
    values = np.array([[0.1, -3.0], [5e-324, 1e300]])
    numbers, shift = whole_numbers(values)
    assert [[Fraction(int(x), 1 << shift) for x in row] for row in numbers] == [
        [Fraction(x) for x in row] for row in values.tolist()
    ]


@pytest.mark.parametrize("size", [0, 1, 2, 7])
def test_systems_in_whole_numbers(size: int) -> None:
    rng = np.random.default_rng(size)
    root = rng.integers(-9, 10, size=(size, size)).astype(object)
    H = root @ root.T + np.eye(size, dtype=int).astype(object)
    right = rng.integers(-99, 100, size).astype(object)
    above, below = solved(H, right)
    assert below > 0
    assert ((H @ above if size else above) == right * below).all()


def test_a_matrix_that_is_not_positive_definite_is_refused() -> None:
    found = the_map(0)
    bad = SolutionMap(**{**vars(found), "H": found.H - 1.5 * found.rho * np.eye(len(found.H))})
    with pytest.raises(SolverError, match="positive definite"):
        _ = bad.least
