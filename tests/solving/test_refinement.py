"""Tilted cones and tangents reach the optimum of the smooth norm, from any start."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import convex
from tests.reference.laplace import cutting_plane
from tests.reference.plain import random_program

import privopt as po

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.05)
# Large eta (sharp curvature), linear costs (corners), and seeds at which an earlier version cycled.
CASES = [
    # The reference takes half a minute.
    pytest.param(3, 9, 2, 4, 0.001, False, marks=pytest.mark.slow),
    (13, 8, 2, 4, 0.45, True), (101, 7, 2, 3, 0.3, False),
    (119, 9, 1, 2, 0.45, True), (132, 6, 2, 2, 0.3, True), (208, 8, 2, 3, 0.45, True),
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("seed", "n", "k", "p", "eta", "quadratic"), CASES)
def test_hard_cases_reach_the_independent_optimum(
    seed: int, n: int, k: int, p: int, eta: float, quadratic: bool
) -> None:
    data = random_program(seed, n=n, equalities=k, rows=6, p=p, quadratic=quadratic)
    plan = po.solve(convex(data), po.Linear(data["S"]), LAPLACE, po.Analytic(eta=eta))
    cost, *_ = cutting_plane(**data, scale=plan.calibration.scale, eta=eta, tolerance=1e-7)
    assert plan.cost == pytest.approx(cost, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize(
    ("seed", "n", "p", "eta", "quadratic", "alpha"),
    [(117, 6, 1, 0.45, False, 0.05), (12, 9, 3, 0.025, True, 0.02)],
)
def test_small_coefficients_of_G_do_not_spoil_the_scale(
    seed: int, n: int, p: int, eta: float, quadratic: bool, alpha: float
) -> None:
    """One equality with a small entry: its variable is not large because of that."""
    data = random_program(seed, n=n, equalities=1, p=p, quadratic=quadratic)
    noise = po.Laplace(epsilon=1.0, alpha=alpha)
    plan = po.solve(convex(data), po.Linear(data["S"]), noise, po.Analytic(eta=eta))
    cost, *_ = cutting_plane(**data, scale=plan.calibration.scale, eta=eta, tolerance=1e-7)
    assert plan.cost == pytest.approx(cost, rel=1e-6, abs=1e-7)


@pytest.mark.long
@pytest.mark.parametrize("p", [30, 119])
def test_many_noise_dimensions_with_one_large_coefficient(p: int) -> None:
    """One row adds up all noise: the sum of one large and many small terms."""
    weights = np.concatenate([[1.0], np.full(p - 1, 0.1)])
    eye = np.eye(p)
    program = po.ConvexProgram(
        linear=np.concatenate([-weights, np.zeros(p)]),
        quadratic=np.concatenate([np.full(p, 0.1), np.zeros(p)]),
        A=[np.concatenate([weights, np.zeros(p)])], b=[1.0], G=np.hstack([eye, eye]), d=np.ones(p),
    )  # fmt: skip
    plan = po.solve(program, po.Identity(range(p)), LAPLACE, po.Analytic(eta=0.025))
    low, high = plan.verify(100_000).violation.interval
    assert low <= 0.025 <= high
