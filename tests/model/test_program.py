"""ConvexProgram: input forms, solving, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from tests.cases import toy

import privopt as po

Z = [[1.0, 1.0, 1.0]]


def test_solution_is_the_known_one() -> None:
    """min x + 2y + 3w + 0.1|z|^2, sum 6, z <= 4: x = 4, y = 2 by the ordering of the costs."""
    optimum = toy().solve()
    assert optimum.z == pytest.approx([4.0, 2.0, 0.0], abs=1e-6)
    assert optimum.cost == pytest.approx(4 + 4 + 0.1 * 20, rel=1e-7)
    assert toy().cost([4, 2, 0]) == pytest.approx(10.0)


def test_dense_sparse_and_pandas_are_the_same_program() -> None:
    A, b = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]), np.array([5.0, 3.0])
    names, rows = ["x", "y", "w"], ["first", "second"]
    dense = toy(A=A, b=b)
    sparse = toy(A=sp.coo_matrix(A), b=b, G=sp.csc_array(np.array(Z)))
    order = ["w", "x", "y"]
    frames = toy(
        A=pd.DataFrame(A, index=rows, columns=names)[order],
        b=pd.Series(b, index=rows)[::-1],
        G=pd.DataFrame(Z, index=["demand"], columns=names)[order],
        d=pd.Series([6.0], index=["demand"]),
        linear=pd.Series([1.0, 2.0, 3.0], index=names)[order],
        quadratic=pd.DataFrame(0.1 * np.eye(3), index=names, columns=names).loc[order, order],
        names=None,
    )
    wanted = dense.solve()
    assert sparse.solve().z == pytest.approx(wanted.z, abs=1e-7)
    assert frames.names == ("w", "x", "y")
    assert frames.solve().z[[1, 2, 0]] == pytest.approx(wanted.z, abs=1e-7)
    assert frames.rows.names[:2] == ("first", "second")
    assert frames.data_names == ("demand",)


def test_diagonal_vector_and_matrix_costs_agree() -> None:
    matrix = toy(quadratic=np.diag([0.1, 0.1, 0.1]))
    assert matrix.solve().cost == pytest.approx(toy().solve().cost, rel=1e-8)


def test_rows_list_inequalities_then_lower_then_upper_bounds() -> None:
    program = toy(A=[[1, 0, 0]], b=[9], lower=[0, -np.inf, 2], upper=[np.inf, 5, 2])
    assert program.rows.names == ("A[0]", "lower[x]", "upper[y]")
    assert program.equalities.names == ("d[0]", "fixed[w]")
    z = np.array([1.0, 2.0, 3.0])
    assert (program.rows.matrix @ z - program.rows.bound).tolist() == [-8.0, -1.0, -3.0]
    assert program.right_hand_side().tolist() == [6.0, 2.0]


def test_bounds_may_be_numbers_vectors_or_nothing() -> None:
    assert len(toy(lower=None, upper=None).rows) == 0
    assert len(toy(lower=0, upper=None).rows) == 3
    assert len(toy(lower=[0, -np.inf, 0], upper=None).rows) == 2


def test_solve_at_another_right_hand_side() -> None:
    assert toy().solve(d=np.array([2.0])).z.sum() == pytest.approx(2.0)


def test_the_same_program_at_another_right_hand_side() -> None:
    program = po.ConvexProgram(linear=[1, 2], G=[[1, 1]], d=[3], lower=0, upper=2)
    other = program.at([1.0])
    assert (other.d == [1.0]).all()
    assert (program.d == [3.0]).all()
    assert other.solve().z == pytest.approx([1.0, 0.0], abs=1e-6)
    with pytest.raises(po.errors.InputError):
        program.at([1.0, 2.0])


def test_private_entries_by_name_or_position() -> None:
    program = po.ConvexProgram(
        G=np.eye(3), d=pd.Series([1, 2, 3], index=list("abc")), private=["c", "a"]
    )
    assert program.private.tolist() == [0, 2]
    assert toy().private.tolist() == [0]
    named = po.ConvexProgram(G=np.eye(2), d=[1, 2], data_names=["a", "b"], private="b")
    assert named.private.tolist() == [1]
    assert named.equalities.names == ("a", "b")


def test_no_data_is_allowed_until_it_is_needed() -> None:
    program = toy(d=None)
    assert "d not given" in repr(program)
    with pytest.raises(po.errors.InputError, match="right-hand side"):
        program.solve()


def test_infeasible_and_unbounded_programs_are_told() -> None:
    with pytest.raises(po.errors.InfeasibleError, match="no feasible point"):
        toy(13.0).solve()
    with pytest.raises(po.errors.UnboundedError, match="without end"):
        toy(quadratic=None, lower=None, upper=None).solve()


def test_labels_come_from_any_argument_and_must_mean_one_thing() -> None:
    lower = pd.Series({"a": 0.0, "b": -5.0})
    upper = pd.Series({"b": 9.0, "a": 1.0})
    program = po.ConvexProgram(G=[[1, 1]], d=[1], lower=lower, upper=upper)
    assert program.names == ("a", "b")
    assert program.upper.tolist() == [1.0, 9.0]
    numbered = pd.DataFrame(np.eye(3), index=[1, 2, 3], columns=[1, 2, 3])
    with pytest.raises(po.errors.InputError, match="also the name"):
        po.ConvexProgram(G=numbered, d=[1, 2, 3], private=[1])
    assert po.ConvexProgram(G=numbered, d=[1, 2, 3], private=["1"]).private.tolist() == [0]


def test_solving_at_bad_data_is_refused() -> None:
    for bad in ([1, 2, 3], [np.nan]):
        with pytest.raises(po.errors.InputError):
            toy().solve(d=bad)


@pytest.mark.parametrize("d", [[np.nan], [np.inf], [1, 2], "six", [[6.0]], [1j]])
def test_bad_data_is_refused_without_showing_it(d: Any) -> None:
    with pytest.raises(po.errors.InputError) as caught:
        toy(d=d)
    assert "d " in str(caught.value)


@pytest.mark.parametrize(
    "bad",
    [
        {"G": None},
        {"G": np.zeros((0, 3))},
        {"G": [[np.nan, 1, 1]]},
        {"G": [[1, np.inf, 1]]},
        {"G": "matrix"},
        {"G": np.ones((1, 3, 2))},
        {"linear": [1, 2]},
        {"linear": [1, np.nan, 2]},
        {"linear": "cheap"},
        {"quadratic": [0.1, -0.1, 0.1]},
        {"quadratic": [[0, 1, 0], [1, 0, 0], [0, 0, 0]]},
        {"quadratic": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]},
        {"quadratic": np.eye(2)},
        {"A": [[1, 0, 0]]},
        {"b": [1.0]},
        {"A": [[1, 0]], "b": [1]},
        {"A": [[1, 0, 0]], "b": [1, 2]},
        {"A": [[1, 0, 0]], "b": [np.inf]},
        {"lower": 5.0},
        {"lower": [0, 0]},
        {"upper": [np.nan, 1, 1]},
        {"lower": np.inf, "upper": np.inf},
        {"names": ["x", "y"]},
        {"names": ["x", "x", "y"]},
        {"private": []},
        {"private": [0, 0]},
        {"private": [3]},
        {"private": ["demand"]},
        {"linear": pd.Series([1, 2, 3], index=["x", "y", "q"])},
    ],
)
def test_bad_input_is_refused_with_what_to_do(bad: dict[str, Any]) -> None:
    with pytest.raises(po.errors.InputError) as caught:
        toy(**bad)
    assert caught.value.got
    assert caught.value.needed
    assert caught.value.remedy
