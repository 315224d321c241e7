"""Designs whose cost is flat: only the released values cost, or the optimum costs nothing."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from privopt.mechanisms.designing import designed, prepared
from tests.reference.design import reference_cost

import privopt as po
from privopt.mechanisms.question import Question

NOISE = po.Laplace(epsilon=0.1, alpha=0.5)
BOX = po.ExactBox(eta=0.05)


def drawn(seed: int) -> tuple[np.random.Generator, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    G = np.abs(rng.normal(size=(2, 12)))
    return rng, G, G @ rng.uniform(1, 2, 12)


@pytest.mark.parametrize("seed", [8000, 8001])
def test_a_linear_cost_and_fidelity(seed: int) -> None:
    """A constant is best: min c'z + w |S z - m|^2 over constants, m the mean answer."""
    rng, G, d = drawn(seed)
    c, weight = rng.uniform(1, 3, 12), 1.0
    program = po.ConvexProgram(linear=c, G=G, lower=0, upper=5)
    S = rng.normal(size=(2, 12)) if seed % 2 else np.kron(np.eye(2, 4), np.ones(3))
    domain = po.Box(0.99 * d, 1.01 * d)
    task = prepared(Question(program, po.Linear(S), NOISE, BOX, rng=0), domain)
    policy = designed(task, weight, 0.0)
    assert policy.calibration is None
    mean = task.answers.values.mean(axis=0)
    z, K = cp.Variable(12), cp.Variable((12, 2))
    off: Any = cp.sum_squares(S @ z - mean)
    tool: Any = cp
    worst = tool.abs(K) @ (0.01 * d)
    rows = [d == G @ z, np.eye(2) == G @ K, S @ K == 0, z + worst <= 5, z - worst >= 0]
    best = tool.Problem(tool.Minimize(c @ z + weight * off), rows).solve(solver=cp.CLARABEL)
    found = policy.cost + weight * float(np.square(S @ policy.offset - mean).sum())
    assert found == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("seed", [8000, 8001, 8002])
def test_a_cost_of_released_values_alone(seed: int) -> None:
    rng, G, d = drawn(seed)
    S = [np.eye(12)[:2], np.kron(np.eye(2, 4), np.ones(3)), rng.normal(size=(2, 12))][seed % 3]
    program = po.ConvexProgram(
        linear=rng.uniform(1, 3, 12), quadratic=S.T @ S, G=G, lower=0, upper=5
    )
    query, domain = po.Linear(S), po.Box(0.99 * d, 1.01 * d)
    policy = po.design(program, query, NOISE, BOX, domain=domain)
    half = policy.unit.law.half_width(1 - 0.95**0.5)
    known, _ = reference_cost(
        program, query.matrix(program), lower=0.99 * d, upper=1.01 * d, alpha=0.5,
        scale=policy.unit.scale, variance=2.0, half_width=half,
    )  # fmt: skip
    assert policy.cost == pytest.approx(known, rel=2e-6)
    # So small a program goes by cones; with a structure, column by column in a basis.
    shared = po.design(program, query, NOISE, BOX, domain=domain, structure=po.Shared(0))
    assert known * (1 - 2e-6) <= shared.cost <= known * 1.001


def paid() -> po.ConvexProgram:
    """Income pays for the expenses: c'z = z0 + 2 z1 + 3 z2 - 1.5 z3 = 0 wherever G z = d."""
    c = [1.0, 2.0, 3.0, -1.5]
    return po.ConvexProgram(
        linear=c, G=[[1, 1, 1, 0], c], d=[6, 0], private=[0], lower=[0, 0, 0, -20],
        upper=[4, 4, 4, 20],
    )  # fmt: skip


def spare() -> po.ConvexProgram:
    """The only costly variable is not needed."""
    return po.ConvexProgram(
        linear=[0, 0, 0, 100], G=[[1, 1, 1, 1]], d=[6], lower=0, upper=[3, 3, 3, 10]
    )


def free() -> po.ConvexProgram:
    """No variable has a cost."""
    return po.ConvexProgram(G=[[1, 1, 1]], d=[6], lower=0, upper=4)


@pytest.mark.long
@pytest.mark.parametrize("made", [paid, spare, free])
def test_the_loss_over_an_optimum_that_costs_nothing(made: Any) -> None:
    """The best policy and plan cost nothing either: a loss of nothing, not of 0 / 0."""
    program, noise = made(), po.Laplace(epsilon=1, alpha=0.1)
    policy = po.design(program, po.Identity([0]), noise, BOX, domain=po.Box(5, 7))
    assert abs(policy.loss) <= 1e-6
    plan = po.solve(program, po.Identity([0]), noise, BOX)
    assert abs(plan.loss) <= 1e-6


def test_the_loss_is_a_fraction_of_what_the_cost_is_made_of() -> None:
    """An income of 9 pays for z0 + 2 z1 = 9; what a plan costs more is a part of 9 + 9."""
    program = po.ConvexProgram(
        linear=[1, 2, -1], G=[[1, 1, 0], [0, 0, 1]], d=[6, 9], lower=0, upper=[3, 9, 9.5],
        private=[0],
    )  # fmt: skip
    plan = po.solve(program, po.Identity([0]), po.Laplace(epsilon=1, alpha=0.1), BOX)
    assert plan.optimum.cost == pytest.approx(0.0, abs=1e-6)
    assert plan.cost == pytest.approx(0.1 * np.log(20), rel=1e-6)
    assert plan.loss == pytest.approx(0.1 * np.log(20) / 18, rel=1e-6)


def test_a_bound_on_the_distance_where_the_optimum_costs_nothing() -> None:
    noise = po.Laplace(epsilon=1, alpha=0.1)
    asked = paid(), po.Identity([0]), noise, BOX
    assert po.design(*asked, domain=po.Box(5, 7), fidelity=po.Within(0.25)).distance <= 0.25
