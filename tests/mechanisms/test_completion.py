"""The completion test against one linear program a draw, by scipy."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog
from tests.cases import convex, toy
from tests.reference.plain import random_program

import privopt as po
from privopt.mechanisms.completion import Completion, complete


def possible(data: dict[str, np.ndarray], y: np.ndarray) -> bool:
    n = data["G"].shape[1]
    answer = linprog(
        np.zeros(n), A_ub=data["A"], b_ub=data["b"], bounds=(None, None),
        A_eq=np.vstack([data["G"], data["S"]]), b_eq=np.concatenate([data["d"], y]),
    )  # fmt: skip
    return answer.status == 0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_verdicts_equal_plain_linear_programs(seed: int) -> None:
    data = random_program(seed, n=8, equalities=3, rows=10, p=3)
    program = convex(data)
    S = po.Linear(data["S"]).matrix(program)
    rng = np.random.default_rng(seed)
    y = data["S"] @ program.solve().z + rng.laplace(scale=0.8, size=(150, 3))
    test = Completion(program, S, program.right_hand_side())
    verdicts = test.impossible(y, 1e-7)
    wanted = [not possible(dict(data), row) for row in y]
    assert verdicts.tolist() == wanted
    assert 0.1 < np.mean(wanted) < 0.95  # both kinds occur
    assert test.solves < len(y)  # tangents settled some


def test_equalities_alone_can_refuse() -> None:
    program = toy()
    S = po.Identity(["x", "y"]).matrix(program)
    everything = po.Linear(np.eye(3)).matrix(program)
    assert Completion(program, everything, program.right_hand_side()).impossible(
        np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]), 1e-7
    ).tolist() == [True, False]
    assert not Completion(program, S, program.right_hand_side()).impossible(
        np.array([[3.0, 3.0]]), 1e-7
    )[0]


def test_a_program_without_inequalities_always_completes() -> None:
    program = toy(lower=None, upper=None)
    S = po.Identity(["x"]).matrix(program)
    test = Completion(program, S, program.right_hand_side())
    assert not test.impossible(np.array([[1e6], [-1e6]]), 1e-7).any()


def test_vectors_that_are_not_finite_are_refused() -> None:
    program = toy()
    test = Completion(program, po.Identity(["x"]).matrix(program), program.right_hand_side())
    with pytest.raises(po.errors.InputError):
        test.impossible(np.array([[np.nan]]), 1e-7)


def test_the_best_solution_with_the_released_values() -> None:
    one = po.experiments.instance("5_pjm", 0)
    program, S = one.program, one.query.matrix(one.program)
    values = np.asarray(S @ program.solve().z) + 0.01
    found = complete(program, S, program.d, values)
    tool: Any = cp
    z = cp.Variable(program.n)
    cost = program.linear @ z + tool.quad_form(z, tool.psd_wrap(program.quadratic.toarray()))
    problem: Any = tool.Problem(
        tool.Minimize(cost),
        [
            program.equalities.matrix @ z == program.right_hand_side(),
            S @ z == values,
            program.rows.matrix @ z <= program.rows.bound,
        ],
    )
    problem.solve(solver=tool.CLARABEL)
    assert found.cost == pytest.approx(float(problem.value), rel=1e-7)
    assert np.asarray(S @ found.z) == pytest.approx(values, abs=1e-8)


def test_values_that_nothing_has() -> None:
    one = po.experiments.instance("5_pjm", 0)
    S = one.query.matrix(one.program)
    with pytest.raises(po.errors.InfeasibleError, match="released values"):
        complete(one.program, S, one.program.d, np.full(S.shape[0], 100.0))
