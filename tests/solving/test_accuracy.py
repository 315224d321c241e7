"""Digits of the answer, whatever the prices and units: against programs written well."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.reference.plain import plain_model

import privopt as po
from privopt.solving.problem import Cone, ConicAnswer, ConicProblem, Outcome
from privopt.solving.response import root_of
from privopt.solving.scaling import Scaling, worth
from privopt.solving.solver import Settings, solve_conic

NOISE = po.Laplace(epsilon=1.0, alpha=0.05)
RULE = po.Analytic(eta=0.025, margin="unimodal")
FACTOR = float(np.sqrt(2 / (9 * 0.025)))


def supply(seed: int, price: float) -> dict[str, Any]:
    """A demand met by five variables at prices of 1 to 3, or by a shortage at a high one."""
    rng = np.random.default_rng(seed)
    return {
        "linear": np.append(rng.uniform(1, 3, 5), price),
        "quadratic": np.append(rng.uniform(0.1, 0.3, 5), 0.0),
        "G": np.ones((1, 6)),
        "d": [rng.uniform(3, 4)],
        "lower": np.zeros(6),
        "upper": np.append(rng.uniform(1, 2, 5), 10.0),
    }


def without_shortage(given: dict[str, Any], sigma: float) -> tuple[float, float]:
    """Optimum, and plan that releases the first variable, of the five others alone."""
    eye = np.eye(5)
    common = (
        given["linear"][:5], np.diag(given["quadratic"][:5]), np.vstack([-eye, eye]),
        np.concatenate([np.zeros(5), given["upper"][:5]]), np.ones((1, 5)), np.array(given["d"]),
        eye[:1],
    )  # fmt: skip
    return (
        plain_model(*common, sigma=0.0, factors=np.zeros(10)).cost,
        plain_model(*common, sigma=sigma, factors=np.full(10, FACTOR)).cost,
    )


@pytest.mark.parametrize("price", [1e3, 1e6, 1e8])
@pytest.mark.parametrize("seed", range(4))
def test_a_price_nobody_pays_costs_no_digits(seed: int, price: float) -> None:
    given = supply(seed, price)
    plan = po.solve(po.ConvexProgram(**given), po.Identity([0]), NOISE, RULE)
    optimum, cost = without_shortage(given, plan.calibration.deviation)
    assert plan.optimum.cost == pytest.approx(optimum, rel=1e-7)
    assert plan.cost == pytest.approx(cost, rel=1e-6)


@pytest.mark.parametrize("price", [1e4, 1e8])
def test_a_price_that_must_be_paid(price: float) -> None:
    """The demand is above what all others can do: the shortage is, and carries the noise."""
    given: dict[str, Any] = supply(0, price) | {"d": [9.5]}
    plan = po.solve(po.ConvexProgram(**given), po.Identity([5]), NOISE, RULE)
    short = 9.5 - given["upper"][:5].sum()
    assert plan.optimum.z[5] == pytest.approx(short, rel=1e-7)
    # What is released moves, and one of the others moves against it: by its margin below its limit.
    margin = FACTOR * plan.calibration.deviation
    assert plan.cost == pytest.approx(price * (short + margin), rel=1e-2 if price < 1e5 else 1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_units_rows_and_costs_of_any_size(seed: int) -> None:
    """Variables, rows, equalities and cost in units from 1e-8 to 1e8: the same optimum and plan."""
    rng = np.random.default_rng(seed)
    given = supply(seed, 1e5)
    A, b = rng.normal(size=(3, 6)), np.full(3, 9.0)
    nice = po.ConvexProgram(**given, A=A, b=b)
    U, R = 10.0 ** rng.uniform(-8, 8, 6), 10.0 ** rng.uniform(-6, 6, 3)
    kappa, e = 10.0 ** rng.uniform(-8, 8, 2)
    form = po.ConvexProgram(
        linear=kappa * U * given["linear"], quadratic=kappa * U**2 * given["quadratic"],
        G=e * given["G"] * U, d=[e * given["d"][0]], lower=0, upper=given["upper"] / U,
        A=R[:, None] * A * U, b=R * b,
    )  # fmt: skip
    one = po.solve(nice, po.Identity([0]), NOISE, RULE)
    other = po.solve(form, po.Identity([0]), po.Laplace(epsilon=1, alpha=0.05 / U[0]), RULE)
    assert other.optimum.cost / kappa == pytest.approx(one.optimum.cost, rel=1e-6)
    assert other.cost / kappa == pytest.approx(one.cost, rel=1e-6)


def test_variables_that_nothing_ties_to_the_data_are_scaled_by_their_limits() -> None:
    program = po.ConvexProgram(
        linear=[1, 1e-9, -1e9], G=[[1, 0, 0]], d=[3], lower=[0, 2e9, 0], upper=[9, 5e9, 4e-9]
    )
    assert program.solve().cost == pytest.approx(3 + 2 - 4, rel=1e-7)


def test_released_values_in_any_units() -> None:
    """S in units of 1e8 or 1e-8 changes the noise's units, not the plan."""
    program = po.ConvexProgram(**supply(1, 10.0))
    costs = [
        po.solve(
            program, po.Linear(unit * np.eye(6)[:1]), po.Laplace(epsilon=1, alpha=0.05), RULE
        ).cost
        for unit in (1.0, 1e8, 1e-8)
    ]  # the sensitivity has S in it, so noise on z[0] is the same
    assert costs == pytest.approx(costs[:1] * 3, rel=1e-7)


