"""The loss after completion: one plain CVXPY program a draw finds the same, on the same draws."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from tests.cases import convex, toy
from tests.reference.plain import random_program

import privopt as po
from privopt.mechanisms.completed import (
    SEED,
    SolutionCosts,
    completed_loss,
    completed_words,
    optima,
)

NOISE = po.Laplace(epsilon=1.0, alpha=0.1)
LIMITS = po.Analytic(eta=0.025)


def plain(program: po.ConvexProgram, d: Any, S: Any = None, y: Any = None) -> Any:
    """The least cost at each d (row), with S z = y if that is asked; NaN where there is none."""
    z, right = cp.Variable(program.n), cp.Parameter(program.G.shape[0])
    held = cp.Parameter(0 if S is None else S.shape[0])
    kept = [program.G @ z == right]
    kept += [program.A @ z <= program.b] if len(program.b) else []
    for bound, sign in ((program.lower, -1), (program.upper, 1)):
        at = np.flatnonzero(np.isfinite(bound))
        kept += [sign * z[at] <= sign * bound[at]] if len(at) else []
    kept += [] if S is None else [S @ z == held]
    square = cp.sum_squares(np.sqrt(program.quadratic.toarray()) @ z)  # diagonal
    problem = cp.Problem(cp.Minimize(program.linear @ z + square), kept)
    costs: list[float] = []
    for k, row in enumerate(np.atleast_2d(d)):
        right.value = row
        if S is not None:
            held.value = np.atleast_2d(y)[k]
        problem.solve(solver="CLARABEL")
        found = float(problem.value) + program.constant
        costs.append(found if problem.status == "optimal" else np.nan)
    return np.array(costs)


def test_a_plans_loss_is_that_of_plain_completions_at_d() -> None:
    one = po.experiments.instance("14_ieee", 0)
    plan = po.solve(one.program, one.query, NOISE, LIMITS)
    y = plan.centre + plan.calibration.sample(np.random.default_rng(SEED), 256)
    costs = plain(one.program, np.tile(one.program.d, (256, 1)), plan.S, y)
    best = plain(one.program, one.program.d)[0]
    assert plan.completed_loss.value == pytest.approx(np.nanmean(costs) / best - 1, rel=1e-4)
    assert plan.completed_loss.without == np.isnan(costs).sum() > 0
    words = " ".join(plan.summary().split())
    assert f"{plan.completed_loss.without} of which cannot be completed" in words
    assert "as planned" in words


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_random_programs_agree_with_plain_ones(seed: int) -> None:
    """Linear and quadratic costs, some rows tied: the sweep must not pass over any."""
    data = random_program(seed, n=7, equalities=2, rows=9, p=2)
    if seed % 2:
        data["C2"] = np.zeros((7, 7))  # a linear program: its optima are vertices
    data["C2"] = np.diag(np.diag(data["C2"]))
    program = convex(data, lower=-20.0, upper=20.0)
    S, rng = po.Linear(data["S"]).matrix(program), np.random.default_rng(seed)
    d = program.d + 0.2 * rng.normal(size=(40, 2))
    best = optima(program, d)
    y = best @ data["S"].T + rng.laplace(scale=0.4, size=(40, 2))
    found = completed_loss(program, S, d, y)
    optimal, costs = plain(program, d), plain(program, d, S, y)
    np.testing.assert_allclose(
        SolutionCosts.of(program, best).values, optimal, rtol=1e-5, atol=1e-6
    )
    assert found.without == np.isnan(costs).sum()
    excess = np.nanmean(costs - optimal) / abs(np.nanmean(optimal))
    assert found.value == pytest.approx(excess, rel=1e-4, abs=1e-6)


def test_what_cannot_be_completed_is_counted_and_said() -> None:
    program = toy(None)
    S = po.Identity(["x"]).matrix(program)
    d, y = np.full((4, 1), 6.0), np.array([[4.0], [5.0], [3.5], [-0.1]])
    found = completed_loss(program, S, d, y)
    assert (found.samples, found.without) == (2, 2)
    best, given = plain(program, 6.0)[0], plain(program, d[:2], S, y[[0, 2]])
    assert found.value == pytest.approx(given.mean() / best - 1, rel=1e-6, abs=1e-9)
    assert "4 simulated releases, 2 of which cannot be completed" in completed_words(found)
    none = completed_loss(program, S, d, y + 10)
    assert np.isnan(none.value)
    assert completed_words(none) == "unknown: none of 4 releases can be completed"


def test_completing_pays_less_than_the_affine_solution_and_no_less_than_nothing() -> None:
    """Where every release can be completed: bounded noise, and limits that always hold."""
    one = po.experiments.instance("14_ieee", 0)
    noise = po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=0.05)
    found = (plan := po.solve(one.program, one.query, noise, po.Always())).completed_loss
    assert found.without == 0
    assert found.value >= 0
    assert found.interval[1] < plan.loss  # by far more than the draws leave open
