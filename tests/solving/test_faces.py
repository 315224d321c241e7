"""Programs without a point inside, on the face that holds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import privopt as po
from privopt.solving.faces import face_of, solve_faced
from privopt.solving.problem import Cone, ConicProblem, Kind, Outcome
from privopt.solving.solver import Settings

DEFAULT = Settings()


def problem(P: Any, q: Any, A: Any, b: Any, *cones: Cone) -> ConicProblem:
    return ConicProblem(
        sp.csc_array(np.asarray(P, dtype=float)),
        np.asarray(q, dtype=float),
        sp.csc_array(np.asarray(A, dtype=float)),
        np.asarray(b, dtype=float),
        cones,
    )


def equalities(found: ConicProblem | Outcome) -> int:
    assert isinstance(found, ConicProblem)
    return sum(cone.size for cone in found.cones if cone.kind is Kind.ZERO)


def test_rows_that_meet_in_a_point_are_equalities() -> None:
    """x, y >= 0, x + y <= 0; and w <= 1, which is not one."""
    A = [[-1.0, 0, 0], [0, -1.0, 0], [1.0, 1.0, 0], [0, 0, 1.0]]
    built = problem(np.zeros((3, 3)), [1, -5, -1], A, [0, 0, 0, 1], Cone.nonnegative(4))
    assert equalities(face_of(built, DEFAULT)) == 3
    answer = solve_faced(built, DEFAULT)
    assert answer.outcome is Outcome.OPTIMAL
    assert answer.x == pytest.approx([0, 0, 1], abs=1e-8)


def test_a_cone_that_is_left_a_ray() -> None:
    """|(x, y)| <= t <= x: y = 0 and t = x >= 0. Nearest to (x, y) = (2, 1): (2, 0)."""
    A = [[0, 0, -1.0], [-1.0, 0, 0], [0, -1.0, 0], [-1.0, 0, 1.0]]
    cones = Cone.second_order(3), Cone.nonnegative(1)
    built = problem(np.diag([1.0, 1.0, 0.0]), [-2, -1, 0], A, [0, 0, 0, 0], *cones)
    answer = solve_faced(built, DEFAULT)
    assert answer.outcome is Outcome.OPTIMAL
    assert answer.x == pytest.approx([2, 0, 2], abs=1e-7)


def test_a_program_with_a_point_inside_is_left_as_it_is() -> None:
    built = problem([[1.0]], [1.0], [[1.0], [-1.0]], [1.0, 1.0], Cone.nonnegative(2))
    assert face_of(built, DEFAULT) is built


def test_a_program_without_any_point_is_infeasible() -> None:
    built = problem([[1.0]], [1.0], [[1.0], [-1.0]], [1.0, -1.001], Cone.nonnegative(2))
    assert face_of(built, DEFAULT) is Outcome.INFEASIBLE
    assert solve_faced(built, DEFAULT).outcome is Outcome.INFEASIBLE


@settings(deadline=None, max_examples=30, derandomize=True)
@given(seed=st.integers(0, 10_000))
def test_thin_linear_programs_have_scipys_value(seed: int) -> None:
    """Rows whose sum, with positive weights, is an equality that holds: none has room."""
    rng = np.random.default_rng(seed)
    inside = rng.normal(size=5)
    tied = rng.normal(size=(2, 5))
    tied = np.vstack([tied, -rng.uniform(0.5, 2, size=2) @ tied])
    rows = np.vstack([tied, np.eye(5), -np.eye(5)])
    room = np.concatenate([np.zeros(3), rng.uniform(0.1, 1, size=10)])
    b, q = rows @ inside + room, rng.normal(size=5)
    built = problem(np.zeros((5, 5)), q, rows, b, Cone.nonnegative(13))
    assert equalities(face_of(built, DEFAULT)) == 3
    answer = solve_faced(built, DEFAULT)
    wanted = linprog(q, A_ub=rows, b_ub=b, bounds=(None, None)).fun
    assert answer.outcome is Outcome.OPTIMAL
    assert q @ answer.x == pytest.approx(wanted, rel=1e-7, abs=1e-7)
    assert (rows @ answer.x - b).max() <= 1e-8


@pytest.mark.parametrize("quadratic", [None, [0.1, 0.1, 0.1]], ids=["linear", "quadratic"])
@pytest.mark.parametrize("lower", [0.0, -5.0])
@pytest.mark.parametrize(
    "kind",
    [po.Analytic(eta=0.05), po.Analytic(eta=0.05, margin="unimodal"), po.ExactBox(eta=0.05)],
    ids=["exact", "unimodal", "box"],
)
def test_a_row_that_the_equalities_hold_at_its_limit_changes_nothing(
    kind: Any, lower: float, quadratic: Any
) -> None:
    shared: dict[str, Any] = {
        "linear": [1, 2, 3], "quadratic": quadratic, "G": [[1, 1, 1]], "d": [3.0],
        "lower": lower, "upper": [2, np.inf, 2],
    }  # fmt: skip
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    tied = po.ConvexProgram(**shared, A=[[1, 1, 1]], b=[3.0])
    plan = po.solve(tied, po.Identity([0]), noise, kind)
    free = po.solve(po.ConvexProgram(**shared), po.Identity([0]), noise, kind)
    assert plan.cost == pytest.approx(free.cost, rel=1e-6)
    assert tied.solve().cost == pytest.approx(po.ConvexProgram(**shared).solve().cost, rel=1e-7)
