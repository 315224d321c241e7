"""Analytic margins: exact against independent solves and simulation, tight where they should be."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import convex, single_row, summed, toy
from tests.reference.laplace import cutting_plane
from tests.reference.plain import random_program

import privopt as po

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)
GAUSSIAN = po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.03)


@pytest.mark.long
@pytest.mark.parametrize(
    ("seed", "p", "eta"), [(0, 2, 0.025), (1, 3, 0.05), (2, 3, 0.1), (3, 2, 0.01)]
)
def test_exact_laplace_equals_an_independent_cutting_plane(seed: int, p: int, eta: float) -> None:
    data = random_program(seed, n=7, equalities=3, rows=5, p=p)
    plan = po.solve(convex(data), po.Linear(data["S"]), LAPLACE, po.Analytic(eta=eta))
    cost, *_ = cutting_plane(**data, scale=plan.calibration.scale, eta=eta, tolerance=1e-8)
    assert plan.cost == pytest.approx(cost, rel=1e-6)


def test_exact_is_cheaper_than_unimodal_and_both_keep_every_row() -> None:
    data = random_program(5, n=10, equalities=3, rows=10, p=3)
    eta = 0.05
    costs = []
    for margin in ("exact", "unimodal"):
        plan = po.solve(
            convex(data), po.Linear(data["S"]), LAPLACE, po.Analytic(eta=eta, margin=margin)
        )
        assert (plan.verify(100_000).rows.interval[0] <= eta).all()
        costs.append(plan.cost)
    assert costs[0] < costs[1] - 1e-4


@pytest.mark.parametrize("noise", [LAPLACE, GAUSSIAN])
@pytest.mark.parametrize("eta", [0.01, 0.025, 0.1, 0.3])
def test_a_single_binding_row_is_violated_with_probability_exactly_eta(
    noise: po.Laplace | po.Gaussian, eta: float
) -> None:
    """The 99% interval of 10^5 draws lies round eta, and 1.5 eta or eta/1.5 lie outside it."""
    program, query, _ = single_row()
    plan = po.solve(program, query, noise, po.Analytic(eta=eta))
    low, high = plan.verify(100_000, rng=1).violation.interval
    assert low <= eta <= high
    assert high < 1.5 * eta
    assert low > eta / 1.5


@pytest.mark.parametrize("p", [2, 5, 12])
def test_a_binding_sum_of_terms_is_violated_with_probability_exactly_eta(p: int) -> None:
    program, query = summed(p)
    plan = po.solve(program, query, LAPLACE, po.Analytic(eta=0.05))
    low, high = plan.verify(100_000, rng=2).violation.interval
    assert low <= 0.05 <= high
    assert high < 0.05 * 1.5


@pytest.mark.slow
@pytest.mark.parametrize("p", [1, 3, 20])
def test_exact_laplace_margin_against_ten_million_draws(p: int) -> None:
    """Four standard errors of 10^7 draws: false alarm 6e-5 for each p (fixed seed)."""
    program, query = summed(p)
    eta = 0.025
    plan = po.solve(program, query, LAPLACE, po.Analytic(eta=eta))
    estimate = plan.verify(10_000_000, rng=3).violation
    error = np.sqrt(eta * (1 - eta) / estimate.samples)
    assert abs(estimate.value - eta) <= 4 * error


def test_joint_scope_splits_eta_over_the_rows() -> None:
    data = random_program(4, n=8, equalities=3, rows=6, p=2)
    program, query = convex(data), po.Linear(data["S"])
    m = len(program.rows)
    split = po.solve(program, query, LAPLACE, po.Analytic(eta=0.1, scope="joint"))
    each = po.solve(program, query, LAPLACE, po.Analytic(eta=0.1 / m))
    assert split.cost == pytest.approx(each.cost, rel=1e-8)
    assert split.guarantee.feasibility.scope is po.Scope.JOINT
    assert split.verify(100_000).violation.interval[0] <= 0.1


def test_joint_scope_with_a_vector_promises_its_sum() -> None:
    eta = np.full(6, 0.01)
    plan = po.solve(
        toy(), po.Identity(["x"]), LAPLACE, po.Analytic(eta=eta, scope="joint", margin="unimodal")
    )
    assert "0.94" in plan.guarantee.feasibility.statement
    assert po.Analytic(eta=eta, scope="joint").total_eta == pytest.approx(0.06)


def test_each_row_gets_its_own_eta() -> None:
    program, query = po.ConvexProgram(
        linear=[-1.0, 0.0], quadratic=[0, 0.1], A=[[1, 0], [2, 0]], b=[1.0, 9.0], G=[[1, 1]], d=[1]
    ), po.Identity([0])  # fmt: skip
    strict = po.solve(program, query, LAPLACE, po.Analytic(eta=[0.01, 0.4]))
    loose = po.solve(program, query, LAPLACE, po.Analytic(eta=[0.4, 0.01]))
    low, high = strict.verify(100_000).rows.interval
    assert low[0] <= 0.01 <= high[0]
    assert loose.cost < strict.cost


def test_truncated_noise_keeps_every_row_too() -> None:
    noise = po.TruncatedLaplace(epsilon=1.0, delta=0.05, alpha=0.1)
    for margin in ("exact", "unimodal"):
        plan = po.solve(toy(7.9), po.Identity(["x", "y"]), noise,
                        po.Analytic(eta=0.05, margin=margin))  # fmt: skip
        assert (plan.verify(100_000).rows.interval[0] <= 0.05).all()


@pytest.mark.parametrize("eta", [0.0, -0.1, 0.5, 0.7, 1.0, float("nan"), [0.1, 0.6], "many"])
def test_eta_outside_its_range_is_refused(eta: object) -> None:
    with pytest.raises(po.errors.InputError, match="eta"):
        po.Analytic(eta=eta)  # pyright: ignore[reportArgumentType]


def test_unimodal_needs_eta_up_to_a_sixth() -> None:
    with pytest.raises(po.errors.CombinationError, match="1/6"):
        po.Analytic(eta=0.2, margin="unimodal")
    assert po.Analytic(eta=1 / 6, margin="unimodal")
    # Split over six rows, 0.3 is 0.05 a row.
    plan = po.solve(toy(), po.Identity(["x"]), LAPLACE,
                    po.Analytic(eta=0.3, margin="unimodal", scope="joint"))  # fmt: skip
    assert plan.guarantee.feasibility.scope is po.Scope.JOINT


def test_eta_of_the_wrong_length_is_refused_with_the_right_one() -> None:
    with pytest.raises(po.errors.InputError, match="6 rows"):
        po.solve(toy(), po.Identity(["x"]), LAPLACE, po.Analytic(eta=[0.1, 0.1]))


@pytest.mark.parametrize("bad", [{"margin": "best"}, {"scope": "some"}])
def test_unknown_options_are_refused(bad: dict[str, str]) -> None:
    with pytest.raises(po.errors.InputError, match=next(iter(bad))):
        po.Analytic(eta=0.1, **bad)  # pyright: ignore[reportArgumentType]
