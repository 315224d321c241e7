"""Boxes around all solutions up to a cost: each variable's true range, by CVXPY, is inside."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from tests.model.curved import KINDS, both, solved

import privopt as po
from privopt.solving.robust.enclosing import enclosed
from privopt.solving.robust.squares import Squares

SLACK = 1e-6


def box(program: po.ConvexProgram, low: Any, high: Any, cap: float) -> tuple[Any, Any]:
    squares = Squares.of(program.quadratic)
    t = program.equalities.bound.copy()
    size = program.G.shape[0]
    ends = np.concatenate([low, t[size:]]), np.concatenate([high, t[size:]])
    return enclosed(program, program.constant, squares, ends, cap)


@pytest.mark.parametrize("seed", range(14))
def test_every_solution_up_to_a_cost_is_inside(seed: int) -> None:
    one = both(seed, (KINDS[seed % 7],), ((2,), (), (1, 3))[seed % 3], n=4, k=2)
    d = one.program.d
    least = one.optimum(d)
    cap = least + (0.01, 0.5, 5.0)[seed % 3]
    lower, upper = box(one.program, d - 0.1, d + 0.1, cap)
    assert np.isfinite(lower).all()
    assert np.isfinite(upper).all()
    z: Any = cp.Variable((one.n, 1))
    rows = [cp.abs(one.G @ z[:, 0] - d) <= 0.1, cp.sum(one.costs(z)) <= cap, *one.kept(z)]
    for j in range(one.n):
        ends = [sign * solved(cp.Problem(cp.Minimize(sign * z[j, 0]), rows)) for sign in (1, -1)]
        assert lower[j] <= ends[0] + SLACK
        assert ends[1] - SLACK <= upper[j]


@pytest.mark.parametrize("seed", range(8))
def test_a_cost_bounds_what_rows_do_not(seed: int) -> None:
    """Free variables with squares, and others with a price and one bound."""
    rng = np.random.default_rng(seed)
    c, w = rng.normal(size=4) * 10.0 ** rng.uniform(-3, 3, 4), 10.0 ** rng.uniform(-3, 3, 4)
    c[2], c[3], w[2:] = 2.0, -3.0, 0.0
    lower, upper = np.full(4, -np.inf), np.full(4, np.inf)
    lower[2], upper[3] = -1.0, 1.0
    program = po.ConvexProgram(
        linear=c, quadratic=w, G=[[1.0, 1, 1, 1]], lower=lower, upper=upper, constant=7.0
    )
    cap = 7.0 + float(-(c[:2] ** 2 / (4 * w[:2])).sum() - 5) + 10.0 ** rng.uniform(-9, 2)
    low, high = box(program, [-1e9], [1e9], cap)
    extra = cap - 7.0 + float((c[:2] ** 2 / (4 * w[:2])).sum()) + 5  # above what is least
    middle, half = -c[:2] / (2 * w[:2]), np.sqrt(extra / w[:2])
    assert (low[:2] <= middle - half * (1 - 1e-6)).all()
    assert (high[:2] >= middle + half * (1 - 1e-6)).all()
    assert low[2] <= -1 <= -1 + extra / 2 * (1 - 1e-6) <= high[2]
    assert low[3] <= 1 - extra / 3 * (1 - 1e-6) <= 1 <= high[3]
    size = 1e-5 * (np.abs(middle) + half + extra) + np.sqrt(
        1e-9 * (1 + extra) * np.abs(cap) / w[:2]
    )
    assert (high[:2] <= middle + half + size).all()


def test_variables_that_follow_from_others_are_bounded() -> None:
    """Angles of a line of nodes: free, and bounded by what the others can be."""
    rng = np.random.default_rng(0)
    k = 6
    B = np.diag(np.full(k, 2.0)) - np.diag(np.ones(k - 1), 1) - np.diag(np.ones(k - 1), -1)
    G = np.hstack([np.eye(k), B * rng.uniform(1, 3, k)])
    program = po.ConvexProgram(
        linear=np.concatenate([np.ones(k), np.zeros(k)]), G=G,
        lower=np.concatenate([np.zeros(k), np.full(k, -np.inf)]),
        upper=np.concatenate([np.full(k, 3.0), np.full(k, np.inf)]),
    )  # fmt: skip
    low, high = box(program, np.full(k, 0.5), np.full(k, 1.0), np.inf)
    inverse = np.linalg.inv(G[:, k:])
    for _ in range(200):  # t - p is one of the corners of a box: the farthest angles are there
        t, p = rng.choice([0.5, 1.0], k), rng.choice([0.0, 3.0], k)
        angles = inverse @ (t - p)
        assert (low[k:] <= angles + 1e-9).all()
        assert (angles <= high[k:] + 1e-9).all()
    assert np.isfinite(high).all()


def test_what_nothing_bounds_stays_unbounded() -> None:
    program = po.ConvexProgram(
        linear=[1.0, 0, 0], G=[[1.0, 0, 0]], lower=[0, -np.inf, 0], upper=[1, np.inf, np.inf]
    )
    low, high = box(program, [0.2], [0.3], 5.0)
    assert low[1] == -np.inf
    assert high[1] == high[2] == np.inf
    assert low[0] == pytest.approx(0.2)
    assert high[0] == pytest.approx(0.3)


def test_the_largest_floats_leave_no_solution_out() -> None:
    """Cost 1e308 (z + z^2): least at -1/2, although twice 1e308 is no float."""
    program = po.ConvexProgram(
        linear=[1e308, 1.0], quadratic=[1e308, 0], G=[[0.0, 1.0]], lower=-2.0, upper=2.0
    )
    with np.errstate(over="ignore"):
        low, high = box(program, [-1.0], [1.0], 0.0)
    assert low[0] <= -1.0
    assert high[0] >= 0.0
    assert low[1] <= -1.0
    assert high[1] >= 1.0


def test_slabs_taken_for_equalities_keep_their_room() -> None:
    """x - y is between 1e9 and 1e9 + 1: next to nothing beside 1e9, and all that x can move."""
    program = po.ConvexProgram(
        linear=[1.0, 0], A=[[1.0, -1], [-1, 1]], b=[1e9 + 1, -1e9], G=[[0.0, 1.0]]
    )
    assert len(program.slabs[0]) == 1
    low, high = box(program, [0.0], [0.0], np.inf)
    assert low[0] <= 1e9
    assert high[0] >= 1e9 + 1
    assert high[0] - low[0] <= 1 + 1e-2
