"""Columns with a level: at every s they are the columns whose F is s times a given one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.solving import test_box_columns, test_round_columns
from tests.solving.parts import check_steps, matrix

from privopt.arrays import Vector
from privopt.solving.box_columns import BoxColumns
from privopt.solving.leveled import Leveled
from privopt.solving.round_columns import RoundColumns

KINDS = ["one root", "budgets", "norms", "tilts"]
FLOOR = 0.4


def made(kind: str) -> Leveled:
    part: BoxColumns | RoundColumns
    part = (test_box_columns if kind in test_box_columns.KINDS else test_round_columns).made(kind)
    rng = np.random.default_rng(7)
    still = replace(part, fixed=0.0 * part.fixed)
    per_level, paid = rng.normal(size=part.fixed.shape), rng.normal(size=part.rows)
    return Leveled(still, per_level, paid, 1.7, FLOOR)


def drawn(level: Leveled, s: float) -> Vector:
    return np.append(np.random.default_rng(6).normal(size=len(level.cost) - 1), s)


@pytest.mark.parametrize("s", [0.0, 0.4, 2.5])
@pytest.mark.parametrize("kind", KINDS)
def test_at_a_level_it_is_the_part_with_that_much(kind: str, s: float) -> None:
    level = made(kind)
    x, fixed = drawn(level, s), s * level.per_level
    part = replace(level.part, fixed=fixed)
    slack = level.limits - level.own(x)
    assert slack[0] == pytest.approx(s - FLOOR)
    assert slack[1:] == pytest.approx(part.limits - part.own(x[:-1]))
    wanted = part.shared(x[:-1]) + part.added_by(fixed)[1] + s * level.paid
    assert level.shared(x) == pytest.approx(wanted)
    cost = x[:-1] @ part.quadratic(x[:-1]) + level.curve * s**2
    assert x @ level.quadratic(x) == pytest.approx(cost)
    assert level.cones == part.cones


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_steps_are_those_of_dense_matrices(kind: str, seed: int) -> None:
    level = made(kind)
    check_steps(level, level.part.rows, 1 + len(level.per_level), seed)


@pytest.mark.parametrize("s", [FLOOR, 0.41, 3.0])
@pytest.mark.parametrize("kind", KINDS)
def test_a_start_has_room_above_the_floor(kind: str, s: float) -> None:
    """Where s is at the floor, a part of s; everything else is that of the part at s."""
    level, t = made(kind), 0.01
    columns, numbers = len(level.per_level), level.part.root.shape[-1]
    N = np.random.default_rng(5).normal(size=(columns, numbers))
    dual = np.full(level.part.rows, 0.7)
    start = level.start(N, s, dual, t)
    part = replace(level.part, fixed=s * level.per_level).start(N, 0.0, dual, t)
    assert start.x == pytest.approx(np.append(part.x, s))
    assert start.slack[1:] == pytest.approx(part.slack)
    assert start.dual[1:] == pytest.approx(part.dual)
    assert s - FLOOR <= start.slack[0] <= max(s - FLOOR, 0.1 * s)
    assert start.slack[0] >= 0.01 * s
    assert start.slack[0] * start.dual[0] == pytest.approx(t)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_a_direction_and_that_of_the_floor(kind: str) -> None:
    """Of all variables but N and s, each of these rows has those of the directions alone."""
    level = made(kind)
    x, rows = level.places(np.array([1, 2], dtype=np.intp))
    mine = level.part.places(np.array([1, 2], dtype=np.intp))
    assert x.tolist() == mine[0].tolist()
    B = matrix(level.own, len(level.cost))
    inner = matrix(level.part.own, len(level.part.cost))
    assert np.flatnonzero(B[rows[0]]).tolist() == [len(level.cost) - 1]
    assert B[rows[1:], :-1] == pytest.approx(inner[mine[1]])
