"""Simulated plans and policies against a direct count on the same draws."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import convex, toy
from tests.mechanisms.policies import made
from tests.reference.plain import random_program

import privopt as po
from privopt.mechanisms.simulation import verify_solutions

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)


def test_shares_equal_a_direct_count_on_the_same_draws() -> None:
    data = random_program(0, n=8, equalities=3, rows=10, p=2)
    plan = po.solve(convex(data), po.Linear(data["S"]), LAPLACE, po.Analytic(eta=0.1))
    found = plan.verify(5000, rng=7)
    xi = plan.calibration.scale * np.random.default_rng(7).laplace(size=(5000, 2))
    over = data["A"] @ plan.affine.at(xi.T) > data["b"][:, None] + 1e-6
    assert found.violation.value == pytest.approx(over.any(axis=0).mean(), abs=2e-4)
    assert found.rows.value == pytest.approx(over.mean(axis=1), abs=2e-4)
    name, worst = found.worst()
    assert worst.value == found.rows.value.max()
    assert name in plan.program.rows.names


def test_broken_equalities_count() -> None:
    op = po.output_perturbation(toy(), po.Identity(["x"]), LAPLACE)
    assert op.verify(500).violation.value == 1.0


@pytest.mark.long
def test_a_hundred_thousand_draws_of_a_hundred_variables() -> None:
    data = random_program(3, n=100, equalities=40, rows=30, p=10)
    noise = po.Laplace(epsilon=1.0, alpha=0.05)
    plan = po.solve(convex(data), po.Linear(data["S"]), noise, po.Analytic(eta=0.02))
    found = plan.verify(100_000)
    assert (found.rows.interval[0] <= 0.02).all()
    assert found.violation.samples == 100_000
    assert found.violation.summary() in found.summary()


@pytest.mark.parametrize("at", ["worst", "random"])
def test_rows_of_a_policy_equal_a_direct_count_on_the_same_draws(at: str) -> None:
    """At the corner that is worst for each row, or at the points drawn after the noise."""
    policy, _ = made("laplace", "14_ieee")
    found, rng, count = policy.verify(3000, rng=7, at=at), np.random.default_rng(7), 3000
    lower, upper = policy.domain
    half, rows = 0.5 * (upper - lower), policy.program.rows
    xi = policy.unit.scale * rng.laplace(size=(count, len(policy.names)))
    slope = np.asarray(rows.matrix @ policy.gain)
    noise = np.asarray(rows.matrix @ (policy.recourse @ xi.T))
    u = half * rng.uniform(-1.0, 1.0, (count, len(half)))
    moved = (np.abs(slope) @ half)[:, None] if at == "worst" else slope @ u.T
    excess = (np.asarray(rows.matrix @ policy.offset) - rows.bound)[:, None] + moved + noise
    over = excess > 1e-6
    assert found.rows.value == pytest.approx(over.mean(axis=1), abs=2 / count)
    assert found.rows.value.max() > 0
    if at == "random":
        assert found.violation.value == pytest.approx(over.any(axis=0).mean(), abs=2 / count)
    else:  # one corner is not the worst for every row
        assert found.rows.value.max() <= found.violation.value <= over.any(axis=0).mean()


def test_solutions_that_were_drawn_are_counted_once() -> None:
    program, S = toy(), po.Identity(["x"]).matrix(toy())
    good, over, off = [2.0, 2.0, 2.0], [5.0, 1.0, 0.0], [2.0, 2.0, 1.0]
    found = verify_solutions(program, S, np.array([good, over, good, off]))
    assert found.violation.value == 0.5
    assert found.completion.value == 0.25  # x = 2 has a completion, x = 5 has none
    assert found.worst()[1].value == 0.25


def test_verify_wants_a_place() -> None:
    policy, _ = made()
    with pytest.raises(po.errors.InputError, match="worst"):
        policy.verify(10, at="nowhere")
