"""Expressions of cvxpy as rows over z: the same values at any point, or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

from privopt.adapters.cvxpy_program import are_expressions, expression_rows, formulas
from privopt.errors import InputError

X, Y, T = cp.Variable(3, name="x"), cp.Variable((2, 2), name="Y"), cp.Variable(name="t")
NAMES = ("aux", "t", "Y[0,0]", "Y[1,0]", "Y[0,1]", "Y[1,1]", "x[2]", "x[1]", "x[0]")
EXPRESSIONS: dict[str, Callable[[], Any]] = {
    "entries": lambda: X[1:],
    "a sum": lambda: cp.sum(Y),
    "a matrix": lambda: np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 0.0]]) @ X + T,
    "several": lambda: [X[0] - T, Y[:, 1], cp.trace(Y)],
    "transposed": lambda: Y.T,
    "a known parameter": lambda: cp.Parameter(value=2.5) * X[0],
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_the_rows_have_the_value_of_the_expression(name: str) -> None:
    made, rng = EXPRESSIONS[name](), np.random.default_rng(1)
    S = expression_rows(made, (X, Y, T), (), NAMES)
    for _ in range(3):
        z = rng.normal(size=len(NAMES))
        at = dict(zip(NAMES, z, strict=True))
        X.value = [at[f"x[{i}]"] for i in range(3)]
        Y.value = np.array([[at[f"Y[{i},{j}]"] for j in range(2)] for i in range(2)])
        T.value = at["t"]
        parts = made if isinstance(made, list) else [made]
        whole = np.concatenate([np.asarray(part.value).flatten(order="F") for part in parts])
        np.testing.assert_allclose(np.asarray(S @ z), whole, atol=1e-12)
    assert not S[:, [0]].toarray().any()  # z has columns that are nobody's


SECRET = cp.Parameter(name="demand")
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "private data": (lambda: X[0] + SECRET, "holds private data"),
    "no value": (lambda: cp.Parameter() * X[0], "a parameter without a value"),
    "another variable": (lambda: cp.Variable() + X[0], "not in the problem"),
    "a square": (lambda: cp.square(X[0]), "no affine expression"),
    "a number": (lambda: cp.Constant(3.0), "no affine expression"),
    "a constant part": (lambda: X + 1.0, "has a constant part"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_linear_value_of_the_variables_is_refused(name: str) -> None:
    make, says = REFUSED[name]
    with pytest.raises(InputError, match=says):
        expression_rows(make(), (X, Y, T), (SECRET,), NAMES)


def test_what_counts_as_expressions() -> None:
    assert are_expressions(X)
    assert are_expressions([X[0], cp.sum(Y)])
    for other in ([], [X, "x"], "x[0]", 3, ["x[0]"]):
        assert not are_expressions(other)


def test_rows_read_as_formulas() -> None:
    S = sp.csr_array(np.array([[1.0, 0, -1], [0, -2.5, 0], [-1, 1, 3]]))
    assert formulas(S, ("a", "b", "c")) == ("a - c", "-2.5 b", "-a + b + 3 c")
    twice = sp.csr_array(np.array([[1.0, 0, 0], [1.0, 0, 0]]))
    assert formulas(twice, ("a", "b", "c")) == ("y[0]", "y[1]")
    long = tuple(f"a very long name {k}" for k in range(3))
    assert formulas(S, long) == ("y[0]", "y[1]", "y[2]")
