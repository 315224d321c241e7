"""X in the place of V: every row and every cost is that of the program as it was written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from privopt.solving.problem import Cone, ConicProblem, Kind
from privopt.solving.space import Space
from privopt.solving.substitution import substituted

N, AUXILIARY, ROWS = 3, 2, 9


def sparse(rng: np.random.Generator, *shape: int) -> Any:
    """Half of its entries are zero, some rows all of them."""
    found = rng.normal(size=shape) * (rng.random(shape) < 0.5)
    found[rng.random(shape[0]) < 0.2] = 0.0
    return sp.csr_array(found)


def drawn(seed: int, watched: int, numbers: int, conditions: int, r: int) -> dict[str, Any]:
    """A program, and a space of watched rows, numbers and conditions with r columns."""
    rng = np.random.default_rng(seed)
    rows = sparse(rng, watched, numbers)
    space = Space(
        sparse(rng, conditions, numbers), rows, rows, sparse(rng, numbers, numbers), lambda X: X
    )
    P = [sparse(rng, N, N), *((1.0 + j) * space.quadratic for j in range(r))]
    width = N + watched * r + AUXILIARY
    problem = ConicProblem(
        sp.csc_array((width, width)),
        rng.normal(size=width),
        sparse(rng, ROWS, width).tocsc(),
        rng.normal(size=ROWS),
        (Cone.nonnegative(4), Cone.second_order(5)),
    )
    return {"problem": problem, "space": space, "P": P, "q": rng.normal(size=N + numbers * r)}


SHAPES = {"some": (4, 3, 2, 3), "no conditions": (4, 2, 0, 3), "nothing watched": (0, 3, 2, 2)}


@pytest.mark.parametrize("still", [None, [], [1, 4]])
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_and_cost_are_those_of_the_values(shape: str, still: list[int] | None) -> None:
    given, r = drawn(1, *SHAPES[shape]), SHAPES[shape][-1]
    problem, space = given["problem"], given["space"]
    kept = None if still is None else np.array(still, dtype=np.intp)
    made = substituted(problem, N, space, r, given["P"], given["q"], kept)
    rng = np.random.default_rng(2)
    z, more = rng.normal(size=N), rng.normal(size=AUXILIARY)
    X = rng.normal(size=(r, space.rows.shape[1]))  # a column a row
    x = np.concatenate([z, X.ravel(), more])
    before = np.concatenate([z, (X @ space.rows.T).ravel(), more])
    # The rows, then K X = 0 of each column, then what is still.
    wanted = [problem.b - problem.A @ before, -(X @ space.K.T).ravel()]
    wanted += [-x[N:][still]] if still else []
    assert made.b - made.A @ x == pytest.approx(np.concatenate(wanted))
    assert made.cones[:2] == problem.cones
    assert all(cone.kind is Kind.ZERO for cone in made.cones[2:])
    assert sum(cone.size for cone in made.cones) == len(made.b) == made.A.shape[0]
    cost = z @ (given["P"][0] @ z)
    cost += sum((1.0 + j) * v @ (space.quadratic @ v) for j, v in enumerate(X))
    assert x @ (made.P @ x) == pytest.approx(cost)
    linear = given["q"] @ x[: len(given["q"])] + problem.q[len(before) - AUXILIARY :] @ more
    assert made.q @ x == pytest.approx(linear)
