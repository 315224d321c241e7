"""The completion test against one linear program a draw, by scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.cases import convex, toy
from tests.reference.plain import random_program

import privopt as po
from privopt.mechanisms.completion import Completion


def possible(data: dict[str, np.ndarray], y: np.ndarray) -> bool:
    n = data["G"].shape[1]
    answer = linprog(
        np.zeros(n), A_ub=data["A"], b_ub=data["b"], bounds=(None, None),
        A_eq=np.vstack([data["G"], data["S"]]), b_eq=np.concatenate([data["d"], y]),
    )  # fmt: skip
    return answer.status == 0


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
