"""Values for all draws at once, against the same program written down in plain CVXPY."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from tests.solving.robust.cases import Scaled
from tests.solving.robust.test_deciding import Case, case

import privopt as po
from privopt.arrays import Dense, Vector
from privopt.solving.problem import Outcome
from privopt.solving.robust.two_stage import Chosen, TwoStage
from privopt.solving.solver import Settings

Cuts = list[tuple[Vector, float]]


def made(one: Case, draws: Dense) -> tuple[TwoStage, Scaled]:
    units = Scaled.of(one.program, one.S, one.region.middle)
    targets = np.array([units.small.targets(one.program.right_hand_side(u)) for u in draws])
    choice = TwoStage(
        units.small, units.query, targets, Settings(),
        fidelity=units.scaling.kappa * one.fidelity / units.unit**2,
        answer=units.unit * one.answer,
    )  # fmt: skip
    return choice, units


def plain(one: Case, draws: Dense, cuts: Cuts = []) -> tuple[float, Vector | None]:  # noqa: B006
    """Objective and values; cuts g'q <= limit in the units of the program."""
    program, count = one.program, len(draws)
    z: Any = cp.Variable((program.n, count))
    q = cp.Variable(len(one.S))
    A, b, C2 = program.rows.matrix.toarray(), program.rows.bound, program.quadratic.toarray()
    half = np.linalg.cholesky(C2 + 1e-14 * np.eye(program.n)).T
    cost = (cp.sum(program.linear @ z) + cp.sum_squares(half @ z)) / count
    model = cp.Problem(
        cp.Minimize(cost + one.fidelity * cp.sum_squares(q - one.answer)),
        [
            program.G.toarray() @ z == draws.T,
            A @ z <= b[:, None],
            one.S @ z == q[:, None] @ np.ones((1, count)),
            *(slope @ q <= limit for slope, limit in cuts),
        ],
    )
    value = model.solve(solver=cp.CLARABEL)
    return float(value), None if q.value is None else np.asarray(q.value)


def objective(one: Case, units: Scaled, chosen: Chosen) -> float:
    constant = one.fidelity * float(np.square(one.answer).sum())
    return chosen.value / units.scaling.kappa + constant


@pytest.mark.parametrize("seed", range(9))
@pytest.mark.parametrize("count", [1, 12])
def test_the_optimum_is_that_of_the_plain_model(seed: int, count: int) -> None:
    one = case(seed)
    draws = one.draws[:count]
    value, q = plain(one, draws)
    choice, units = made(one, draws)
    found = choice.solve([])
    if q is None:
        assert found is Outcome.INFEASIBLE
        return
    assert isinstance(found, Chosen)
    assert objective(one, units, found) == pytest.approx(value, rel=1e-5, abs=1e-5)
    np.testing.assert_allclose(found.q / units.unit, q, atol=2e-3)
    mean = np.mean([units.small.cost(x) for x in found.x]) / units.scaling.kappa
    distance = one.fidelity * float(np.square(found.q / units.unit - one.answer).sum())
    assert mean + distance == pytest.approx(value, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_cuts_are_kept_and_cost_what_they_cost(seed: int) -> None:
    one, rng = case(seed), np.random.default_rng(seed)
    choice, units = made(one, one.draws)
    free = choice.solve([])
    assert isinstance(free, Chosen)
    cuts: Cuts = []
    before = objective(one, units, free)
    for _ in range(3):  # the same program again: rows that entered stay
        slope = rng.normal(size=len(one.answer))
        at = float(slope @ (free.q / units.unit))
        cuts.append((slope, at - 0.05))
        value, q = plain(one, one.draws, cuts)
        found = choice.solve([(slope / units.unit, limit) for slope, limit in cuts])
        if q is None:
            assert found is Outcome.INFEASIBLE
            return
        assert isinstance(found, Chosen)
        assert all(slope @ (found.q / units.unit) <= limit + 1e-6 for slope, limit in cuts)
        assert objective(one, units, found) == pytest.approx(value, rel=1e-5, abs=1e-5)
        assert objective(one, units, found) >= before - 1e-6
        before = objective(one, units, found)


def test_every_draw_keeps_every_row_and_the_common_values() -> None:
    """On a network, where rows enter on demand: at all draws, with one q."""
    instance = po.experiments.instance("14_ieee", 3)
    program, S = instance.program, instance.query.matrix(instance.program).toarray()
    lower, upper = instance.domain.ends(len(program.private))
    draws = np.random.default_rng(1).uniform(lower, upper, (10, len(lower)))
    units = Scaled.of(program, S, 0.5 * (lower + upper))
    targets = np.array([units.small.targets(program.right_hand_side(u)) for u in draws])
    found = TwoStage(units.small, units.query, targets, Settings()).solve([])
    assert isinstance(found, Chosen)
    z = units.small.lift(found.x, targets) * units.scaling.columns
    for solution, u in zip(z, draws, strict=True):
        right = program.right_hand_side(u)[: program.G.shape[0]]  # bounds that meet come after
        np.testing.assert_allclose(program.G @ solution, right, atol=1e-6)
        np.testing.assert_allclose(S @ solution, found.q / units.unit, atol=1e-6)
        bounds = program.rows.bound
        assert (program.rows.matrix @ solution - bounds <= 1e-7 * (1 + np.abs(bounds))).all()


def test_draws_that_nothing_serves_are_infeasible() -> None:
    one = case(1)
    choice, _ = made(one, one.draws[:3] + 1e3)
    assert choice.solve([]) is Outcome.INFEASIBLE
