"""The program of a horizon against plain CVXPY."""

from __future__ import annotations

import warnings
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from tests.solving.robust import timed_cases

from privopt.solving.problem import Outcome
from privopt.solving.robust.timed_program import Nearest, TimedChoice, TimedProgram


def plain(one: TimedProgram, margin: np.ndarray) -> tuple[float, np.ndarray]:
    """Value and released values of the two-stage program with its certificate."""
    n, count = one.G.shape[1], len(one.targets)
    z: list[Any] = [cp.Variable(n) for _ in range(count + 1)]
    constraints: list[Any] = [one.A @ z[0] + margin <= one.limits, one.G @ z[0] == one.middle]
    cost: Any = cp.sum(cp.multiply(one.fidelity, cp.square(one.S @ z[0] - one.answer)))
    for own, target in zip(z[1:], one.targets, strict=True):
        constraints += [one.A @ own <= one.limits, one.G @ own == target, one.S @ (own - z[0]) == 0]
        C2 = one.quadratic.toarray()
        cost = cost + (one.linear @ own + cp.quad_form(own, cp.psd_wrap(C2))) / count
    problem = cp.Problem(cp.Minimize(cost), constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem.solve(solver=cp.CLARABEL)
    return float(problem.value), np.asarray(one.S @ z[0].value)


@pytest.mark.parametrize("fidelity", [0.0, 0.3])
@pytest.mark.parametrize("which", ["network", "inventory"])
def test_the_values_are_those_of_cvxpy(which: str, fidelity: float) -> None:
    horizon = getattr(timed_cases, which)()
    one = horizon.choice
    one.fidelity, one.answer = np.full(len(horizon.S), fidelity), np.full(len(horizon.S), 0.3)
    margin = 0.02 * one.widths
    found = one.solve(margin)
    assert isinstance(found, TimedChoice)
    value, q = plain(one, margin)
    constant = float(one.fidelity @ one.answer**2)
    assert found.value + constant == pytest.approx(value, rel=1e-6)
    assert (np.asarray(one.A @ found.z) + margin <= one.limits + 1e-7).all()
    np.testing.assert_allclose(one.S @ found.z, found.q, atol=1e-12)
    if fidelity:  # strictly convex in q
        np.testing.assert_allclose(found.q, q, atol=1e-4)


def test_prices_say_what_less_margin_saves() -> None:
    one = timed_cases.inventory().choice
    margin = 0.3 * one.widths
    found = one.solve(margin)
    assert isinstance(found, TimedChoice)
    i = int(np.argmax(found.price))
    assert found.price[i] > 1e-3
    less = margin.copy()
    less[i] -= 1e-4
    other = one.solve(less)
    assert isinstance(other, TimedChoice)
    assert (found.value - other.value) / 1e-4 == pytest.approx(found.price[i], rel=0.05)


def test_where_there_is_no_room_it_says_how_much_is_missing() -> None:
    one = timed_cases.inventory().choice
    assert one.solve(2.0 * one.widths) is Outcome.INFEASIBLE
    for share in (0.1, 2.0):
        margin = share * one.widths
        found = one.nearest(margin)
        assert isinstance(found, Nearest)
        z, e = cp.Variable(one.G.shape[1]), cp.Variable(len(margin), nonneg=True)
        rows = [one.G @ z == one.middle, one.A @ z + margin <= one.limits + e]
        least = cp.Problem(cp.Minimize(cp.sum(e / one.widths)), rows).solve(solver=cp.CLARABEL)
        assert (found.excess / one.widths).sum() == pytest.approx(least, abs=1e-4)
        assert (found.worst > 1e-3) == (share > 1)
        over = np.asarray(one.A @ found.z) + margin - one.limits
        assert (over <= found.excess + 1e-5).all()
