"""The Newton structure of a certificate: steps against dense algebra, optima against CVXPY."""

from __future__ import annotations

from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

from privopt.solving.interior import interior_point
from privopt.solving.robust.columns import Columns

KINDS = ("none", "zones", "overlapping")


def program(seed: int, kind: str) -> Columns:
    rng = np.random.default_rng(seed)
    F, f, q = 7, 4, 6
    zones = np.kron(np.eye(2), np.ones((1, 3)))
    W = {"none": np.zeros((0, q)), "zones": zones, "overlapping": rng.normal(size=(2, q))}[kind]
    return Columns(
        B=rng.normal(size=(F, f)), a=rng.normal(size=(F, q)), room=rng.uniform(0, 2, F),
        size=rng.uniform(1, 2, F), W=W, centre=0.2 * rng.normal(size=len(W)),
        width=rng.uniform(0.1, 0.5, len(W)), half=rng.uniform(0.2, 1, q),
        fixed=rng.normal(size=(3, f)), fixed_room=rng.uniform(0, 1, 3), fixed_size=np.ones(3),
        near=1e-3,
    )  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_a_step_solves_the_newton_system(seed: int, kind: str) -> None:
    made, rng = program(seed, kind), np.random.default_rng(seed)
    n, m = len(made.q), len(made.b)
    R = np.column_stack([made.rows(unit) for unit in np.eye(n)])
    P = np.column_stack([made.quadratic(unit) for unit in np.eye(n)])
    np.testing.assert_allclose(
        R.T, np.column_stack([made.rows_transposed(unit) for unit in np.eye(m)])
    )
    slack, dual = rng.uniform(0.1, 2, (2, m))
    f, h = rng.normal(size=n), rng.normal(size=m)
    x, y, change = made.newton(dual / slack)(f, np.zeros(0), h)
    assert len(y) == 0
    np.testing.assert_allclose(P @ x + R.T @ change, f, atol=1e-8)
    np.testing.assert_allclose(R @ x - slack / dual * change, h, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_that_of_the_model_written_down(seed: int, kind: str) -> None:
    made = program(seed, kind)
    if seed == 2:  # one with a certificate
        made = replace(made, room=made.room + 20.0)
    found = interior_point(made, made.start(), 1e-9)
    assert found is not None
    F, f = made.B.shape
    q, r = len(made.half), len(made.W)
    v, s, Y = cp.Variable(f), cp.Variable(nonneg=True), cp.Variable((f, q))
    m = cp.Variable((F, r)) if r else None
    bent = made.a + made.B @ Y - (0 if m is None else m @ made.W)
    margin = cp.abs(bent) @ made.half
    if m is not None:
        margin = margin + m @ made.centre + cp.abs(m) @ made.width
    cost = s + made.near / 2 * (cp.sum_squares(v) + cp.sum_squares(cp.multiply(Y, made.half[None])))
    model = cp.Problem(
        cp.Minimize(cost),
        [
            made.B @ v + margin <= made.room + s * made.size,
            made.fixed @ v <= made.fixed_room + s * made.fixed_size,
        ],
    )
    model.solve(solver=cp.CLARABEL)
    assert found.value == pytest.approx(model.value, abs=1e-6)
    own_v, own_s, *_ = made.variables(found.x)
    assert own_s == pytest.approx(float(s.value), abs=1e-5)
    np.testing.assert_allclose(own_v, np.asarray(v.value), atol=1e-2)
    np.testing.assert_allclose(made.change(found.x).T, np.asarray(Y.value), atol=1e-2)
