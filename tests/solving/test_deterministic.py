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
