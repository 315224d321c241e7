"""The canonical form has the problem's cost and constraints, at any point, as cvxpy has them."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

from privopt.adapters.canonical import canonical, columns_of, leaf_names, leaves_of


def test_rows_are_those_of_the_problem_at_any_point() -> None:
    """An anchor tells which columns a variable is made of."""
    rng = np.random.default_rng(0)
    x, A, b = cp.Variable(4, name="x"), rng.normal(size=(3, 4)), rng.normal(size=3)
    below, anchor = A @ x <= b, cp.Zero(x)
    equal: Any = cp.sum(x) == 2.5
    cost = cp.sum_squares(x) + np.arange(4) @ x
    form = canonical(cp.Problem(cp.Minimize(cost), [below, equal, anchor]))
    assert form.whole
    (rows,) = leaves_of(form, [int(anchor.id)])
    for _ in range(5):
        point = rng.normal(size=form.linear.shape)
        x.value = rows @ point
        tied = form.equalities.matrix @ point - form.equalities.bound
        at = form.inequalities.of(int(below.id))
        excess = form.inequalities.matrix[at] @ point - form.inequalities.bound[at]
        np.testing.assert_allclose(excess, A @ x.value - b)
        assert np.abs(tied[form.equalities.of(int(equal.id))]) == pytest.approx(
            abs(float(np.asarray(x.value).sum()) - 2.5)
        )


def test_the_least_cost_is_cvxpys() -> None:
    """A point of the canonical form that its solver finds costs what cvxpy says, constant too."""
    x = cp.Variable(3)
    cost = cp.quad_form(x, np.diag([1.0, 2.0, 3.0])) - 2 * x[0] + 11.0
    problem = cp.Problem(cp.Minimize(cost), [cp.sum(x) == 1, x >= 0.1])
    form = canonical(problem)
    y = cp.Variable(len(form.linear))
    C = sp.csr_array(form.quadratic).toarray()
    again = cp.Problem(
        cp.Minimize(form.linear @ y + cp.quad_form(y, C, assume_PSD=True) + form.constant),
        [
            form.equalities.matrix @ y == form.equalities.bound,
            form.inequalities.matrix @ y <= form.inequalities.bound,
        ],
    )
    assert again.solve(solver=cp.CLARABEL) == pytest.approx(problem.solve(solver=cp.CLARABEL))


def test_every_row_knows_its_constraint_and_its_place() -> None:
    x = cp.Variable((2, 3))
    first, second = x <= np.arange(6).reshape(2, 3), cp.Zero(cp.sum(x, axis=0) - 1)
    form = canonical(cp.Problem(cp.Minimize(cp.sum(x)), [first, second]))
    at = form.inequalities.of(int(first.id))
    places = dict(zip((form.inequalities.place[i] for i in at), at, strict=True))
    assert set(places) == {f"[{i},{j}]" for i in range(2) for j in range(3)}
    for (i, j), limit in np.ndenumerate(np.arange(6).reshape(2, 3)):
        assert form.inequalities.bound[places[f"[{i},{j}]"]] == limit
    assert len(form.equalities.of(int(second.id))) == 3
    assert len(form.inequalities.of(-1)) == 0


@pytest.mark.parametrize(
    ("make", "whole"),
    [
        (lambda x: [x >= 0], True),
        (lambda x: [cp.norm1(x) <= 1], True),
        (lambda x: [cp.norm(x) <= 1], False),
        (lambda x: [cp.exp(x[0]) <= 1], False),
    ],
)
def test_what_goes_beyond_linear_rows_is_not_whole(make: object, whole: bool) -> None:
    x = cp.Variable(2)
    problem = cp.Problem(cp.Minimize(cp.sum(x)), make(x))  # pyright: ignore[reportCallIssue]
    assert canonical(problem).whole == whole


def test_names_of_entries_and_the_columns_they_are() -> None:
    x, t, half = (
        cp.Variable(2, name="x"),
        cp.Variable(name="t"),
        cp.Variable((2, 2), symmetric=True),
    )
    assert leaf_names([x, t]) == ["x[0]", "x[1]", "t"]
    assert leaf_names([cp.Variable((2, 2), name="M")]) == ["M[0,0]", "M[1,0]", "M[0,1]", "M[1,1]"]
    anchors = [cp.Zero(cp.vec(leaf, order="F")) for leaf in (x, t, half)]
    form = canonical(cp.Problem(cp.Minimize(cp.sum(x) + t), anchors))
    leaves = leaves_of(form, [int(anchor.id) for anchor in anchors])
    named = columns_of(leaves, leaf_names([x, t, half]))
    assert set(named.values()) >= {"x[0]", "x[1]", "t"}
    # Of a symmetric variable each column is an entry once, under the first of its two names.
    names = [name for name in named.values() if name.startswith(half.name())]
    assert len(names) == 3
