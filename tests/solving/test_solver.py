"""solve_conic against closed forms and scipy; outcomes are named, never raised."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.reference.plain import solve_tightly

from privopt.errors import InputError
from privopt.solving.problem import Cone, ConicProblem, Outcome
from privopt.solving.solver import Settings, proximal, solve_conic

steady = settings(deadline=None, max_examples=25, derandomize=True)
DEFAULT = Settings()


def problem(P: Any, q: Any, A: Any, b: Any, *cones: Cone) -> ConicProblem:
    return ConicProblem(
        sp.csc_array(np.asarray(P, dtype=float)),
        np.asarray(q, dtype=float),
        sp.csc_array(np.asarray(A, dtype=float)),
        np.asarray(b, dtype=float),
        cones,
    )


@steady
@given(seed=st.integers(0, 10_000))
def test_a_mixed_program_has_cvxpys_value(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 6
    factor = rng.normal(size=(n, 2))
    P, q = factor @ factor.T, rng.normal(size=n)
    G, inside = rng.normal(size=(1, n)), rng.normal(size=n)
    A = np.vstack([G, np.eye(n), -np.eye(n), np.zeros(n), rng.normal(size=(3, n))])
    slack = np.concatenate([[0.0], np.ones(2 * n), [3.0, 1.0, -1.0, 0.5]])
    cones = (Cone.zero(1), Cone.nonnegative(2 * n), Cone.second_order(4))
    built = problem(P, q, A, A @ inside + slack, *cones)
    answer = solve_conic(built, DEFAULT)
    left = built.b - A @ answer.x
    assert answer.outcome is Outcome.OPTIMAL
    assert left[0] == pytest.approx(0.0, abs=1e-7)
    assert left[1 : 2 * n + 1].min() >= -1e-7
    assert left[-4] >= np.linalg.norm(left[-3:]) - 1e-6
    x = cp.Variable(n)
    s = built.b - A @ x
    model = cp.Problem(
        cp.Minimize(0.5 * cp.sum_squares(factor.T @ x) + q @ x),
        [s[0] == 0, s[1 : 2 * n + 1] >= 0, cp.norm(s[-3:]) <= s[-4]],
    )
    value = 0.5 * answer.x @ P @ answer.x + q @ answer.x
    assert value == pytest.approx(solve_tightly(model), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize(
    ("built", "outcome"),
    [
        (problem([[0.0]], [1.0], [[1.0], [-1.0]], [0.0, -1.0], Cone.nonnegative(2)), "INFEASIBLE"),
        (problem([[1.0]], [1.0], [[1.0], [1.0]], [0.0, 1.0], Cone.zero(2)), "INFEASIBLE"),
        (
            problem([[0.0]], [1.0], [[0.0], [-1.0], [-1.0]], [1.0, 2.0, 0.0], Cone.second_order(3)),
            "INFEASIBLE",
        ),
        (problem([[0.0]], [1.0], [[1.0]], [0.0], Cone.nonnegative(1)), "UNBOUNDED"),
        (
            problem(np.diag([1.0, 0.0]), [0.0, 1.0], [[1.0, 0.0]], [1.0], Cone.zero(1)),
            "UNBOUNDED",
        ),
    ],
    ids=["crossing rows", "two equalities", "cone", "half-line", "flat direction"],
)
def test_programs_without_an_optimum_say_why(built: ConicProblem, outcome: str) -> None:
    assert solve_conic(built, DEFAULT).outcome is Outcome[outcome]


def test_a_time_limit_that_is_reached_is_an_outcome() -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 30))
    built = problem(np.eye(30), rng.normal(size=30), A, np.ones(60), Cone.nonnegative(60))
    assert solve_conic(built, Settings(time_limit=1e-9)).outcome is Outcome.TIME
    assert solve_conic(built, Settings(time_limit=600.0)).outcome is Outcome.OPTIMAL


def test_the_same_data_give_the_same_bits() -> None:
    rng = np.random.default_rng(1)
    A = rng.normal(size=(30, 10))
    built = problem(np.eye(10), rng.normal(size=10), A, np.ones(30), Cone.nonnegative(30))
    first, second = (solve_conic(built, DEFAULT) for _ in range(2))
    assert first.x.tobytes() == second.x.tobytes()


def test_a_smaller_tolerance_is_met() -> None:
    """min x^2 + y^2 on x + y >= 1: 1/2, at 1e-11 to eleven digits."""
    built = problem(2 * np.eye(2), [0.0, 0.0], [[-1.0, -1.0]], [-1.0], Cone.nonnegative(1))
    x = solve_conic(built, Settings(tolerance=1e-11)).x
    assert x @ x == pytest.approx(0.5, abs=1e-10)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"tolerance": 0.0}, "tolerance is"),
        ({"tolerance": 1e-13}, "tolerance is"),
        ({"tolerance": 0.1}, "tolerance is"),
        ({"tolerance": float("nan")}, "tolerance is"),
        ({"time_limit": 0.0}, "time_limit is"),
        ({"time_limit": -1.0}, "time_limit is"),
        ({"time_limit": float("nan")}, "time_limit is"),
        ({"threads": -1}, "threads is"),
    ],
)
def test_settings_out_of_range_are_refused(bad: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        Settings(**bad)


def test_proximal_steps_do_not_stop_where_the_objective_is_too_small_to_see() -> None:
    """min x, 0 <= x <= 10, started so far away that the objective is negligible there."""
    line = problem([[0.0]], [1.0], [[1.0], [-1.0]], [10.0, 0.0], Cone.nonnegative(2))
    for near in (1e3, 1e6, 1e9):
        answer, sure = proximal(line, DEFAULT, np.array([near]))
        assert not sure or answer.x[0] == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("gentle", [2e-7, 1e-8])
def test_proximal_steps_do_not_take_a_gentle_slope_for_an_end(gentle: float) -> None:
    """min x1 - 2e-7 x2: each step moves x2 by forty of its ten thousand; 1e-8, by two."""
    A = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]
    slope = problem(np.zeros((2, 2)), [1.0, -gentle], A, [1.0, 0.0, 1e4, 0.0], Cone.nonnegative(4))
    answer, sure = proximal(slope, DEFAULT, np.zeros(2))
    assert not sure or answer.x[1] == pytest.approx(1e4, rel=1e-3)


def test_proximal_steps_find_the_optimum_of_linear_programs() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        A, x = rng.normal(size=(12, 5)), rng.normal(size=5)
        b = A @ x + rng.uniform(0, 1, 12)
        q = -A.T @ rng.uniform(0, 1, 12)  # bounded: -q is in the cone of the rows
        best = linprog(q, A_ub=A, b_ub=b, bounds=(None, None))
        answer, sure = proximal(
            problem(np.zeros((5, 5)), q, A, b, Cone.nonnegative(12)), DEFAULT, rng.normal(size=5)
        )
        assert sure
        assert q @ answer.x == pytest.approx(best.fun, rel=1e-6, abs=1e-6)


def test_proximal_steps_see_the_objective_beside_a_variable_far_away() -> None:
    """A linear program, and a variable fixed at 5e5: (weight/2) |x|^2 is 12500."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        A, b = rng.normal(size=(12, 5)), rng.uniform(0, 1, 12)
        q = -A.T @ rng.uniform(0, 0.01, 12)
        best = linprog(q, A_ub=A, b_ub=b, bounds=(None, None))
        both = np.block([[np.zeros((1, 5)), np.ones((1, 1))], [A, np.zeros((12, 1))]])
        P, right = np.zeros((6, 6)), np.append(5e5, b)
        far = problem(P, np.append(q, 0.0), both, right, Cone.zero(1), Cone.nonnegative(12))
        answer, sure = proximal(far, DEFAULT, np.append(np.zeros(5), 5e5))
        assert sure
        assert q @ answer.x[:5] == pytest.approx(best.fun, rel=1e-7)


