"""The Newton structure of many draws: against the dense system it stands for."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from privopt.solving.interior import interior_point
from privopt.solving.robust.draws import DrawsProgram


def made(seed: int, cuts: int) -> DrawsProgram:
    rng = np.random.default_rng(seed)
    count, n, p, f, m = 4, 5, 2, 3, 6
    half = rng.normal(size=(n, n))
    M = rng.normal(size=(m, n))
    M[0, 1:] = 0.0  # a row with one entry
    return DrawsProgram(
        M=M, limits=rng.uniform(1, 2, (count, m)), base=0.1 * rng.normal(size=(count, n)),
        R=rng.normal(size=(n, p)), Z=rng.normal(size=(n, f)), linear=rng.normal(size=n),
        C2=half @ half.T, fidelity=rng.uniform(0, 1, p), answer=rng.normal(size=p),
        cuts=rng.normal(size=(cuts, p)), ends=rng.uniform(0.1, 1, cuts),
    )  # fmt: skip


@pytest.mark.parametrize("cuts", [0, 2])
def test_a_newton_step_solves_its_system(cuts: int) -> None:
    one, rng = made(1, cuts), np.random.default_rng(2)
    size, rows = len(one.q), len(one.b)
    P = np.column_stack([one.quadratic(row) for row in np.eye(size)])
    B = np.column_stack([one.rows(row) for row in np.eye(size)])
    np.testing.assert_allclose(P, P.T, atol=1e-12)
    np.testing.assert_allclose(
        B.T, np.column_stack([one.rows_transposed(row) for row in np.eye(rows)]), atol=1e-12
    )
    s, dual = rng.uniform(0.5, 2, rows), rng.uniform(0.5, 2, rows)
    f, h = rng.normal(size=size), rng.normal(size=rows)
    dx, _, dl = one.newton(dual / s)(f, np.zeros(0), h)
    np.testing.assert_allclose(P @ dx + B.T @ dl, f, atol=1e-8)
    np.testing.assert_allclose(B @ dx - s / dual * dl, h, atol=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_is_that_of_cvxpy(seed: int) -> None:
    one = made(seed, 1)
    found = interior_point(one, one.start(one.answer), 1e-9)
    assert found is not None
    q, Y = cp.Variable(one.R.shape[1]), cp.Variable((4, one.Z.shape[1]))
    half = np.linalg.cholesky(one.C2).T
    cost, rows = one.fidelity @ cp.square(q - one.answer), [one.cuts @ q <= one.ends]
    for k in range(4):
        x = one.base[k] + one.R @ q + one.Z @ Y[k]
        cost = cost + (one.linear @ x + cp.sum_squares(half @ x)) / 4
        rows.append(one.M @ x <= one.limits[k])
    model = cp.Problem(cp.Minimize(cost), rows)
    model.solve(solver=cp.CLARABEL)
    np.testing.assert_allclose(one.variables(found.x)[0], np.asarray(q.value), atol=1e-4)
    mine = one.solutions(found.x)
    own = np.mean([one.linear @ x + x @ one.C2 @ x for x in mine])
    own += one.fidelity @ np.square(one.variables(found.x)[0] - one.answer)
    assert own == pytest.approx(float(model.value), rel=1e-6, abs=1e-6)
