"""The exact map: its equations in fractions, from any guess; rounding once; a state of fields."""

from __future__ import annotations

import dataclasses
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.assess.programs import anything, over, shares

from privopt.errors import SolverError
from privopt.solving.solution_map import ExactPoint, SolutionMap

LOWER, UPPER = np.array([-1.0, -0.3]), np.array([1.0, 0.7])


def the_map(seed: int) -> SolutionMap:
    return SolutionMap.of(over(anything(seed, 2, 4, 2), -1.0, 1.0).hardened(), LOWER, UPPER)


def exact(values: Any) -> Any:
    """An array of floats, in fractions."""
    found = np.empty(values.shape, dtype=object)
    found.ravel()[:] = [Fraction(value) for value in values.ravel().tolist()]
    return found


def eliminated(H: Any, right: Any) -> tuple[Any, list[Fraction]]:
    """The solution of H x = right in fractions, and the pivots on the way to it."""
    table, pivots = np.column_stack([H, right]), list[Fraction]()
    for i in range(len(table)):
        pivots.append(table[i, i])
        table[i] = table[i] / table[i, i]
        for k in set(range(len(table))) - {i}:
            table[k] = table[k] - table[k, i] * table[i]
    return table[:, -1], pivots


def check(found: ExactPoint, made: SolutionMap, d: Any) -> None:
    """lambda >= 0, w >= 0, lambda'w = 0, and z is what they make of it: no rounding anywhere."""
    low, high = exact(made.lower), exact(made.upper)
    t = np.minimum(np.maximum(exact(d), low), high) - (low + high) / 2
    k, H = list(found.rows), exact(made.H)
    r = exact(made.q) + exact(made.Q) @ t
    dual = r * 0
    dual[k] = eliminated(H[np.ix_(k, k)], -r[k])[0]
    w = r + H @ dual
    assert min(dual) >= 0
    assert min(w) >= 0
    assert not any(w[k])
    z = exact(made.offset) + exact(made.along) @ t + exact(made.through) @ dual
    assert [Fraction(int(above), found.below) for above in found.above] == z.tolist()
    assert found.z.tolist() == [float(value) for value in z]


@pytest.mark.parametrize("seed", range(6))
def test_a_point_solves_the_equations_exactly(seed: int) -> None:
    """Inside of the box, at a corner, and as far outside of it as floats go."""
    made, rng = the_map(seed), np.random.default_rng(seed)
    for d in (*rng.uniform(-1.5, 1.5, (6, 2)), UPPER, np.array([-1.7e308, 5e-324])):
        check(made.at(d), made, d)


@pytest.mark.parametrize("guess", [[], [0], [1, 3, 5], list(range(8))])
def test_whatever_rows_are_guessed_the_point_is_the_same(
    guess: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, d = the_map(3), np.array([0.9, 0.6])
    usual = made.at(d)
    monkeypatch.setattr("privopt.solving.solution_map.binding_rows", lambda *_: guess)
    assert made.at(d).rows == usual.rows
    assert made.at(d).z.tolist() == usual.z.tolist()


def test_the_map_of_a_program_is_its_optimum() -> None:
    """x + y = d, least squares, 1 <= x <= 2: x is d/2 between the limits."""
    made = SolutionMap.of(over(shares(1), 0.0, 6.0).hardened(), np.zeros(1), np.full(1, 6.0))
    for d, x in ((-9.0, 1.0), (0.5, 1.0), (2.5, 1.25), (3.5, 1.75), (4.5, 2.0), (9.0, 2.0)):
        whole = min(max(d, 0.0), 6.0)
        assert made.at(np.array([d])).z == pytest.approx([x, whole - x], abs=1e-9)


@pytest.mark.parametrize("exponent", [-70, -3, -1, 0, 2])
def test_values_are_rounded_once_half_up(exponent: int) -> None:
    above = np.array([5, -5, 7, 10**30, -1, 0], dtype=object)
    point, S = ExactPoint((), above, 2), np.vstack([np.eye(6), [1, 1, 0.125, 0, -3, 0]])
    cell = Fraction(2) ** exponent
    exactly = exact(S) @ np.array([Fraction(int(a), 2) for a in above], dtype=object)
    wanted = [float(math.floor(v / cell + Fraction(1, 2)) * cell) for v in exactly]
    assert point.released(sp.csr_array(S), exponent).tolist() == wanted


def test_no_eigenvalue_is_below_the_least() -> None:
    made = the_map(0)
    assert 0 < made.least < Fraction(made.rho)
    shifted = exact(made.H)
    shifted[np.diag_indices_from(shifted)] -= made.least
    assert min(eliminated(shifted, exact(made.q))[1]) > 0  # Sylvester


@pytest.mark.parametrize("change", ["asymmetric", "finer than the grid"])
def test_a_matrix_that_its_whole_numbers_are_not_of_is_refused(change: str) -> None:
    made = the_map(0)
    H = made.H.copy()
    H[0, 1] += 2.0**-40
    if change != "asymmetric":
        H = made.H * (1 + 2.0**-30)
    with pytest.raises(SolverError, match="not positive definite"):
        _ = dataclasses.replace(made, H=H).least


def test_its_state_is_its_fields_however_much_it_was_used() -> None:
    made = the_map(1)
    before = pickle.dumps(made)
    found = made.at(UPPER)
    assert made.least > 0
    assert pickle.dumps(made) == before
    assert pickle.loads(before).at(UPPER).z.tolist() == found.z.tolist()  # noqa: S301
