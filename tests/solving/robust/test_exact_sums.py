"""Sums in exact fractions, against fractions added one by one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.optimize as so
import scipy.sparse as sp

from privopt.solving.robust.exact_sums import dot, dyadic_numbers, transposed, worst_case
from privopt.solving.robust.region import Region


def wild(rng: np.random.Generator, *shape: int) -> Any:
    """Numbers of very different sizes, and zeros."""
    found = rng.normal(size=shape) * 10.0 ** rng.integers(-200, 200, shape)
    return np.where(rng.random(shape) < 0.2, 0.0, found)


@pytest.mark.parametrize("seed", range(5))
def test_sums_are_exact(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b, M = wild(rng, 7), wild(rng, 7), wild(rng, 7, 4)
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    assert dot(a, b) == sum((Fraction(x) * Fraction(y) for x, y in pairs), Fraction(0))
    wanted = [dot(M[:, j], a) for j in range(4)]
    found = transposed(sp.csr_array(M), a)
    assert found == wanted
    numbers, shift = dyadic_numbers(found)
    assert [Fraction(int(one), 1 << shift) for one in numbers] == wanted


def test_sums_of_nothing() -> None:
    none = np.zeros(0)
    assert dot(none, none) == 0
    assert transposed(sp.csr_array((0, 3)), none) == [0, 0, 0]
    assert dyadic_numbers([])[1] == 0


def test_entries_in_the_same_place_add_up() -> None:
    entries: Any = (np.array([1.0, 2.0, 4.0]), np.array([0, 0, 1]), np.array([0, 2, 3]))
    M = sp.csr_array(entries, shape=(2, 2))
    assert transposed(M, np.array([1.0, 0.5])) == [3, 2]


@pytest.mark.parametrize("seed", range(6))
def test_the_worst_case_is_never_below_that_of_a_linear_program(seed: int) -> None:
    rng, q, r = np.random.default_rng(seed), 5, seed % 3
    W = rng.normal(size=(r, q))
    lower, upper = -rng.uniform(0, 2, q), rng.uniform(0, 2, q)
    at = W @ rng.uniform(lower, upper)
    region = Region.of(lower, upper, W, at - 0.3, at + 0.3)
    slope = rng.normal(size=q)
    exact = [Fraction(float(one)) for one in slope]
    rows: dict[str, Any] = {}
    if r:
        rows = {"A_ub": np.vstack([W, -W]), "b_ub": np.concatenate([at + 0.3, 0.3 - at])}
    answer: Any = so.linprog(
        -slope, method="highs", bounds=list(zip(lower, upper, strict=True)), **rows
    )
    most = -answer.fun - float(slope @ region.middle)
    _, best = region.exact(slope)
    assert float(worst_case(exact, best, region)) == pytest.approx(most, abs=1e-7)
    for _ in range(20):  # any multipliers bound it
        assert float(worst_case(exact, rng.normal(size=r), region)) >= most - 1e-9
