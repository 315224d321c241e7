"""Optima at many right-hand sides: those that one solve at a time finds, and linprog."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.cases import convex
from tests.reference.plain import random_program

import privopt as po
from privopt.arrays import Dense, Vector
from privopt.errors import InfeasibleError
from privopt.model.program import solved
from privopt.solving.deterministic import Ended
from privopt.solving.solver import Settings
from privopt.solving.sweep import Sweep


def swept(program: po.ConvexProgram, draws: Dense) -> tuple[Dense, int]:
    """The optima at some d, and how many were solved one by one."""
    asked: list[Vector] = []

    def solve(target: Vector) -> Ended:
        asked.append(target)
        return solved(program, target, Settings())

    targets = np.array([program.right_hand_side(d) for d in draws])
    return Sweep(program).at(targets, solve), len(asked)


def draws_about(d: Vector, width: float, count: int = 48) -> Dense:
    return d + width * np.random.default_rng(1).uniform(-1, 1, (count, len(d)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("width", [0.05, 0.5])
def test_quadratic_programs_have_the_same_optima(seed: int, width: float) -> None:
    data = random_program(seed, n=10 + 6 * seed, equalities=3 + seed)
    program = convex(data)
    draws = draws_about(data["d"], width)
    z, count = swept(program, draws)
    for one, d in zip(z, draws, strict=True):
        wanted = program.solve(d=d)
        assert program.cost(one) == pytest.approx(wanted.cost, rel=1e-7, abs=1e-7)
        assert data["G"] @ one == pytest.approx(d, abs=1e-11)
        assert (data["A"] @ one <= data["b"] + 1e-9).all()
    assert count < len(draws) / 4


@pytest.mark.parametrize("seed", range(4))
def test_linear_programs_equal_scipy(seed: int) -> None:
    data = random_program(seed, n=20, equalities=6, quadratic=False)
    draws = draws_about(data["d"], 0.2)
    z, count = swept(convex(data), draws)
    for one, d in zip(z, draws, strict=True):
        wanted = linprog(
            data["c1"], A_ub=data["A"], b_ub=data["b"], A_eq=data["G"], b_eq=d, bounds=(None, None)
        )
        assert data["c1"] @ one == pytest.approx(wanted.fun, rel=1e-8, abs=1e-8)
        assert one == pytest.approx(wanted.x, abs=1e-6)
    assert count < len(draws) / 2


def transport(**given: Any) -> po.ConvexProgram:
    """Three suppliers, two customers; z[i, j] is what i sends to j."""
    G = np.tile(np.eye(2), 3)
    A = np.kron(np.eye(3), np.ones((1, 2)))
    return po.ConvexProgram(**given, A=A, b=np.full(3, 4.0), G=G, d=[3.0, 3.0], lower=0.0)


def test_where_several_solutions_cost_the_same_each_is_solved_by_itself() -> None:
    """Else which of them is found would depend on which right-hand side came first."""
    program = transport(linear=np.ones(6))
    draws = draws_about(np.array([3.0, 3.0]), 0.5)
    z, count = swept(program, draws)
    assert count == len(draws)
    for one, d in zip(z, draws, strict=True):
        assert one == pytest.approx(program.solve(d=d).z, abs=1e-12)


def test_a_tie_that_a_multiplier_of_zero_leaves_is_seen() -> None:
    """min z0 + z1 + 0 z2 on z0 + z1 + z2 = d, z2 <= 1: z0 and z1 tie, whatever binds."""
    program = po.ConvexProgram(linear=[1, 1, 0], G=[[1, 1, 1]], d=[2], lower=0, upper=[9, 9, 1])
    draws = np.array([[2.0], [2.5], [3.0]])
    z, count = swept(program, draws)
    assert count == len(draws)
    assert z[:, 2] == pytest.approx(np.ones(3), abs=1e-7)
    assert z[:, 0] == pytest.approx(z[:, 1], abs=1e-6)  # the middle, as the solver has it


def test_a_right_hand_side_without_an_optimum_raises() -> None:
    program = transport(linear=np.arange(6.0), quadratic=np.full(6, 0.1))
    draws = np.array([[3.0, 3.0], [2.9, 3.1], [7.0, 7.0]])
    with pytest.raises(InfeasibleError):
        swept(program, draws)


def test_equalities_that_contradict_each_other_are_not_passed_over() -> None:
    """The second row follows from the first; its right-hand side may not."""
    program = po.ConvexProgram(
        linear=[1, 2], quadratic=[1, 1], G=[[1, 1], [2, 2]], d=[1, 2], lower=0, upper=1
    )
    z, _ = swept(program, np.array([[1.0, 2.0], [1.1, 2.2]]))
    assert z.sum(axis=1) == pytest.approx([1.0, 1.1])
    with pytest.raises(InfeasibleError):
        swept(program, np.array([[1.0, 2.0], [1.1, 2.3]]))


def test_what_binds_is_remembered() -> None:
    data = random_program(1)
    program, asked = convex(data), []

    def solve(target: Vector) -> Ended:
        asked.append(target)
        return solved(program, target, Settings())

    sweep, target = Sweep(program), program.right_hand_side()
    first = sweep.at(target[None, :], solve)
    again = sweep.at(target[None, :], solve)
    assert len(asked) == 1
    assert program.cost(again[0]) == pytest.approx(program.cost(first[0]), rel=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_where_the_cost_curves_one_solve_is_enough(seed: int) -> None:
    """Far apart in what binds, still from one matrix: only the first one is solved by itself."""
    data = random_program(seed, n=30, equalities=6)
    program = convex(data)
    draws = draws_about(data["d"], 0.5, 64)
    z, count = swept(program, draws)
    assert count == 1
    binding = {(data["A"] @ one > data["b"] - 1e-7).tobytes() for one in z}
    assert len(binding) > 2
    for one, d in zip(z, draws, strict=True):
        assert program.cost(one) == pytest.approx(program.solve(d=d).cost, rel=1e-7, abs=1e-7)
