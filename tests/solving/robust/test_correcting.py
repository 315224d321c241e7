"""The step that makes a rule exact: in fractions, an exact solution lies within it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from privopt.arrays import Dense, Vector
from privopt.solving.robust.correcting import correction
from privopt.solving.robust.region import Region


def fractions(M: Any) -> Any:
    return np.vectorize(lambda v: Fraction(float(v)), otypes=[object])(M)


def solved(H: Any, right: Any) -> Any:
    """H x = right in fractions, by elimination."""
    table, k = np.column_stack([H, right]), len(right)
    for i in range(k):
        pivot = next(j for j in range(i, k) if table[j, i] != 0)
        table[[i, pivot]] = table[[pivot, i]]
        table[i] = table[i] / table[i, i]
        for j in range(k):
            if j != i:
                table[j] = table[j] - table[j, i] * table[i]
    return table[:, -1]


def case(seed: int) -> tuple[Dense, Vector, Dense, Vector, Dense, Region, tuple[Vector, Vector]]:
    """Equalities in bad units, and a rule that keeps them up to rounding, or up to 1e-7."""
    rng = np.random.default_rng(seed)
    k, n, q = 3, 6, 2
    columns, factors = 10.0 ** rng.uniform(-5, 5, n), 10.0 ** rng.uniform(-5, 5, k)
    tame = rng.normal(size=(k, n))
    G = tame / columns / factors[:, None]
    z0 = columns * rng.normal(size=n)
    F = rng.normal(size=(k, q)) / factors[:, None]
    K = columns[:, None] * (np.linalg.pinv(tame) @ (factors[:, None] * F))
    t = G @ z0
    off = (0.0, 1e-12, 1e-7)[seed % 3]
    z0 = z0 * (1 + off * rng.normal(size=n))
    W = rng.normal(size=(1, q))
    region = Region.of(
        np.array([-1.0, 0.0]), np.array([2.0, 0.5]), W, np.array([-1.0]), np.array([1.0])
    )
    return G, t, F, z0, K, region, (factors, columns)


@pytest.mark.parametrize("seed", range(12))
def test_an_exact_solution_is_within_the_step(seed: int) -> None:
    G, t, F, z0, K, region, (factors, columns) = case(seed)
    step = correction(sp.csr_array(G), t, sp.csr_array(F), z0, K, region, (factors, columns))
    size = np.abs(z0) + np.abs(K) @ region.half
    assert (step <= (1e-5 if seed % 3 == 2 else 1e-9) * max(size / columns) * columns).all()
    R = fractions(columns[:, None] * np.linalg.pinv(factors[:, None] * G * columns) * factors)
    exact, rng = fractions(G), np.random.default_rng(seed)
    for share in (*rng.uniform(-1, 1, (6, 2)), [1, 1], [-1, 1]):
        v = fractions(region.half * share)
        z = fractions(z0) + fractions(K) @ v
        off = exact @ z - fractions(t) - fractions(F) @ v
        dz = R @ solved(exact @ R, off)
        assert (exact @ (z - dz) - fractions(t) - fractions(F) @ v == 0).all()
        assert (abs(dz) <= fractions(step)).all()


def test_equalities_that_depend_on_each_other_have_no_step() -> None:
    G, t, F, z0, K, region, (factors, columns) = case(0)
    G[2] = G[1] * (factors[1] / factors[2])
    step = correction(sp.csr_array(G), t, sp.csr_array(F), z0, K, region, (factors, columns))
    assert not np.isfinite(step).any()


def test_no_equalities_no_step() -> None:
    _, _, _, z0, K, region, (_, columns) = case(1)
    none = sp.csr_array((0, 6)), np.zeros(0), sp.csr_array((0, 2))
    assert not correction(*none, z0, K, region, (np.zeros(0), columns)).any()
