"""The constant of a cost: part of every cost and percentage, of no solution and no request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from tests.cases import toy

import privopt as po
from privopt.errors import InputError, PrivoptError
from privopt.model.excess import loss_scale

ONE = po.Identity([0])
LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)
ROWS = po.Analytic(eta=0.05)
LARGE = 1e12  # beside costs of about ten


def planned(constant: float, **more: Any) -> po.Plan:
    return po.solve(toy(constant=constant), ONE, LAPLACE, ROWS, **more)


def test_a_cost_with_a_constant_is_that_of_plain_cvxpy() -> None:
    z = cp.Variable(3)
    cost = 7.5 + np.array([1, 2, 3]) @ z + 0.1 * cp.sum_squares(z)
    problem = cp.Problem(cp.Minimize(cost), [cp.sum(z) == 6, z >= 0, z <= 4])
    problem.solve(solver=cp.CLARABEL)
    program = toy(constant=7.5)
    assert program.solve().cost == pytest.approx(problem.value, rel=1e-7)
    assert program.cost(program.solve().z) == program.solve().cost
    assert program.at([5.0]).constant == program.without_data().constant == 7.5


@pytest.mark.parametrize("constant", [30.0, -4.0, LARGE])
def test_it_moves_the_cost_and_the_loss_and_nothing_else(constant: float) -> None:
    without, found = planned(0.0), planned(constant)
    assert np.array_equal(np.asarray(found.recourse), np.asarray(without.recourse))
    assert np.array_equal(found.affine.offset, without.affine.offset)
    assert found.cost - constant == pytest.approx(without.cost, abs=1e-15 * abs(constant) + 1e-9)
    optimal = without.cost / (1 + without.loss)
    wanted = (without.cost - optimal) / abs(optimal + constant)
    assert found.loss == pytest.approx(wanted, rel=1e-6, abs=1e-15)


def test_a_constant_that_pays_for_the_optimum_leaves_a_loss_of_what_costs_are_made_of() -> None:
    program = toy(constant=-toy().solve().cost)
    plan = po.solve(program, ONE, LAPLACE, ROWS)
    without = planned(0.0)
    made_of = 2 * without.optimum.cost  # the constant, and as much again
    assert plan.loss == pytest.approx((without.cost - without.optimum.cost) / made_of, rel=1e-6)


def test_where_the_constant_is_all_of_the_optimal_cost_it_is_the_scale() -> None:
    program = po.ConvexProgram(
        linear=[0.0, 1.0], constant=50.0, G=[[1, 1]], d=[2.0], lower=0.0, upper=4.0
    )
    optimum = program.solve()
    assert loss_scale(program, program.right_hand_side(), optimum.cost, 0.0) == pytest.approx(50.0)


def test_a_file_holds_it_where_there_is_one(tmp_path: Path) -> None:
    path = tmp_path / "program.json"
    for constant in (0.1 + 0.2, 0.0, -0.0):
        po.PublicProgram(toy(constant=constant)).save(path)
        assert ("constant" in json.loads(path.read_text())) == (constant != 0)
        assert po.PublicProgram.load(path).program.constant == constant
        path.unlink()


def test_a_file_by_hand_may_give_one(tmp_path: Path) -> None:
    path = tmp_path / "program.json"
    hand: dict[str, Any] = {"privopt": "program", "version": 1, "linear": [1, 2], "G": [[1, 1]]}
    for constant in (3, 2.5):
        path.write_text(json.dumps({**hand, "constant": constant}))
        assert po.PublicProgram.load(path).program.constant == constant
    path.write_text(json.dumps({**hand, "constant": "3"}))
    with pytest.raises(PrivoptError, match="constant is '3'"):
        po.PublicProgram.load(path)


@pytest.mark.parametrize("constant", [float("nan"), float("inf"), "1", None, [1.0], True])
def test_what_is_no_finite_number_is_refused(constant: Any) -> None:
    with pytest.raises(InputError, match="constant is"):
        toy(constant=constant)


def test_a_key_stands_for_the_same_plan_whatever_the_constant(tmp_path: Path) -> None:
    """It decides nothing that is released."""
    ledger = po.Ledger(tmp_path / "d.ledger", limit=po.Budget(1.5))
    first = planned(0.0).release(ledger, "monday")
    again = planned(30.0).release(ledger, "monday")
    assert again.replayed
    assert np.array_equal(again.values, first.values)


def test_a_networks_fixed_cost_is_the_constant_of_its_program() -> None:
    network = po.networks.load("24_ieee_rts")
    program = network.program()
    assert program.constant == network.fixed_cost == pytest.approx(10711.5531)
    assert program.cost(np.zeros(program.n)) == program.constant
