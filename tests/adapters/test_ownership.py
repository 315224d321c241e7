"""Names of rows, equalities and cones: the user's labels, and what cvxpy made for each of them."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np

from privopt.adapters import from_cvxpy

X, T, DEMAND = cp.Variable(4, name="x"), cp.Variable(name="t"), cp.Parameter(name="demand")


def program(cost: Any, *constraints: Any) -> Any:
    served = (cp.sum(X) + T == DEMAND).set_label("served")
    return from_cvxpy(cp.Problem(cp.Minimize(cost), [served, *constraints]), private=DEMAND)


def test_labels_are_names_of_rows_equalities_and_cones() -> None:
    made = program(
        cp.sum(X),
        (X <= [5, 6, 7, 8]).set_label("limit"),
        (T <= 9).set_label("one limit"),
        (X[0] == 2 * X[1]).set_label("ratio"),
        (X[:2] == X[2:]).set_label("pairs"),
        cp.SOC(T + 9, X[:2]).set_label("ball"),
        cp.SOC(T + 9, X).set_label("wide ball"),
        cp.ExpCone(X[:2], X[2:] + 9, X[:2] + 99).set_label("growth"),
        cp.PowCone3D(T + 9, X[0] + 9, X[1], 0.3).set_label("mean"),
        X >= 0,
    )
    assert made.row_names == (
        "limit[0]", "limit[1]", "limit[2]", "limit[3]", "one limit",
        "constraint 9[0]", "constraint 9[1]", "constraint 9[2]", "constraint 9[3]",
    )  # fmt: skip
    assert made.equality_names == ("served", "ratio", "pairs[0]", "pairs[1]")
    assert set(made.cones.names) == {
        "ball", "wide ball", "wide ball~1", "wide ball~2", "growth[0]", "growth[1]", "mean",
    }  # fmt: skip
    at = made.row_names.index("limit[2]")
    assert made.b[at] == 7.0  # the name is that of the row


def test_what_cvxpy_adds_is_named_after_what_it_is_for() -> None:
    made = program(
        cp.sum(cp.huber(X)) + cp.norm(X[:2] - 1),
        (cp.norm(X[:2]) <= 9).set_label("cap"),
        (cp.norm1(X) + cp.exp(T) <= 50).set_label("mixed"),
        (cp.sum(cp.square(X)) + cp.max(X) <= 99).set_label("curve"),
        cp.abs(T) <= 5,
    )
    assert {"cap", "mixed", "curve", "constraint 4", "mixed~row[0]", "cost~row[0]"} < set(
        made.row_names
    )
    owners = {name.split("~")[0].split("[")[0] for name in made.row_names}
    assert owners == {"cap", "mixed", "curve", "constraint 4", "cost"}
    assert {name.split("~")[0] for name in made.cones.names} == {"cap", "mixed", "curve", "cost"}
    assert {name.split("~")[0] for name in made.equality_names} == {"served", "cost"}


def test_a_row_by_its_name_is_the_constraints_at_a_solution() -> None:
    """The cone named after a constraint is the one that limits it: its height is the limit."""
    made = program(-cp.sum(X), (cp.norm(X) <= 2).set_label("cap"), cp.abs(T) <= 50)
    z = made.at(3.0).solve().z
    s = dict(zip(made.cones.names, made.cones.values(z[None])[0], strict=True))
    assert abs(s["cap~cone[0]"][0] - 2.0) < 1e-6
    assert abs(np.linalg.norm(made.assign(z)["x"]) - 2.0) < 1e-6


def test_what_several_constraints_share_is_nobodys() -> None:
    size = cp.norm1(X)
    made = program(cp.sum(X), (size <= 3).set_label("low"), (size + T <= 4).set_label("high"))
    assert {name.split("~")[0] for name in made.row_names} == {"low", "high", "shared"}
