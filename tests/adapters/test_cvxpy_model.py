"""What of a cvxpy problem is read, and what refused by which name; no private value is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from privopt.adapters.cvxpy_model import read_model
from privopt.errors import InputError


class Parts:
    """A problem with room for one more constraint."""

    def __init__(self) -> None:
        self.x, self.t = cp.Variable(3, name="x"), cp.Variable(name="t")
        self.demand = cp.Parameter(2, name="demand")
        self.price = cp.Parameter(nonneg=True, name="price", value=2.0)
        self.cost = self.price * cp.sum(self.x) + cp.square(self.t)
        self.rows = [self.x[:2] == self.demand, self.x >= 0, self.t >= self.x[2]]

    def read(self, *more: Any, cost: Any = None, private: Any = None) -> Any:
        problem = cp.Problem(cp.Minimize(self.cost if cost is None else cost), [*self.rows, *more])
        return read_model(problem, self.demand if private is None else private)


def test_private_parameters_become_variables_with_their_constraint() -> None:
    parts = Parts()
    model = parts.read()
    assert model.private == (parts.demand,)
    assert {one.name() for one in model.variables} == {"x", "t"}
    assert [(twin.shape, twin.name()) for twin in model.twins] == [((2,), "demand")]
    assert len(model.anchors) == 3
    assert list(model.names.values()) == ["constraint 0", "constraint 1", "constraint 2"]
    assert not model.maximise
    # x[:2] - twin = 0 in the columns of x and of the twin, whichever these are.
    form = model.form
    leaves = {
        leaf.name(): form.equalities.matrix[form.equalities.of(anchor)]
        for leaf, anchor in zip((*model.variables, *model.twins), model.anchors, strict=True)
    }
    at = form.equalities.of(next(iter(model.names)))
    point = np.random.default_rng(0).normal(size=len(form.linear))
    known = leaves["x"][:2] @ point - leaves["demand"] @ point
    kept = form.equalities.matrix[at] @ point - form.equalities.bound[at]
    np.testing.assert_allclose(np.abs(kept), np.abs(known))


def test_no_value_of_a_private_parameter_is_read() -> None:
    """It has none, or one that would spoil everything: the model is the same."""
    parts, other = Parts(), Parts()
    other.demand.save_value(np.full(2, np.nan))
    first, second = parts.read().form, other.read().form
    for name in ("matrix", "bound"):
        one, two = getattr(first.equalities, name), getattr(second.equalities, name)
        assert np.array_equal(
            one.toarray() if name == "matrix" else one, two.toarray() if name == "matrix" else two
        )


def test_labels_name_constraints_and_repeated_ones_count_once() -> None:
    parts = Parts()
    labelled = (parts.x <= 9).set_label("capacity")
    model = parts.read(labelled, labelled)
    assert model.names[int(labelled.id)] == "capacity"
    assert len(model.names) == 4


ADDED: dict[str, tuple[Callable[[Parts], Any], str]] = {
    "curved private data": (lambda p: p.t == cp.square(p.demand[0]), "not convex in private"),
    "a product": (lambda p: p.demand[0] * p.t == 1, "not convex in private"),
    "eigenvalues": (lambda p: cp.lambda_max(cp.diag(p.x)) <= 1, "needs a cone of matrices"),
    "a choice": (lambda p: cp.FiniteSet(p.t, [1.0, 2.0]), "has integers"),
    "not convex": (lambda p: cp.square(p.t) >= 1, "DCP"),
    "an integer": (lambda p: cp.Variable(integer=True, name="k") <= 1, "k is integer"),
    "a matrix cone": (lambda p: cp.Variable((2, 2), PSD=True, name="P") == 0, "P is PSD"),
    "an unknown number": (lambda p: p.t <= cp.Parameter(name="cap"), "cap has no value"),
    "a number computed elsewhere": (
        lambda p: p.t <= cp.CallbackParam(callback=lambda: 1.0, name="cap"), "by a function",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ADDED)
def test_a_constraint_that_does_not_fit_is_refused(name: str) -> None:
    parts = Parts()
    make, says = ADDED[name]
    with pytest.raises(InputError, match=says):
        parts.read(make(parts))


def test_private_data_in_the_objective_or_in_bounds_are_refused() -> None:
    parts = Parts()
    with pytest.raises(InputError, match=r"the objective contains private data \(demand\)"):
        parts.read(cost=cp.sum(parts.x) + parts.demand[0])
    bounded = cp.Variable(2, bounds=[parts.demand, None], name="b")
    with pytest.raises(InputError, match="the bounds of b contain private data"):
        parts.read(bounded <= 1)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda p: [], "empty"),
        (lambda p: [p.demand, p.demand], "twice"),
        (lambda p: "demand", "holds str"),
        (lambda p: cp.Parameter(name="other"), "other is not in the problem"),
    ],
)
def test_private_names_parameters_of_the_problem_once(make: Any, says: str) -> None:
    parts = Parts()
    with pytest.raises(InputError, match=says):
        parts.read(private=make(parts))


def test_entries_that_cannot_change_alone_are_no_private_data() -> None:
    x, tied = cp.Variable((2, 2)), cp.Parameter((2, 2), symmetric=True, name="tied")
    problem = cp.Problem(cp.Minimize(cp.sum(x)), [x == tied])
    with pytest.raises(InputError, match="tied is symmetric"):
        read_model(problem, tied)
    with pytest.raises(InputError, match="problem is str"):
        read_model("problem", tied)
