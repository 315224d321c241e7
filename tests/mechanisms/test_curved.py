"""Plans of curved programs: what they cost and keep, against plain cvxpy models."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

import privopt as po
from privopt.errors import CombinationError
from privopt.mechanisms.curved import Curved

NAMES = [f"g{i}" for i in range(4)]
LINEAR, SQUARE = np.arange(1.0, 5.0), 0.1
QUERY, LAPLACE = po.Identity(NAMES[:2]), po.Laplace(epsilon=1.0, alpha=0.1)
BOX = po.ExactBox(eta=0.05)
PIECES = po.PiecewiseLinear(of="g0", slopes=[0, 2, 6], offsets=[0, -1, -8])
CURVED = po.Exponential(C=["g0", "g1"], e=-1.0)
CUBE = po.Power(C=["g2"], power=3.0)
LIMIT = po.NormLimit(C=["g0", "g1"], g=3.5)

Cost = Callable[[np.ndarray], np.ndarray]


def _pieces(z: np.ndarray) -> np.ndarray:
    return np.maximum(np.maximum(0, 2 * z[0] - 1), 6 * z[0] - 8)


def _smooth(z: np.ndarray) -> np.ndarray:
    return np.exp(z[0] - 1) + np.exp(z[1] - 1) + np.abs(z[2]) ** 3


def _none(z: np.ndarray) -> np.ndarray:
    return 0.0 * z[0]


KINDS: list[tuple[tuple[Any, ...], tuple[Any, ...], Cost]] = [
    ((PIECES,), (), _pieces),
    ((CURVED, CUBE), (), _smooth),
    ((), (LIMIT,), _none),
]


def _program(costs: Any = (), cones: Any = (), d: float | None = 6.0) -> po.ConvexProgram:
    return po.ConvexProgram(
        linear=LINEAR, quadratic=[SQUARE] * 4, G=[[1] * 4], d=None if d is None else [d],
        lower=0, upper=4, names=NAMES, costs=costs, cones=cones,
    )  # fmt: skip


def _true(z: np.ndarray, more: Cost) -> np.ndarray:
    return LINEAR @ z + SQUARE * np.square(z).sum(axis=0) + more(z)


@pytest.mark.parametrize(("costs", "cones", "more"), KINDS)
def test_a_plan_costs_what_it_states(costs: Any, cones: Any, more: Cost) -> None:
    """Two standard errors of both means: a false alarm in 22 for each case; seeds are fixed."""
    plan = po.solve(_program(costs, cones), QUERY, LAPLACE, BOX)
    xi = plan.calibration.sample(np.random.default_rng(99), 400_000)
    z = (plan.expected + (plan.recourse @ xi.T).T)[:, :4].T
    costs_of = _true(z, more)
    assert plan.priced is not None
    assert plan.priced.is_exact == (more is not _smooth)
    stated = (plan.priced.interval[1] - plan.cost) / 2.578  # Student's, of 2048 draws
    error = math.hypot(stated, float(costs_of.std()) / math.sqrt(len(xi)))
    assert abs(plan.cost - costs_of.mean()) <= 2 * error
    assert plan.cost > plan.optimum.cost


@pytest.mark.long
@pytest.mark.parametrize("law", [LAPLACE, po.Gaussian(epsilon=0.9, delta=1e-3, alpha=0.05)])
def test_a_plan_is_nearly_that_of_a_plain_model_over_the_same_draws(law: Any) -> None:
    """The mean over draws of the true cost, minimised by cvxpy: within 0.02% of it."""
    program = _program((CURVED, CUBE))
    plan = po.solve(program, QUERY, law, BOX)
    half = plan.calibration.sample(np.random.default_rng(7), 40)
    xi = np.vstack([half, -half])
    width = plan.calibration.scale * plan.calibration.law.half_width(1 - 0.95 ** (1 / 2))
    z, Z = cp.Variable(4), cp.Variable((4, 2))
    every = [z + Z @ draw for draw in xi]
    cost = sum(
        LINEAR @ x + SQUARE * cp.sum_squares(x) + cp.exp(x[0] - 1) + cp.exp(x[1] - 1)
        + cp.power(cp.abs(x[2]), 3)
        for x in every
    )  # fmt: skip
    margin = width * cp.norm1(Z, axis=1)
    rules = [cp.sum(z) == 6, cp.sum(Z, axis=0) == 0, Z[:2] == np.eye(2)]
    rules += [z - margin >= 0, z + margin <= 4]
    problem = cp.Problem(cp.Minimize(cost / len(xi)), rules)
    least = float(problem.solve(solver=cp.CLARABEL))
    ours = (plan.expected[:4] + (plan.recourse @ xi.T).T[:, :4]).T
    mean = float(_true(ours, _smooth).mean())
    assert least - 1e-6 * abs(least) <= mean <= least + 2e-4 * abs(least)


def test_curved_limits_hold_with_their_probability() -> None:
    program = _program((), (LIMIT,))
    joint = po.solve(program, QUERY, LAPLACE, BOX).verify(20_000)
    assert float(joint.violation.value) <= 0.05
    assert "limit[0]" in joint.names
    each = po.solve(program, QUERY, LAPLACE, po.Analytic(eta=0.05)).verify(20_000)
    assert float(np.max(each.rows.value)) <= 0.055
    limit = po.solve(program, QUERY, LAPLACE, BOX).guarantee.feasibility
    assert "all 9 inequalities" in limit.statement  # eight bounds, and one norm


def test_what_prices_is_no_limit() -> None:
    program = _program((PIECES,))
    plan = po.solve(program, QUERY, LAPLACE, BOX)
    assert "all 8 inequalities" in plan.guarantee.feasibility.statement
    assert not np.asarray(plan.recourse)[4].any()
    z = plan.realise(plan.release())
    assert z[4] == pytest.approx(_pieces(z[:4]), abs=1e-9)
    assert plan.expected[4] == pytest.approx(_pieces(plan.expected[:4]), abs=1e-9)


def test_a_quadratic_program_is_not_curved() -> None:
    program = _program()
    S = QUERY.matrix(program)
    assert Curved.of(program, S, lambda: program.solve().z) is None
    assert po.solve(program, QUERY, LAPLACE, BOX).priced is None


def test_the_deviation_of_a_curved_cost_is_refused() -> None:
    with pytest.raises(CombinationError, match="not linear"):
        po.solve(_program((CURVED,)), QUERY, LAPLACE, BOX, objective=po.CostDeviation(phi=0.1))
