"""The canonical form has the problem's cost and constraints, at any point, as cvxpy has them."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

from privopt.adapters.canonical import Beyond, canonical, columns_of, leaf_names, leaves_of
from privopt.solving.problem import Cone


def test_rows_are_those_of_the_problem_at_any_point() -> None:
    """An anchor tells which columns a variable is made of."""
    rng = np.random.default_rng(0)
    x, A, b = cp.Variable(4, name="x"), rng.normal(size=(3, 4)), rng.normal(size=3)
    below, anchor = A @ x <= b, cp.Zero(x)
    equal: Any = cp.sum(x) == 2.5
    cost = cp.sum_squares(x) + np.arange(4) @ x
    form = canonical(cp.Problem(cp.Minimize(cost), [below, equal, anchor]))
    assert form.beyond is None
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
    ("make", "beyond"),
    [
        (lambda x: [x >= 0, x <= np.inf], None),
        (lambda x: [cp.norm1(x) <= 1], None),
        (lambda x: [cp.norm(x) <= 1], None),
        (lambda x: [cp.exp(x[0]) <= 1], None),
        (lambda x: [cp.PowCone3D(x[0], x[1], x[0] + 1, 0.25)], None),
        (lambda x: [cp.FiniteSet(x[0], [1.0, 2.0])], Beyond.INTEGER),
        (lambda x: [cp.diag(x) >> 0], Beyond.SEMIDEFINITE),
        (lambda x: [cp.PowConeND(cp.hstack([x, 1.0]), x[0], [0.3, 0.3, 0.4])], Beyond.POWERS),
        (lambda x: [x <= np.nan], Beyond.NUMBERS),
        (lambda x: [np.inf * x[0] <= 1], Beyond.NUMBERS),
        (lambda x: [x[0] == np.inf], Beyond.NUMBERS),
    ],
)
def test_what_goes_beyond_rows_and_cones_is_said(make: Any, beyond: Beyond | None) -> None:
    x = cp.Variable(2)
    assert canonical(cp.Problem(cp.Minimize(cp.sum(x)), make(x))).beyond is beyond


def test_cones_are_those_of_the_problem_at_any_point() -> None:
    """Second-order, exponential and power ones, each with the rows that cvxpy evaluates."""
    x, t = cp.Variable(4, name="x"), cp.Variable(name="t")
    ball, growth = cp.SOC(t + 1, 2 * x - 1), cp.ExpCone(x[:2], x[2:] + 1, t + x[:2])
    mean, anchors = cp.PowCone3D(x[0], t, x[3], 0.3), [cp.Zero(x), cp.Zero(t)]
    form = canonical(cp.Problem(cp.Minimize(t), [ball, growth, mean, *anchors]))
    assert form.cones == (
        Cone.second_order(5), Cone.exponential(), Cone.exponential(), Cone.of_power(0.3),
    )  # fmt: skip
    rows, one = leaves_of(form, [int(anchor.id) for anchor in anchors])
    rng = np.random.default_rng(1)
    for _ in range(3):
        point = rng.normal(size=len(form.linear))
        x.value, t.value = rows @ point, float(np.asarray(one @ point)[0])
        s = form.curved.bound - form.curved.matrix @ point
        at, v = np.asarray(x.value), float(np.asarray(t.value))
        known = [v + 1, *(2 * at - 1)]
        known += [at[0], at[2] + 1, v + at[0], at[1], at[3] + 1, v + at[1]]
        np.testing.assert_allclose(s, [*known, at[0], v, at[3]])
    assert form.curved.of(int(growth.id)).tolist() == list(range(5, 11))


def test_what_rounding_leaves_of_terms_that_cancel_is_no_term() -> None:
    x, a = cp.Variable(2), 0.1
    row = (a + 0.2) * x[0] - 0.3 * x[0] + x[1] <= 1  # 5.6e-17 x[0] + x[1]
    small = 1e-9 * x[0] + x[1] <= 2
    form = canonical(cp.Problem(cp.Minimize(cp.sum(x)), [row, small]))
    length = np.diff(form.inequalities.matrix.indptr)
    assert length[form.inequalities.of(int(row.id))].tolist() == [1]
    assert length[form.inequalities.of(int(small.id))].tolist() == [2]


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
