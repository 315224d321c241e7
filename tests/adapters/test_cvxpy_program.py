"""A program from cvxpy: data by shape or name, solutions written back, queries by expression."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest

import privopt as po
from privopt.adapters import CvxpyProgram, from_cvxpy
from privopt.adapters.cvxpy_program import flat

LOADS = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def made(*, maximise: bool = False) -> tuple[CvxpyProgram, cp.Problem, cp.Variable]:
    """Six loads and one more are met, each by a supply of its own and a shared one."""
    x, spare = cp.Variable((2, 3), name="x"), cp.Variable(name="spare")
    loads, more = cp.Parameter((2, 3), name="loads"), cp.Parameter(name="more")
    loads.value, more.value = LOADS, 7.0
    cost = cp.sum_squares(x) + 3 * spare + 5.0
    rest = cp.Variable(name="rest", nonneg=True)
    rows = [x + spare == loads, cp.sum(x[0]) + rest == more, x >= -9, spare >= 0]
    objective = cp.Maximize(-cost) if maximise else cp.Minimize(cost)
    problem = cp.Problem(objective, rows)
    return from_cvxpy(problem, private=[loads, more]), problem, x


def test_data_in_any_form_are_the_same_vector() -> None:
    program = made()[0]
    known = [1.0, 4.0, 2.0, 5.0, 3.0, 6.0, 7.0]  # the first index fastest
    for form in ({"more": 7.0, "loads": LOADS}, [LOADS, 7.0], known, np.array(known)):
        assert np.asarray(program.data(form)).tolist() == known
        assert program.at(form).d.tolist() == program.d.tolist()
    assert flat([LOADS, 7.0]).tolist() == known


@pytest.mark.parametrize(
    "wrong", [{"loads": LOADS}, {"loads": LOADS.T, "more": 7.0}, [LOADS], [7.0, LOADS], LOADS]
)
def test_other_shapes_and_names_are_refused_without_a_value(wrong: Any) -> None:
    with pytest.raises(po.errors.InputError) as caught:
        made()[0].data(wrong)
    assert caught.value.needed == "loads of shape (2, 3), more."
    assert "7" not in str(caught.value)


@pytest.mark.parametrize("maximise", [False, True])
def test_a_solution_is_written_into_the_problem(maximise: bool) -> None:
    program, problem, x = made(maximise=maximise)
    z = program.solve().z
    found = program.assign(z)
    assert np.array_equal(found["x"], x.value)
    np.testing.assert_allclose(found["x"] + found["spare"], LOADS, atol=1e-6)
    assert program.objective(z) == pytest.approx(problem.objective.value, rel=1e-7)
    assert program.objective(z) == pytest.approx(problem.solve(solver=cp.CLARABEL), rel=1e-6)


def test_queries_by_expressions() -> None:
    program, _, x = made()
    assert [program.names[j] for j in program.positions(x[:, 1])] == ["x[0,1]", "x[1,1]"]
    assert program.positions(["x[0,1]"]) == program.positions(x[0, 1])
    S, names = program.values(x[0, 0] - 2 * x[1, 2])
    assert names == ("x[0,0] - 2 x[1,2]",)
    z = np.arange(program.n, dtype=float)
    value = {name: z[j] for j, name in enumerate(program.names)}
    assert np.asarray(S @ z).tolist() == [value["x[0,0]"] - 2 * value["x[1,2]"]]
    with pytest.raises(po.errors.InputError, match="is no single variable"):
        program.positions(2 * x[0, 0])


def test_without_its_data_it_has_no_problem_either() -> None:
    bare = made()[0].without_data()
    assert not bare.has_data
    with pytest.raises(po.errors.InputError, match="separated from its cvxpy problem"):
        bare.assign(np.zeros(bare.n))  # pyright: ignore[reportAttributeAccessIssue]
