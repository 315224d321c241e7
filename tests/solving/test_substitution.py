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


def drawn(seed: int, shapes: list[tuple[int, int, int, int]]) -> dict[str, Any]:
    """A program, and spaces of (watched rows, numbers, conditions) with some columns each."""
    rng = np.random.default_rng(seed)
    groups: list[tuple[Space, int]] = []
    P: list[Any] = [sparse(rng, N, N)]
    for watched, numbers, conditions, columns in shapes:
        rows = sparse(rng, watched, numbers)
        space = Space(
            sparse(rng, conditions, numbers), rows, rows, sparse(rng, numbers, numbers),
            lambda X, _: X,
        )  # fmt: skip
        groups.append((space, columns))
        P += [(1.0 + j) * space.quadratic for j in range(columns)]
    width = N + sum(space.rows.shape[0] * r for space, r in groups) + AUXILIARY
    problem = ConicProblem(
        sp.csc_array((width, width)),
        rng.normal(size=width),
        sparse(rng, ROWS, width).tocsc(),
        rng.normal(size=ROWS),
        (Cone.nonnegative(4), Cone.second_order(5)),
    )
    numbers = sum(space.rows.shape[1] * r for space, r in groups)
    return {"problem": problem, "groups": groups, "P": P, "q": rng.normal(size=N + numbers)}


SHAPES = {
    "none": [],
    "one": [(4, 3, 2, 3)],
    "gain and noise": [(3, 5, 1, 2), (4, 2, 0, 3)],
    "nothing watched": [(0, 3, 2, 2), (2, 2, 1, 1)],
}


@pytest.mark.parametrize("still", [None, [], [1, 4]])
@pytest.mark.parametrize("shapes", SHAPES)
def test_rows_and_cost_are_those_of_the_values(shapes: str, still: list[int] | None) -> None:
    if still and not SHAPES[shapes]:
        still = None
    given = drawn(1, SHAPES[shapes])
    problem, groups = given["problem"], given["groups"]
    kept = None if still is None else np.array(still, dtype=np.intp)
    made = substituted(problem, N, groups, given["P"], given["q"], kept)
    rng = np.random.default_rng(2)
    z, more = rng.normal(size=N), rng.normal(size=AUXILIARY)
    X = [rng.normal(size=(r, space.rows.shape[1])) for space, r in groups]  # a column a row
    values = [(one @ space.rows.T).ravel() for one, (space, _) in zip(X, groups, strict=True)]
    x = np.concatenate([z, *(one.ravel() for one in X), more])
    before = np.concatenate([z, *values, more])
    # The rows, then K X = 0 of each column, then what is still.
    wanted = [problem.b - problem.A @ before]
    wanted += [-(one @ space.K.T).ravel() for one, (space, _) in zip(X, groups, strict=True)]
    wanted += [-x[N:][still]] if still else []
    assert made.b - made.A @ x == pytest.approx(np.concatenate(wanted))
    assert made.cones[:2] == problem.cones
    assert all(cone.kind is Kind.ZERO for cone in made.cones[2:])
    assert sum(cone.size for cone in made.cones) == len(made.b) == made.A.shape[0]
    cost = z @ (given["P"][0] @ z)
    for one, (space, _) in zip(X, groups, strict=True):
        cost += sum((1.0 + j) * v @ (space.quadratic @ v) for j, v in enumerate(one))
    assert x @ (made.P @ x) == pytest.approx(cost)
    linear = given["q"] @ x[: len(given["q"])] + problem.q[len(before) - AUXILIARY :] @ more
    assert made.q @ x == pytest.approx(linear)
