"""Columns under 2-norms: the rows they stand for, written out, and steps by dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solving.parts import check_balance, check_places, check_steps

from privopt.arrays import Dense
from privopt.solving.round_columns import RoundColumns

COLUMNS, NUMBERS, WAYS, ROWS = 3, 4, 5, 8
KINDS = ["norms", "tilts", "tilts alone"]


def made(kind: str) -> RoundColumns:
    """Random columns; of the shared rows, the last two are others'."""
    rng = np.random.default_rng(KINDS.index(kind))
    group = np.array([0, 2, 2, 3, 1, 4], dtype=np.intp)
    square, count = rng.normal(size=(NUMBERS, NUMBERS)), len(group)
    rho, tau = rng.uniform(0.5, 2.0, count), rng.normal(size=(count, COLUMNS))
    return RoundColumns(
        root=rng.normal(size=(WAYS, NUMBERS)),
        curve=square @ square.T + np.eye(NUMBERS),
        fixed=rng.normal(size=(COLUMNS, WAYS)),
        group=group,
        rho=rho if kind != "tilts alone" else 0.0 * rho,
        tau=tau if kind != "norms" else 0.0 * tau,
        rows=ROWS,
    )


def drawn(part: RoundColumns) -> tuple[Dense, Dense]:
    """Numbers N and their values V = F + Lambda N, a column a row."""
    N = np.random.default_rng(9).normal(size=(COLUMNS, NUMBERS))
    return N, part.fixed + np.array([part.root @ n for n in N])


@pytest.mark.parametrize("kind", KINDS)
def test_its_rows_and_its_cost_are_what_they_stand_for(kind: str) -> None:
    part = made(kind)
    N, V = drawn(part)
    t = np.random.default_rng(8).normal(size=WAYS)
    x = np.concatenate([N.ravel(), t])
    for mine, other in zip(part.parts(x), (N, t), strict=True):
        assert mine.tolist() == other.tolist()
    slack = (part.limits - part.own(x)).reshape(part.cones, 1 + COLUMNS)
    for g, (head, *tail) in enumerate(slack):  # |(V_1g, .., V_pg)| <= t_g
        assert head == pytest.approx(t[g])
        assert tail == pytest.approx(V[:, g])
    taken = part.shared(x) + part.added_by(part.fixed)[1]
    for i, g in enumerate(part.group):
        assert taken[i] == pytest.approx(part.rho[i] * t[g] + part.tau[i] @ V[:, g])
    assert not taken[len(part.group) :].any()
    assert x @ part.quadratic(x) == pytest.approx(sum(n @ part.curve @ n for n in N))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_steps_are_those_of_dense_matrices(kind: str, seed: int) -> None:
    check_steps(made(kind), ROWS, 1 + COLUMNS, seed)


def test_values_that_are_added_count_like_those_of_numbers() -> None:
    part = made("tilts")
    N, V = drawn(part)
    own, rows = part.added_by(V - part.fixed)
    x = np.concatenate([N.ravel(), np.zeros(WAYS)])
    assert own == pytest.approx(part.own(x))
    assert rows == pytest.approx(part.shared(x))


@pytest.mark.parametrize("t", [1e-4, 0.3])
def test_a_start_is_in_balance(t: float) -> None:
    """Without a tilt, which no start knows of, and with values of its own besides."""
    part = made("norms")
    N, V = drawn(part)
    dual, more = np.random.default_rng(4).uniform(0.5, 2.0, ROWS), 0.3 * V
    start = part.start(N, more, dual, t)
    assert part.parts(start.x)[0] == pytest.approx(N)
    check_balance(part, start, dual, t, part.added_by(more)[0], (WAYS, 1 + COLUMNS))
    tight = part.start(N, more, np.full(ROWS, 1e100), 0.0)  # nothing but the norm itself
    assert part.parts(tight.x)[1] == pytest.approx(np.linalg.norm(V + more, axis=0))


def test_numbers_nearest_to_values() -> None:
    part = made("tilts")
    N, V = drawn(part)
    assert part.nearest(V) == pytest.approx(N)
    off = np.random.default_rng(5).normal(size=V.shape)
    left = V + off - part.fixed - part.nearest(V + off) @ part.root.T
    assert left @ part.root == pytest.approx(np.zeros((COLUMNS, NUMBERS)), abs=1e-10)


def test_rows_of_a_direction_are_those_of_its_variables() -> None:
    part = made("tilts")
    size = np.repeat([0.0, 1.0], [COLUMNS * NUMBERS, WAYS])
    check_places(part, np.array([1, 3], dtype=np.intp), size)
