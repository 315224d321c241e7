"""What does not fit is refused: with the expression to blame, and what would do instead."""

from __future__ import annotations

import re

import cvxpy as cp
import numpy as np
import pytest
from tests.adapters.misfits import CURVED, KINDS, PRIVATE, spoiled
from tests.adapters.random_atoms import draw_atoms

from privopt.adapters import from_cvxpy
from privopt.errors import InputError

SLOW = pytest.mark.slow
NAMELESS = ("variable", "whole", "yes", "unknown", "computed", "same name")  # these name another


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=SLOW) for k in range(1, 5))])
@pytest.mark.parametrize("kind", KINDS)
def test_what_does_not_fit_is_refused_by_name(kind: str, seed: int) -> None:
    """No two alike: the rest of the problem is another for each seed."""
    drawn = draw_atoms(1000 + seed, spoiled(kind))
    with pytest.raises(InputError) as caught:
        from_cvxpy(drawn.problem, private=drawn.private)
    error = caught.value
    if not any(word in kind for word in NAMELESS) and "in bounds" not in kind:
        assert re.search(r"the odd one|the objective", error.got), error.got
    if kind in PRIVATE and "is not convex in" not in error.got and "matrix cone" not in kind:
        assert re.search(r"contains? private data|DCP", error.got), error.got
    assert error.needed
    assert error.remedy
    assert "pieces" not in str(error)
    for parameter in drawn.private:  # nor is a value told
        assert not any(f"{value:.4f}" in str(error) for value in np.ravel(parameter.value))


def test_there_are_three_hundred_of_them() -> None:
    assert not set(PRIVATE) & set(CURVED)
    assert 5 * len(KINDS) >= 300


X, T, P = cp.Variable(3, name="x"), cp.Variable(name="t"), cp.Parameter(name="demand")


def problem(cost: object, *constraints: object) -> cp.Problem:
    return cp.Problem(cp.Minimize(cost), list(constraints))


@pytest.mark.parametrize(
    ("given", "got", "remedy"),
    [
        (problem(cp.sum(X) + 2 * P, cp.sum(X) == P),
         "the objective contains private data (demand).", "t == demand"),
        (problem(cp.norm(X), cp.sum(X) == P, X[0] + 2 * (P * T) <= 3),
         "constraint 1 (x[0] + 2.0 * demand * T <= 3.0)", "reciprocal"),
        (problem(cp.norm(X) + cp.sum_squares(X) - cp.sqrt(cp.abs(T) + 1), cp.sum(X) == P),
         "in the objective (minimize", "concave ones above"),
        (problem(cp.norm(X), cp.sum(X) == P, cp.norm(X) + cp.lambda_max(cp.diag(X)) <= 9),
         "lambda_max(diag_vec(reshape(x, (3,), F), 0)) in constraint 1", "norms of its rows"),
        (problem(cp.norm(X), cp.sum(X) == P, cp.FiniteSet(X[0], [1, 2])),
         "has integers", "relax"),
        (problem(cp.norm(X), cp.sum(X) == P, X[0] + np.nan * X[1] <= 2),
         "nan * x[1] in constraint 1", "clean the numbers"),
    ],
)  # fmt: skip
def test_the_smallest_part_is_to_blame(given: cp.Problem, got: str, remedy: str) -> None:
    with pytest.raises(InputError) as caught:
        from_cvxpy(given, private=P)
    assert got.replace("T", "t") in caught.value.got
    assert remedy in caught.value.remedy
