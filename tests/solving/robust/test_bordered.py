"""Large draws by the rows that tie them: against the dense system it stands for."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp

from privopt.solving.robust import draws
from privopt.solving.robust.bordered import Bordered
from privopt.solving.robust.draws import DrawsProgram


@pytest.mark.parametrize("seed", range(3))
def test_steps_solve_the_whole_system(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count, n, ties, values, rows = 3, 7, 3, 2, 2
    C, L = rng.normal(size=(ties, n)), rng.normal(size=(rows, n))
    diagonal, weights = rng.uniform(0.5, 2, (count, n)), rng.uniform(0.1, 10, (count, rows))
    g, right = rng.normal(size=(count, n)), rng.normal(size=values)
    made = Bordered(diagonal, L, weights, sp.csr_array(C), values)
    moved, pull = made.left(g)
    q = np.linalg.solve(made.reduced, right + pull)
    steps = made.solved(moved, q)
    # All at once: x_1, .., v_1, .., q.
    X = la.block_diag(
        *(np.diag(D) + L.T @ (w[:, None] * L) for D, w in zip(diagonal, weights, strict=True))
    )
    each = np.kron(np.eye(count), C)
    J = np.kron(np.ones((count, 1)), np.eye(ties)[:, ties - values :])
    size = count * (n + ties) + values
    whole, known = np.zeros((size, size)), np.zeros(size)
    a, b = count * n, count * (n + ties)
    whole[:a, :a], whole[:a, a:b], whole[a:b, :a] = X, each.T, each
    whole[a:b, b:], whole[b:, a:b] = -J, -J.T
    known[:a], known[b:] = g.ravel(), right
    solution = np.linalg.solve(whole, known)
    np.testing.assert_allclose(steps.ravel(), solution[:a], atol=1e-10)
    np.testing.assert_allclose(q, solution[b:], atol=1e-10)


def test_the_two_systems_of_a_two_stage_program_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    count, n, p = 3, 8, 2
    C = np.vstack([rng.normal(size=(1, n)), np.eye(n)[:p]])
    M = np.vstack([np.eye(n), -np.eye(n), rng.normal(size=(3, n))])
    inverse = np.linalg.pinv(C)
    one = DrawsProgram(
        M=M, limits=rng.uniform(1, 2, (count, len(M))), base=0.1 * rng.normal(size=(count, n)),
        R=inverse[:, 1:], Z=la.null_space(C), linear=rng.normal(size=n),
        C2=np.diag(rng.uniform(0, 1, n)), fidelity=rng.uniform(0, 1, p), answer=np.zeros(p),
        cuts=rng.normal(size=(1, p)), ends=np.ones(1), C=sp.csr_array(C),
    )  # fmt: skip
    weights = rng.uniform(0.05, 20, len(one.b))
    f, h = rng.normal(size=len(one.q)), rng.normal(size=len(one.b))
    by_directions = one.newton(weights)(f, np.zeros(0), h)
    monkeypatch.setattr(draws, "LARGE", 1)
    by_rows = one.newton(weights)(f, np.zeros(0), h)
    assert not np.array_equal(by_rows[0], by_directions[0])  # another way, to the same step
    for mine, other in zip(by_rows, by_directions, strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-9)