def test_proximal_steps_certify_infeasibility_but_no_optimum_of_an_unbounded_program() -> None:
    nothing = problem([[0.0]], [1.0], [[1.0], [-1.0]], [-1.0, -1.0], Cone.nonnegative(2))
    answer, sure = proximal(nothing, DEFAULT, np.zeros(1))
    assert sure
    assert answer.outcome is Outcome.INFEASIBLE
    endless = problem([[0.0]], [1.0], [[1.0]], [1.0], Cone.nonnegative(1))
    _, sure = proximal(endless, DEFAULT, np.zeros(1))
    assert not sure


@steady
@given(seed=st.integers(0, 10_000))
def test_a_linear_cost_over_equalities_alone_falls_without_end(seed: int) -> None:
    """Unless the cost is a combination of the equalities."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    A = rng.integers(-2, 3, size=(int(rng.integers(1, n)), n)).astype(float)
    b, q = A @ rng.normal(size=n), rng.normal(size=n)
    for cost, outcome in ((q, Outcome.UNBOUNDED), (A.T @ rng.normal(size=len(A)), Outcome.OPTIMAL)):
        built = problem(np.zeros((n, n)), cost, A, b, Cone.zero(len(A)))
        assert solve_conic(built, DEFAULT).outcome is outcome


@steady
@given(seed=st.integers(0, 10_000))
def test_linear_programs_with_few_bounds_end_as_scipys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    G = rng.integers(-2, 3, size=(int(rng.integers(1, n)), n)).astype(float)
    few = np.eye(n)[rng.uniform(size=n) < 0.4]
    q, d = rng.normal(size=n), G @ rng.normal(size=n)
    b = rng.uniform(-1, 1, size=len(few))
    built = problem(
        np.zeros((n, n)), q, np.vstack([G, few]), np.concatenate([d, b]),
        Cone.zero(len(G)), Cone.nonnegative(len(few)),
    )  # fmt: skip
    some = linprog(0 * q, A_ub=few, b_ub=b, A_eq=G, b_eq=d, bounds=(None, None)).status == 0
    down = linprog(q, A_ub=few, b_ub=0 * b, A_eq=G, b_eq=0 * d, bounds=(-1, 1)).x
    falls = down is not None and q @ down < -1e-6
    wanted = Outcome.INFEASIBLE if not some else Outcome.UNBOUNDED if falls else Outcome.OPTIMAL
    assert solve_conic(built, DEFAULT).outcome is wanted


def test_what_has_no_point_is_infeasible_even_where_the_cost_would_fall() -> None:
    """x >= 1 and x <= 0, and y free at a price of -1."""
    A = [[-1.0, 0.0], [1.0, 0.0]]
    built = problem(np.zeros((2, 2)), [0.0, -1.0], A, [-1.0, 0.0], Cone.nonnegative(2))
    assert solve_conic(built, DEFAULT).outcome is Outcome.INFEASIBLE


def test_a_certificate_rules_out_nearby_limits_only() -> None:
    """x <= 0 and x >= 1, then x >= -1."""
    A, cones = [[1.0], [-1.0]], (Cone.nonnegative(2),)
    built, near, far = (problem([[0.0]], [0.0], A, [0.0, b], *cones) for b in (-1.0, -0.9, 1.0))
    answer = solve_conic(built, DEFAULT)
    assert answer.outcome is Outcome.INFEASIBLE
    assert answer.rules_out(built, near)
    assert not answer.rules_out(built, far)
