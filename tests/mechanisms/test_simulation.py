"""Simulated plans against a direct count on the same draws."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import convex, toy
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


def test_solutions_that_were_drawn_are_counted_once() -> None:
    program, S = toy(), po.Identity(["x"]).matrix(toy())
    good, over, off = [2.0, 2.0, 2.0], [5.0, 1.0, 0.0], [2.0, 2.0, 1.0]
    found = verify_solutions(program, S, np.array([good, over, good, off]))
    assert found.violation.value == 0.5
    assert found.completion.value == 0.25  # x = 2 has a completion, x = 5 has none
    assert found.worst()[1].value == 0.25