def test_the_scaling_follows_the_cost_of_the_answer() -> None:
    given = supply(0, 1e8)
    program = po.ConvexProgram(**given)
    z, target = program.solve().z, program.right_hand_side()
    scaling = Scaling.of(program, target).refined(program, target, z)
    assert scaling is not None
    assert scaling.kappa * worth(program, z) == pytest.approx(1.0)
    assert np.abs(scaling.linear(program.linear)).max() <= 1 + 1e-9
    assert scaling.refined(program, target, z) is None


def test_a_root_has_rows_in_units_of_their_own() -> None:
    half = np.random.default_rng(2).normal(size=(5, 3))
    units = np.array([1e-7, 1.0, 1e7, 1e3, 1e-3])
    T = units[:, None] * (half @ half.T) * units
    root, inverse = root_of(T)
    assert root.shape == (5, 3)
    np.testing.assert_allclose(root @ root.T / units / units[:, None], half @ half.T, atol=1e-9)
    np.testing.assert_allclose((T @ inverse) / units[:, None], root / units[:, None], atol=1e-7)


def test_the_gap_is_what_the_cost_is_above_the_least() -> None:
    """Minimise x + y with x + 2 y >= 2, x, y >= 0: one, at (0, 1)."""
    problem = ConicProblem(
        P=np.zeros((2, 2)), q=np.ones(2), A=-np.array([[1.0, 2.0], [1, 0], [0, 1]]),
        b=np.array([-2.0, 0, 0]), cones=(Cone.nonnegative(3),),
    )  # fmt: skip
    dual = np.array([0.5, 0.5, 0.0])
    assert ConicAnswer(Outcome.OPTIMAL, np.array([0.0, 1.0]), dual).gap(problem) == pytest.approx(
        0.0
    )
    assert ConicAnswer(Outcome.OPTIMAL, np.array([0.0, 1.5]), dual).gap(problem) == pytest.approx(
        0.5
    )
    assert ConicAnswer(Outcome.OPTIMAL, np.zeros(2)).gap(problem) == np.inf


def test_the_gap_of_a_solved_program_is_small() -> None:
    rng = np.random.default_rng(0)
    problem = ConicProblem(
        P=sp.eye_array(4, format="csc"), q=rng.normal(size=4),
        A=sp.csc_array(rng.normal(size=(6, 4))), b=np.ones(6), cones=(Cone.nonnegative(6),),
    )  # fmt: skip
    assert solve_conic(problem, Settings()).gap(problem) <= 1e-7
