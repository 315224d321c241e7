"""The public bound holds |S z| for every public-feasible z, and reads nothing private."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import privopt as po
from privopt.model.magnitude import public_bound

steady = settings(deadline=None, max_examples=40, derandomize=True)


@steady
@given(seed=st.integers(0, 10_000))
def test_with_bounds_no_corner_exceeds_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, p = 4, 2
    centre, width = rng.normal(size=n), rng.exponential(size=n)
    lower, upper = centre - width, centre + width
    S = rng.normal(size=(p, n))
    program = po.ConvexProgram(G=np.ones((1, n)), lower=lower, upper=upper)
    bound = public_bound(program, sp.csr_array(S))
    corners = np.array(np.meshgrid(*zip(lower, upper, strict=True))).reshape(n, -1)
    assert bound is not None
    assert np.abs(S @ corners).max() <= bound * (1 + 1e-12)
    assert bound <= (np.abs(S) @ np.maximum(np.abs(lower), np.abs(upper))).max() * (1 + 1e-12)


def test_bounds_of_variables_that_are_not_released_do_not_matter() -> None:
    program = po.ConvexProgram(G=[[1.0, 1.0]], lower=[-3.0, -np.inf], upper=[2.0, np.inf])
    assert public_bound(program, sp.csr_array([[2.0, 0.0]])) == 6.0


@steady
@given(seed=st.integers(0, 10_000))
def test_without_bounds_it_is_the_largest_value_of_linear_programs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 3
    A = np.vstack([rng.normal(size=(4, n)), np.eye(n), -np.eye(n)])
    b = rng.uniform(0.5, 2.0, size=len(A))
    S = rng.normal(size=(2, n))
    program = po.ConvexProgram(G=np.ones((1, n)), A=A, b=b)
    solved: list[Any] = [
        linprog(-sign * s, A_ub=A, b_ub=b, bounds=(None, None)) for s in S for sign in (1, -1)
    ]
    wanted = max(-found.fun for found in solved)
    assert public_bound(program, sp.csr_array(S)) == pytest.approx(wanted, rel=1e-7)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"lower": 0.0},
        {"A": [[1.0, 1.0]], "b": [1.0]},
        {"A": [[1.0, 0.0]], "b": [1.0], "lower": [0.0, -np.inf]},
    ],
    ids=["nothing", "half bounds", "half-space", "other variable"],
)
def test_no_public_bound_is_said_to_be_none(more: dict[str, object]) -> None:
    program = po.ConvexProgram(G=[[1.0, -1.0]], **more)
    assert public_bound(program, sp.csr_array([[0.0, 1.0]])) is None


def test_it_does_not_depend_on_the_private_data() -> None:
    S = sp.csr_array([[1.0, 0.0]])
    found = {
        public_bound(
            po.ConvexProgram(G=[[1.0, 1.0]], d=d, A=[[1.0, 0.0], [-1.0, 0.0]], b=[5.0, 1.0]), S
        )
        for d in (None, [0.0], [1e9])
    }
    assert found == {5.0}


def test_public_constraints_that_contradict_each_other_give_none() -> None:
    program = po.ConvexProgram(G=[[1.0, 1.0]], A=[[1.0, 0.0], [-1.0, 0.0]], b=[0.0, -1.0])
    assert public_bound(program, sp.csr_array([[1.0, 0.0]])) is None


def test_limits_written_as_rows_need_no_linear_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(**_: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr("privopt.model.magnitude.WarmLP", none)
    A = np.array([[2.0, 0, 0], [-1, 0, 0], [0, 3, 0], [0, -1, 0], [0, 1, 0], [0, 0, 1]])
    program = po.ConvexProgram(G=np.ones((1, 3)), A=A, b=[8, 1, 9, 7, 2, 1])
    S = sp.csr_array(np.array([[1.0, 0, 0], [1, -1, 0]]))
    assert public_bound(program, S) == 11.0  # 4 + 7


@pytest.mark.long
@steady
@given(seed=st.integers(0, 10_000))
def test_rows_that_couple_count_beside_limits_written_as_rows(seed: int) -> None:
    """The largest of all linear programs, whichever of them were worth solving."""
    rng = np.random.default_rng(seed)
    n = 4
    A = rng.normal(size=(3, n)) * (rng.random((3, n)) < 0.5)
    limits = np.vstack([np.eye(n), -np.eye(n)]) * rng.uniform(0.3, 3.0, (2 * n, 1))
    A, b = np.vstack([A, limits]), rng.uniform(0.1, 2.0, 3 + 2 * n)
    S = np.vstack([np.eye(n), rng.normal(size=(2, n))])
    solved: list[Any] = [
        linprog(-sign * s, A_ub=A, b_ub=b, bounds=(None, None)) for s in S for sign in (1, -1)
    ]
    wanted = max(-one.fun for one in solved)
    program = po.ConvexProgram(G=np.ones((1, n)), A=A, b=b)
    assert public_bound(program, sp.csr_array(S)) == pytest.approx(wanted, rel=1e-7)
