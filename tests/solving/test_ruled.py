"""Gain and recourse of an affine rule as one part: at every T the two parts, and dense steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.solving.parts import check_steps

from privopt.solving.box_columns import BoxColumns
from privopt.solving.round_columns import RoundColumns
from privopt.solving.ruled import Ruled

COLUMNS, SUMS, LEADS, NUMBERS, WAYS = 3, 2, 2, 3, 4
KINDS = ["box", "norms", "tilts"]


def made(kind: str) -> Ruled:
    rng = np.random.default_rng(KINDS.index(kind))
    group = np.array([0, 2, 2, 3, 1], dtype=np.intp)
    factor, count = rng.normal(size=len(group)), len(group)
    root, square = rng.normal(size=(WAYS, NUMBERS)), rng.normal(size=(NUMBERS, NUMBERS))
    curve = square @ square.T + np.eye(NUMBERS)

    def box(columns: int) -> BoxColumns:
        return BoxColumns(
            root=root, curve=curve, weight=rng.uniform(0.5, 2.0, columns),
            fixed=rng.normal(size=(columns, WAYS)), half=rng.uniform(0.5, 2.0, (columns, WAYS)),
            middle=rng.normal(size=columns), working=WAYS, group=group, size=np.abs(factor),
            tilt=factor, rows=count,
        )  # fmt: skip

    noise: BoxColumns | RoundColumns = replace(box(SUMS), fixed=np.zeros((SUMS, WAYS)))
    if kind != "box":
        tau = rng.normal(size=(count, SUMS)) * (kind == "tilts")
        noise = RoundColumns(
            root=root, curve=1.3 * curve, fixed=np.zeros((SUMS, WAYS)), group=group,
            rho=rng.uniform(0.5, 2.0, count), tau=tau, rows=count,
        )  # fmt: skip
    whole = rng.normal(size=(LEADS * SUMS, LEADS * SUMS))
    return Ruled(
        box(COLUMNS), noise, rng.normal(size=(WAYS, LEADS)), rng.normal(size=(SUMS, COLUMNS)),
        whole @ whole.T + np.eye(len(whole)), rng.normal(size=(LEADS, SUMS)),
    )  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_at_every_answer_it_is_the_two_parts(kind: str) -> None:
    part, rng = made(kind), np.random.default_rng(5)
    x = rng.normal(size=len(part.cost))
    own, noise, T = part.parts(x)
    gain = replace(part.gain, fixed=part.gain.fixed + (part.lead @ T @ part.W).T)
    recourse = replace(part.noise, fixed=(part.lead @ T).T)
    count = len(gain.limits)
    slack = part.limits - part.own(x)
    assert slack[:count] == pytest.approx(gain.limits - gain.own(own))
    assert slack[count:] == pytest.approx(recourse.limits - recourse.own(noise))
    wanted = gain.shared(own) + gain.added_by((part.lead @ T @ part.W).T)[1]
    wanted += recourse.shared(noise) + recourse.added_by((part.lead @ T).T)[1]
    assert part.shared(x) == pytest.approx(wanted)
    cost = own @ gain.quadratic(own) + noise @ recourse.quadratic(noise)
    assert x @ part.quadratic(x) == pytest.approx(cost + T.ravel() @ part.curve @ T.ravel())
    assert part.cost @ x == pytest.approx((part.pull * T).sum())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_steps_are_those_of_dense_matrices(kind: str, seed: int) -> None:
    part = made(kind)
    check_steps(part, part.gain.rows, 1 + SUMS, seed)


@pytest.mark.parametrize("kind", KINDS)
def test_a_start_is_on_its_rows(kind: str) -> None:
    part, rng = made(kind), np.random.default_rng(6)
    N, M = rng.normal(size=(COLUMNS, NUMBERS)), rng.normal(size=(SUMS, NUMBERS))
    T = rng.normal(size=(LEADS, SUMS))
    start = part.start(N, M, T, np.full(part.gain.rows, 0.7), 0.01)
    assert start.slack == pytest.approx(part.limits - part.own(start.x), abs=1e-9)
    assert (part.parts(start.x)[2] == T).all()


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_a_direction_are_those_of_the_parts(kind: str) -> None:
    part, directions = made(kind), np.array([1, 3], dtype=np.intp)
    x, rows = part.places(directions)
    first, second = part.gain.places(directions), part.noise.places(directions)
    assert x.tolist() == [*first[0], *(len(part.gain.cost) + second[0])]
    assert rows.tolist() == [*first[1], *(len(part.gain.limits) + second[1])]
