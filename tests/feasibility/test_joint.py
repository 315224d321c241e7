"""Joint: calibrated just below eta, certified, and cheaper than what promises the same."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import convex, toy
from tests.reference.plain import random_program

import privopt as po
from privopt.feasibility.joint import within_reach

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)


@pytest.mark.parametrize("seed", range(4))
def test_violation_is_just_below_eta(seed: int) -> None:
    data = random_program(seed, n=10, equalities=3, rows=12, p=3)
    eta = 0.05
    plan = po.solve(
        convex(data), po.Linear(data["S"]), LAPLACE, po.Joint(eta=eta, beta=0.01), rng=seed
    )
    estimate = plan.verify(200_000, rng=seed + 100).violation
    assert estimate.interval[1] <= eta
    assert estimate.value >= 0.8 * eta


def test_it_is_cheaper_than_bonferroni_and_the_box() -> None:
    data = random_program(7, n=12, equalities=3, rows=20, p=4)
    program, query = convex(data), po.Linear(data["S"])
    noise = po.Laplace(epsilon=1.0, alpha=0.03)
    joint = po.solve(program, query, noise, po.Joint(eta=0.05, beta=0.01), rng=0)
    for other in (
        po.Analytic(eta=0.05, scope="joint", margin="unimodal"),
        po.ExactBox(eta=0.05),
        po.SampledBox(eta=0.05, beta=0.01),
    ):
        assert joint.cost < po.solve(program, query, noise, other, rng=0).cost


def test_all_rows_share_one_factor() -> None:
    plan = po.solve(toy(7.9), po.Identity(["x"]), LAPLACE, po.Joint(eta=0.1, beta=0.05), rng=0)
    assert plan.margins.deviations is not None
    assert np.ptp(plan.margins.deviations) == 0


def test_a_program_that_no_noise_can_break_needs_almost_no_factor() -> None:
    plan = po.solve(
        toy(6.0, lower=-1e3, upper=1e3), po.Identity(["x"]), LAPLACE,
        po.Joint(eta=0.1, beta=0.05), rng=0,
    )  # fmt: skip
    assert plan.loss == pytest.approx(0.0, abs=1e-2)
    assert plan.verify(10_000).violation.value == 0


def test_infeasible_is_told() -> None:
    with pytest.raises(po.errors.InfeasibleError):
        po.solve(
            toy(11.9), po.Identity(["x"]), po.Laplace(epsilon=0.1, alpha=1.0),
            po.Joint(eta=0.01, beta=0.05), rng=0,
        )  # fmt: skip


def test_a_large_eta_is_calibrated_below_the_normal_quantile() -> None:
    """At eta = 0.3 one Laplace term needs a smaller factor than the normal one, where it starts."""
    program, query = toy(7.9), po.Identity(["x"])
    plan = po.solve(program, query, LAPLACE, po.Joint(eta=0.3, beta=0.05), rng=0)
    assert plan.verify(100_000).violation.value == pytest.approx(0.3, rel=0.2)


def test_noise_of_a_ten_millionth_of_a_row_counts() -> None:
    """x + w <= 1e6 + 3, w = 1e6 and x is cheap: an excess of 1e-8 of the row is a violation.

    The noise of x is 0.1, 1e-7 of the row: no rounding, and more than `limitations.md` calls one.
    """
    program = po.ConvexProgram(
        linear=[1, 2, 0], G=[[1, 1, 0], [0, 0, 1]], d=[6, 1e6], private=[0],
        A=[[1, 0, 1]], b=[1e6 + 3], lower=[-9, -9, 0],
    )  # fmt: skip
    noise = po.Laplace(epsilon=1, alpha=0.1)
    plan = po.solve(program, po.Identity([0]), noise, po.Joint(eta=0.1, beta=0.01), rng=0)
    x = plan.expected[0] + np.random.default_rng(1).laplace(scale=0.1, size=100_000)
    assert (x > 3 + 1e-8 * (1e6 + 3)).mean() <= 0.1
    assert plan.verify(20_000).violation.interval[1] <= 0.11


def test_no_exceeded_row_is_left_out() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        spread, draws = rng.normal(size=(40, 3)), rng.laplace(size=(30, 3))
        slack = rng.uniform(0, 8, 40)
        kept = within_reach(slack, spread, draws)
        exceeded = np.flatnonzero((draws @ spread.T > slack).any(axis=0))
        assert set(exceeded.tolist()) <= set(kept.tolist())
        assert len(kept) < 40
