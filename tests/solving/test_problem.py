"""A conic program as data: points inside, the deepest one, gaps and certificates by definition."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

from privopt.solving.problem import Cone, ConicAnswer, ConicProblem, Outcome
from privopt.solving.solver import Settings, solve_conic


def problem(rng: np.random.Generator, *, room: float = 1.0) -> ConicProblem:
    """A point lies inside all cones by `room`; the cost is strictly convex."""
    cones = (Cone.zero(2), Cone.nonnegative(3), Cone.second_order(4))
    A, x = rng.normal(size=(9, 5)), rng.normal(size=5)
    inside = np.concatenate([cone.inside for cone in cones])
    root = rng.normal(size=(5, 5))
    P = sp.csc_array(root.T @ root + np.eye(5))
    return ConicProblem(P, rng.normal(size=5), sp.csc_array(A), A @ x + room * inside, cones)


@pytest.mark.parametrize("room", [0.5, -0.5])
def test_the_deepest_point_is_as_deep_as_cvxpy_finds(room: float) -> None:
    made = problem(np.random.default_rng(0), room=room)
    found = solve_conic(made.deepest, Settings())
    x, t = cp.Variable(5), cp.Variable()
    s = made.b - made.A.toarray() @ x
    cp.Problem(
        cp.Minimize(t),
        [s[:2] == 0, s[2:5] + t >= 0, cp.norm(s[6:]) <= s[5] + t, t >= -1],
    ).solve(solver=cp.CLARABEL)
    assert found.x[-1] == pytest.approx(float(t.value), abs=1e-6)


def test_a_gap_bounds_what_a_point_costs_above_the_least() -> None:
    """For points within the limits, beside multipliers in the dual cone."""
    made = problem(np.random.default_rng(1))
    best = solve_conic(made, Settings())
    inner = solve_conic(made.deepest, Settings()).x[:-1]
    assert best.dual is not None

    def cost(x: np.ndarray) -> float:
        return float(0.5 * x @ (made.P @ x) + made.q @ x)

    assert best.gap(made) < 1e-6
    assert ConicAnswer(Outcome.OPTIMAL, best.x).gap(made) == np.inf
    for step in (1e-4, 1e-3, 1e-2, 0.1):
        x = best.x + step * (inner - best.x)
        gap = ConicAnswer(Outcome.OPTIMAL, x, best.dual).gap(made)
        above = cost(x) - cost(best.x)
        assert 0 < above <= gap * 1.1 + 1e-8
        other = ConicAnswer(Outcome.OPTIMAL, x, 2 * best.dual).gap(made)
        assert other > gap  # worse multipliers show less


def test_a_certificate_rules_out_others_of_its_matrix() -> None:
    """x >= 1 and x <= 0: y = (1, 1) shows it, and for any limits that lie as far apart."""
    A, cones = sp.csc_array([[-1.0], [1.0]]), (Cone.nonnegative(2),)

    def limits(low: float, high: float) -> ConicProblem:
        return ConicProblem(sp.csc_array((1, 1)), np.zeros(1), A, np.array([-low, high]), cones)

    crossed = limits(1.0, 0.0)
    answer = solve_conic(crossed, Settings())
    assert answer.outcome is Outcome.INFEASIBLE
    assert answer.rules_out(crossed, crossed)
    assert answer.rules_out(crossed, limits(5.0, 2.0))
    for fine in (limits(0.0, 1.0), limits(1.0, 0.9)):
        assert not answer.rules_out(crossed, fine)
    assert not ConicAnswer(Outcome.INFEASIBLE, np.zeros(1)).rules_out(crossed, crossed)
