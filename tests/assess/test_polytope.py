"""Bounds from duals hold for every dual, and are tight at the right one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from privopt.assess.polytope import ceiling


@pytest.mark.parametrize("seed", range(10))
def test_no_point_of_the_polytope_is_above(seed: int) -> None:
    rng = np.random.default_rng(seed)
    G, c, cost = rng.normal(size=(6, 3)), rng.uniform(0.1, 0.5, 6), rng.normal(size=3)
    best = linprog(-cost, A_ub=-G, b_ub=c, bounds=[(-1, 1)] * 3, method="highs")
    nothing, largest = np.zeros(6), -float(best.fun or 0.0)
    assert ceiling(cost, G, c, nothing, -best.ineqlin.marginals) == pytest.approx(largest)
    for _ in range(20):  # whatever the duals are
        assert ceiling(cost, G, c, nothing, rng.normal(size=6)) >= largest
    assert ceiling(cost, G, c, nothing, np.full(6, np.nan)) == pytest.approx(np.abs(cost).sum())


def test_doubt_is_paid_for() -> None:
    G, c, y = np.array([[-1.0]]), np.array([0.5]), np.ones(1)
    assert ceiling(np.ones(1), G, c, np.zeros(1), y) == pytest.approx(0.5)
    assert ceiling(np.ones(1), G, c, np.full(1, 0.1), y) == pytest.approx(0.6)


def test_what_is_no_number_bounds_nothing() -> None:
    G, c, y = np.array([[-1.0, 0.5]]), np.array([0.5]), np.ones(1)
    good = (np.ones(2), G, c, np.zeros(1), y)
    assert ceiling(*good) < np.inf
    for at in range(4):
        for bad in (np.nan, np.inf, -np.inf)[: 2 if at == 3 else 3]:  # doubt is not below zero
            parts = [np.array(part) for part in good]
            parts[at].flat[0] = bad
            with np.errstate(all="ignore"):
                assert ceiling(*parts) == np.inf
    with np.errstate(all="ignore"):  # finite numbers whose products are not
        assert ceiling(np.ones(2), G, np.array([-1e308]), np.zeros(1), np.full(1, 1e308)) == np.inf
