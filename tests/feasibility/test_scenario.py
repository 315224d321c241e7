"""Scenario: the certified count, the cuts, and the honest word when there are too few draws."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from tests.cases import convex, toy
from tests.reference.plain import random_program

import privopt as po
from privopt.feasibility.scenario import scenario_count

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)


def tail(N: int, D: int, eta: float) -> float:
    return sum(comb(N, i) * eta**i * (1 - eta) ** (N - i) for i in range(D))


@pytest.mark.parametrize(("eta", "beta", "D"), [(0.1, 0.01, 5), (0.05, 0.1, 12), (0.3, 0.001, 1)])
def test_count_is_the_smallest_that_certifies(eta: float, beta: float, D: int) -> None:
    N = scenario_count(eta, beta, D)
    assert tail(N, D, eta) <= beta < tail(N - 1, D, eta)


def test_decisions_are_the_free_ones() -> None:
    """toy: n = 3, rank G = 1, p = 1: (3 - 1) + 1 (3 - 2) = 3."""
    plan = po.solve(toy(), po.Identity(["x"]), LAPLACE, po.Scenario(eta=0.1, beta=0.01), rng=0)
    assert "3 decisions" in plan.guarantee.feasibility.because
    assert plan.margins.draws is not None
    assert len(plan.margins.draws) == scenario_count(0.1, 0.01, 3)
    assert plan.guarantee.feasibility.provenance is po.Provenance.PROVEN


def test_every_draw_is_kept_and_the_promise_holds() -> None:
    data = random_program(2, n=7, equalities=3, rows=6, p=2)
    plan = po.solve(
        convex(data), po.Linear(data["S"]), LAPLACE, po.Scenario(eta=0.2, beta=0.01), rng=0
    )
    draws = plan.margins.draws
    assert draws is not None
    z = plan.affine.at(plan.calibration.scale * draws.T)
    assert (data["A"] @ z <= data["b"][:, None] + 1e-9).all()
    assert plan.verify(100_000).violation.interval[0] <= 0.2


def test_fewer_draws_carry_no_certificate() -> None:
    plan = po.solve(
        toy(), po.Identity(["x"]), LAPLACE, po.Scenario(eta=0.1, beta=0.01, samples=5), rng=0
    )
    claim = plan.guarantee.feasibility
    assert claim.provenance is po.Provenance.SAMPLED
    assert "no certificate" in claim.statement


def test_too_many_draws_are_refused_with_alternatives() -> None:
    p, eye = 40, np.eye(40)
    program = po.ConvexProgram(
        linear=np.ones(3 * p), G=np.hstack([eye, eye, eye]), d=np.ones(p), lower=-9, upper=9
    )
    with pytest.raises(po.errors.CombinationError, match="ExactBox"):
        po.solve(program, po.Identity(range(p)), LAPLACE, po.Scenario(eta=1e-4, beta=0.01), rng=0)
