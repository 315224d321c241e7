"""Equalities that follow from others, against dense ranks; plans with them, against plain CVXPY."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.reference.plain import plain_model

import privopt as po
from privopt.solving.projector import Projector
from privopt.solving.rank import RANK, independent_rows


def checked(C: np.ndarray) -> np.ndarray:
    """The rows kept: as many as the rank, and far enough from dependent."""
    kept = independent_rows(Projector(sp.csr_array(C)))
    unit = C / np.maximum(np.linalg.norm(C, axis=1), 1e-300)[:, None]
    rank = np.linalg.matrix_rank(unit, tol=1e-9)
    assert len(kept) == rank == np.linalg.matrix_rank(unit[kept], tol=1e-9)
    return kept


@pytest.mark.parametrize("seed", range(40))
def test_as_many_rows_are_kept_as_are_independent(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 25)), int(rng.integers(1, 20))
    more = int(rng.integers(0, 15))
    C = np.where(rng.random((k, n)) < 0.5, rng.normal(size=(k, n)), 0.0)
    C[np.arange(k), rng.integers(0, n, k)] += 1.0
    weights = np.where(rng.random((more, k)) < 0.4, rng.normal(size=(more, k)), 0.0)
    C = np.vstack([C, weights @ C])
    C = C[np.linalg.norm(C, axis=1) > 1e-9]
    C *= 10.0 ** rng.uniform(-6, 6, size=(len(C), 1)) if seed % 2 else 1.0
    checked(C[rng.permutation(len(C))])


def test_balances_of_a_network() -> None:
    """Three rings: each has one balance too many."""
    C = np.zeros((60, 60))
    for ring in range(3):
        at = 20 * ring + np.arange(20)
        C[at, at] += 1.0
        C[20 * ring + (np.arange(20) + 1) % 20, at] -= 1.0
    kept = checked(C)
    assert all(((kept >= 20 * i) & (kept < 20 * i + 20)).sum() == 19 for i in range(3))


def test_a_row_of_zeros_is_left_out() -> None:
    kept = independent_rows(Projector(sp.csr_array(np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 1.0]]))))
    assert kept.tolist() == [0, 2]


@pytest.mark.parametrize(("apart", "count"), [(1e-14, 1), (1e3 * RANK, 2), (1e-6, 2), (1e-4, 2)])
def test_nearly_is_not_dependent(apart: float, count: int) -> None:
    C = np.array([[1.0, 1.0, 1.0], [1.0, 1.0 + apart, 1.0]])
    assert len(independent_rows(Projector(sp.csr_array(C)))) == count


@pytest.mark.parametrize("factor", [1.0, 0.5, 1 / 3, 0.7, 1e-5])
def test_an_equality_given_twice_changes_nothing(factor: float) -> None:
    c, q = np.array([1.763, 0.113, 0.473, 0.975, 2.308]), np.array([0, 0.553, 0, 0, 0])
    A = np.array([
        [-1.408, 0.262, -1.14, -0.946, 0.565],
        [-0.153, 0.176, 1.47, -0.376, -0.018],
        [1.216, -1.408, 0.004, -2.353, -0.147],
    ])  # fmt: skip
    b, g, d = np.array([-1.789, 2.98, -2.796]), np.array([0.283, 0.935, 0.748, 1.065, 0.401]), 5.323
    program = po.ConvexProgram(
        linear=c, quadratic=q, A=A, b=b, G=np.vstack([g, factor * g]), d=[d, factor * d],
        lower=[0, 0, 0, 0, -np.inf], upper=[np.inf, 2.819, np.inf, 1.536, np.inf],
    )  # fmt: skip
    noise, rule = po.Laplace(epsilon=1.0, alpha=0.43325), po.Analytic(eta=0.1, margin="unimodal")
    plan = po.solve(program, po.Sum([[1, 2]]), noise, rule)
    rows = np.vstack([A, -np.eye(5)[:4], np.eye(5)[[1, 3]]])
    limits = np.concatenate([b, np.zeros(4), [2.819, 1.536]])
    plain = plain_model(
        c, np.diag(q), rows, limits, g[None], np.array([d]), np.array([[0.0, 1, 1, 0, 0]]),
        sigma=plan.calibration.deviation, factors=np.full(len(rows), np.sqrt(2 / (9 * 0.1))),
    )  # fmt: skip
    assert plan.cost == pytest.approx(plain.cost, rel=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_redundant_subtotals_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(6, 14)), int(rng.integers(2, 4))
    G = np.where(rng.random((k, n)) < 0.6, rng.normal(size=(k, n)), 0.0)
    G[np.arange(k), rng.choice(n, k, replace=False)] += 2.0
    mix = rng.choice([0.0, 1.0, 1.0, 1 / 3, -0.7], size=(int(rng.integers(1, 4)), k))
    mix[:, 0] = 1.0
    both = np.vstack([G, mix @ G])
    z = rng.uniform(1, 2, n)
    free = rng.random(n) < 0.3  # as angles are
    curved = rng.random(n) * (rng.random(n) < 0.5)
    cost = {"linear": rng.uniform(1, 3, n) * ~free, "quadratic": curved * ~free}
    limits = {"lower": np.where(free, -np.inf, 0.5), "upper": np.where(free, np.inf, 4.0)}
    noise, rule = po.Laplace(epsilon=1, alpha=0.02), po.Analytic(eta=0.1, margin="unimodal")

    def cost_of(G: np.ndarray) -> tuple[float, float]:
        program = po.ConvexProgram(G=G, d=G @ z, **cost, **limits)
        plan = po.solve(program, po.Sum([list(range(n // 2))]), noise, rule)
        return plan.optimum.cost, plan.cost

    assert cost_of(both) == pytest.approx(cost_of(G), rel=1e-6)


def test_an_equality_given_twice_with_another_value_is_infeasible() -> None:
    program = po.ConvexProgram(linear=[1, 2], G=[[1, 1], [2, 2]], d=[3, 6.1], lower=0, upper=2)
    with pytest.raises(po.errors.InfeasibleError):
        program.solve()
