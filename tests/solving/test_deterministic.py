"""The program without noise against scipy and CVXPY-free closed forms, in any units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.cases import convex
from tests.reference.plain import random_program

import privopt as po


@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), unit=st.sampled_from([1e-6, 1.0, 1e6]))
def test_linear_programs_equal_scipy(seed: int, unit: float) -> None:
    data = random_program(seed, quadratic=False)
    wanted = linprog(
        data["c1"], A_ub=data["A"], b_ub=data["b"], A_eq=data["G"], b_eq=data["d"],
        bounds=(None, None),
    )  # fmt: skip
    program = po.ConvexProgram(
        linear=data["c1"], A=data["A"], b=unit * data["b"], G=data["G"], d=unit * data["d"]
    )
    assert program.solve().cost / unit == pytest.approx(wanted.fun, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_equality_constrained_quadratics_equal_their_closed_form(seed: int) -> None:
    """KKT system [[2 C2, G'], [G, 0]] [z; y] = [-c1; d], far inside the limits."""
    data = random_program(seed)
    n, k = data["G"].shape[1], data["G"].shape[0]
    C2 = data["C2"] + np.eye(n)
    system = np.block([[2 * C2, data["G"].T], [data["G"], np.zeros((k, k))]])
    wanted = np.linalg.solve(system, np.concatenate([-data["c1"], data["d"]]))[:n]
    wide = {**data, "C2": C2, "b": data["b"] + 1e3}
    assert convex(wide).solve().z == pytest.approx(wanted, abs=1e-6)


def test_equalities_hold_to_rounding() -> None:
    data = random_program(3, n=20, equalities=8)
    z = convex(data).solve().z
    assert np.abs(data["G"] @ z - data["d"]).max() <= 1e-12


def test_an_optimum_at_the_apex_of_a_cone_is_believed() -> None:
    """||s|| is least where s = 0: what is left of s there is rounding, not a violated cone."""
    program = po.ConvexProgram(
        linear=[0.1, -0.2, 0, 0], quadratic=[0.5, 0.5, 0, 0], lower=[-5, -5, 0, 0], upper=5,
        A=[[-1 / 2, -1 / 6, -1, 0], [1 / 6, 1 / 2, 0, -1]], b=[1, 1], G=[[1, 1, 0, 0]], d=[1],
        costs=[po.Norm(C=np.eye(4)[2:])],
    )  # fmt: skip
    found = program.solve()
    assert found.z[:2] == pytest.approx([0.35, 0.65], abs=1e-6)
    assert found.cost == pytest.approx(0.1775, rel=1e-7)


def test_a_limit_that_is_rounding_tells_no_size() -> None:
    """Variables that no row ties to d get their size from limits: from 1, not from 1e-17."""
    program = po.ConvexProgram(
        linear=[1, -1, -1], A=[[0, 1, 1], [0, 1, -1]], b=[1, 1e-17], G=[[1, 0, 0]], d=[2],
        lower=[0, -2, -2], costs=[po.Exponential(C=np.eye(3)[1:])],
    )  # fmt: skip
    assert program.solve().cost == pytest.approx(2 + 2, rel=1e-7)  # exp(x) - x is least at 0
