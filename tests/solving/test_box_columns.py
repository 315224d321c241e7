"""Columns under a box: the rows they stand for, written out, and steps by dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solving.parts import matrix, weights

from privopt.arrays import Dense
from privopt.solving.box_columns import BoxColumns

COLUMNS, NUMBERS, WORKING, ROWS = 3, 2, 4, 5


def made(*, even: bool) -> BoxColumns:
    """Random columns; unless `even`, under boxes that are not centred at zero."""
    rng = np.random.default_rng(int(even))
    group = np.array([0, 2, 2, 3, 1], dtype=np.intp)
    factor, square = rng.normal(size=ROWS), rng.normal(size=(NUMBERS, NUMBERS))
    return BoxColumns(
        root=rng.normal(size=(WORKING, NUMBERS)),
        curve=square @ square.T + np.eye(NUMBERS),
        weight=rng.uniform(0.5, 2.0, COLUMNS),
        fixed=rng.normal(size=(COLUMNS, WORKING)),
        half=rng.uniform(0.5, 2.0, (COLUMNS, WORKING)),
        middle=np.zeros(COLUMNS) if even else rng.normal(size=COLUMNS),
        group=group,
        size=np.abs(factor),
        tilt=factor,
    )


BOTH = pytest.mark.parametrize(
    "part", [made(even=True), made(even=False)], ids=["even", "lopsided"]
)


def drawn(part: BoxColumns) -> tuple[Dense, Dense, Dense]:
    """Numbers N, their values V = F + Lambda N, and U."""
    rng = np.random.default_rng(9)
    N, U = rng.normal(size=(COLUMNS, NUMBERS)), rng.normal(size=part.fixed.shape)
    return N, part.fixed + N @ part.root.T, U


@BOTH
def test_its_rows_and_its_cost_are_what_they_stand_for(part: BoxColumns) -> None:
    N, V, U = drawn(part)
    x = np.concatenate([N.ravel(), U.ravel()])
    for mine, other in zip(part.parts(x), (N, U), strict=True):
        assert mine.tolist() == other.tolist()
    over = np.concatenate([(V - U).ravel(), (-V - U).ravel()])  # -U <= V <= U
    assert part.own(x) - part.limits == pytest.approx(over)
    taken = part.shared(x) + part.added
    for i, g in enumerate(part.group):
        worst = part.size[i] * sum(part.half[j, g] * U[j, g] for j in range(COLUMNS))
        middle = part.tilt[i] * sum(part.middle[j] * V[j, g] for j in range(COLUMNS))
        assert taken[i] == pytest.approx(worst + middle)
    cost = sum(w * n @ part.curve @ n for w, n in zip(part.weight, N, strict=True))
    assert x @ part.quadratic(x) == pytest.approx(cost)


@BOTH
def test_with_u_at_its_least_a_row_takes_the_support_of_the_box(part: BoxColumns) -> None:
    """size half |V| + tilt middle V is the largest factor V v over the box of v."""
    N, V, _ = drawn(part)
    taken = part.shared(np.concatenate([N.ravel(), np.abs(V).ravel()])) + part.added
    for i, g in enumerate(part.group):
        ends = [part.middle + sign * part.half[:, g] for sign in (-1, 1)]
        worst = np.maximum(*(part.tilt[i] * V[:, g] * end for end in ends)).sum()
        assert taken[i] == pytest.approx(worst)


@BOTH
@pytest.mark.parametrize("seed", range(3))
def test_steps_are_those_of_dense_matrices(part: BoxColumns, seed: int) -> None:
    """Transposes are transposes; `reduced` knows K^-1 and C K^-1 C', K = P + B'W B."""
    n, own = len(part.cost), weights(np.random.default_rng(seed), len(part.limits))
    P, B, C = (matrix(one, n) for one in (part.quadratic, part.own, part.shared))
    assert B.shape == (len(part.limits), n)
    assert C.shape == (ROWS, n)
    assert pytest.approx(P.T) == P
    assert matrix(part.own_transposed, len(B)) == pytest.approx(B.T)
    assert matrix(part.shared_transposed, ROWS) == pytest.approx(C.T)
    inverse = np.linalg.inv(P + B.T @ np.diag(own) @ B)
    gram, solve = part.reduced(own)
    largest = np.abs(inverse).max()
    assert matrix(solve, n) == pytest.approx(inverse, rel=1e-6, abs=1e-9 * largest)
    wanted = C @ inverse @ C.T
    assert gram == pytest.approx(wanted, rel=1e-6, abs=1e-9 * np.abs(wanted).max())


@BOTH
@pytest.mark.parametrize("t", [1e-4, 0.3])
def test_a_start_is_in_balance(part: BoxColumns, t: float) -> None:
    """It is on its own rows, with products t, and in balance where it is not at N."""
    N, _, _ = drawn(part)
    dual = np.random.default_rng(4).uniform(0.5, 2.0, ROWS)
    start = part.start(N, dual, t)
    assert part.parts(start.x)[0] == pytest.approx(N)
    assert start.slack == pytest.approx(part.limits - part.own(start.x), abs=1e-9)
    assert start.slack * start.dual == pytest.approx(np.full(len(start.slack), t))
    assert (start.dual > 0).all()
    forces = part.own_transposed(start.dual) + part.shared_transposed(dual)
    assert forces[COLUMNS * NUMBERS :] == pytest.approx(np.zeros(part.fixed.size), abs=1e-8)


@BOTH
def test_numbers_nearest_to_values(part: BoxColumns) -> None:
    N, V, _ = drawn(part)
    assert part.nearest(V) == pytest.approx(N)
    off = np.random.default_rng(5).normal(size=V.shape)
    left = V + off - part.fixed - part.nearest(V + off) @ part.root.T
    assert left @ part.root == pytest.approx(np.zeros((COLUMNS, NUMBERS)), abs=1e-10)


@BOTH
def test_rows_of_directions_are_those_of_their_variables(part: BoxColumns) -> None:
    x, rows = part.places(np.array([1, 3], dtype=np.intp))
    B = matrix(part.own, len(part.cost))
    values = np.repeat([0.0, 1.0], [COLUMNS * NUMBERS, part.fixed.size])
    assert len({*x.tolist()}) == len(x) == COLUMNS * 2
    touched = np.flatnonzero(np.abs(B[rows]).max(axis=0) * values)
    assert sorted(touched.tolist()) == sorted(x.tolist())
    others = np.setdiff1d(np.arange(len(B)), rows)
    assert not np.abs(B[np.ix_(others, x)]).any()
