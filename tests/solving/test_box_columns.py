"""Columns under a box: the rows they stand for, written out, and steps by dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solving.parts import check_balance, check_places, check_steps

from privopt.arrays import Dense
from privopt.solving.box_columns import BoxColumns

COLUMNS, NUMBERS, WORKING = 3, 2, 4
KINDS = ["one root", "a root each", "budgets", "a root each, budgets, even"]


def made(kind: str) -> BoxColumns:
    """Random columns; without `even`, boxes that are not centred at zero."""
    rng = np.random.default_rng(KINDS.index(kind))
    every = WORKING + (2 if "budgets" in kind else 0)
    group = np.array([0, 2, 2, 3, 1], dtype=np.intp)
    factor = rng.normal(size=len(group))
    each = (COLUMNS,) if "each" in kind else ()
    square = rng.normal(size=(*each, NUMBERS, NUMBERS))
    return BoxColumns(
        root=rng.normal(size=(*each, every, NUMBERS)),
        curve=square @ np.swapaxes(square, -1, -2) + np.eye(NUMBERS),
        weight=rng.uniform(0.5, 2.0, COLUMNS),
        fixed=rng.normal(size=(COLUMNS, every)),
        half=rng.uniform(0.5, 2.0, (COLUMNS, every)),
        middle=np.zeros(COLUMNS) if "even" in kind else rng.normal(size=COLUMNS),
        working=WORKING,
        group=group,
        size=np.abs(factor),
        tilt=factor,
        rows=len(group) + COLUMNS,  # without budgets of its own, those of others
    )


def drawn(part: BoxColumns) -> tuple[Dense, Dense, Dense]:
    """Numbers N, their values V = F + Lambda N, and U."""
    rng = np.random.default_rng(9)
    N, U = rng.normal(size=(COLUMNS, NUMBERS)), rng.normal(size=part.fixed.shape)
    roots = np.broadcast_to(part.root, (COLUMNS, *part.root.shape[-2:]))
    V = part.fixed + np.array([root @ n for root, n in zip(roots, N, strict=True)])
    return N, V, U


@pytest.mark.parametrize("kind", KINDS)
def test_its_rows_and_its_cost_are_what_they_stand_for(kind: str) -> None:
    part = made(kind)
    N, V, U = drawn(part)
    x = np.concatenate([N.ravel(), U.ravel()])
    for mine, other in zip(part.parts(x), (N, U), strict=True):
        assert mine.tolist() == other.tolist()
    over = np.concatenate([(V - U).ravel(), (-V - U).ravel()])  # -U <= V <= U
    assert part.own(x) - part.limits == pytest.approx(over)
    taken = part.shared(x) + part.added_by(part.fixed)[1]
    for i, g in enumerate(part.group):
        worst = part.size[i] * sum(part.half[j, g] * U[j, g] for j in range(COLUMNS))
        middle = part.tilt[i] * sum(part.middle[j] * V[j, g] for j in range(COLUMNS))
        assert taken[i] == pytest.approx(worst + middle)
    for j in range(COLUMNS):
        budget = float(part.half[j, WORKING:] @ U[j, WORKING:])  # nothing, without one
        assert taken[len(part.group) + j] == pytest.approx(budget)
    curves = np.broadcast_to(part.curve, (COLUMNS, NUMBERS, NUMBERS))
    cost = sum(w * n @ C @ n for w, n, C in zip(part.weight, N, curves, strict=True))
    assert x @ part.quadratic(x) == pytest.approx(cost)


def test_with_u_at_its_least_a_row_takes_the_support_of_the_box() -> None:
    """size half |V| + tilt middle V is the largest factor V v over the box of v."""
    part = made("one root")
    N, V, _ = drawn(part)
    x = np.concatenate([N.ravel(), np.abs(V).ravel()])
    taken = part.shared(x) + part.added_by(part.fixed)[1]
    for i, g in enumerate(part.group):
        ends = [part.middle + sign * part.half[:, g] for sign in (-1, 1)]
        worst = np.maximum(*(part.tilt[i] * V[:, g] * end for end in ends)).sum()
        assert taken[i] == pytest.approx(worst)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_steps_are_those_of_dense_matrices(kind: str, seed: int) -> None:
    part = made(kind)
    check_steps(part, part.rows, 1, seed)


@pytest.mark.parametrize("kind", KINDS)
def test_what_multipliers_do_to_values(kind: str) -> None:
    part = made(kind)
    _, V, _ = drawn(part)
    dual, still = np.random.default_rng(3).normal(size=part.rows), 0.0 * V
    own, rows = part.added_by(V)
    assert own == pytest.approx(np.concatenate([V.ravel(), -V.ravel()]))
    assert dual @ rows == pytest.approx((part.on_values(dual) * V).sum())
    assert not part.added_by(still)[1].any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("t", [1e-4, 0.3])
def test_a_start_is_in_balance(kind: str, t: float) -> None:
    part = made(kind)
    N, V, _ = drawn(part)
    dual = np.random.default_rng(4).uniform(0.5, 2.0, part.rows)
    more = 0.3 * V
    start = part.start(N, more, dual, t)
    assert part.parts(start.x)[0] == pytest.approx(N)
    check_balance(part, start, dual, t, part.added_by(more)[0], (0, 1))


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_nearest_to_values(kind: str) -> None:
    part = made(kind)
    N, V, _ = drawn(part)
    assert part.nearest(V) == pytest.approx(N)
    off = np.random.default_rng(5).normal(size=V.shape)
    roots = np.broadcast_to(part.root, (COLUMNS, *part.root.shape[-2:]))
    for j, n in enumerate(part.nearest(V + off)):
        left = V[j] + off[j] - part.fixed[j] - roots[j] @ n
        assert roots[j].T @ left == pytest.approx(np.zeros(NUMBERS), abs=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_directions_are_those_of_their_variables(kind: str) -> None:
    """Those with a budget, which every such program has, come along."""
    part, directions = made(kind), np.array([1, 3], dtype=np.intp)
    size = np.repeat([0.0, 1.0], [COLUMNS * NUMBERS, part.fixed.size])
    check_places(part, directions, size)
    budgets = part.fixed.shape[1] - WORKING
    assert len(part.places(directions)[0]) == COLUMNS * (len(directions) + budgets)
