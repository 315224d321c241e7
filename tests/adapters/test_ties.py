"""Public equalities: each once, contradictions kept, and noise on top of a repeated one."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

import privopt as po
from privopt.adapters import from_cvxpy
from privopt.adapters.ties import ties


def test_an_equality_is_kept_once_whatever_its_factor() -> None:
    E = sp.csr_array([[1.0, 2, 0], [-3, -6, 0], [0, 0, 0], [1, 2, 0], [0, 1, 0]])
    A, b, names = ties(E, np.array([4.0, -12, 0, 5, 1]), list("vwxyz"))
    assert names == ["v", "y", "z", "-v", "-y", "-z"]
    assert A.toarray().tolist()[0] == [1, 2, 0]
    assert b.tolist() == [4, 5, 1, -4, -5, -1]
    _, b, names = ties(E, np.array([4.0, -12, 1, 4, 1]), list("vwxyz"))
    assert names[:3] == ["v", "x", "z"]  # 0 = 1 is kept: it says that there is no solution


def repeated(last: float) -> Any:
    """Three statements of one public equality, the last with a right-hand side to choose."""
    rng = np.random.default_rng(26)
    x, d = cp.Variable(8, name="x"), cp.Parameter(2, name="d", value=[5.0, 5.0])
    E = rng.uniform(0, 1, (3, 8))
    row, total = E[2] @ x, E[2].sum()
    fixed = [row == total, 3 * row == 3 * total, row == last * total]
    limits = [E[:2] @ x == d, x >= -6, x[:4] <= 8]
    cost = cp.sum_squares(x - rng.normal(size=8)) + rng.uniform(1, 2, 8) @ x
    return from_cvxpy(cp.Problem(cp.Minimize(cost), fixed + limits), private=d)


def test_noise_on_top_of_an_equality_that_is_stated_three_times() -> None:
    program = repeated(1.0)
    noise, query = po.Laplace(epsilon=1.0, alpha=0.1), po.Identity([0, 1])
    assert "constraint 0" in program.equalities.names
    assert not {"constraint 2", "-constraint 2"} & set(program.rows.names)
    po.solve(program, query, noise, po.Analytic(eta=0.05))
    policy = po.design(
        program, query, noise, po.ExactBox(eta=0.05), domain=po.Box(4.8, 5.2), floor=1.0
    )
    assert policy.sensitivity >= 1.0


def test_equalities_that_contradict_each_other_are_infeasible() -> None:
    with pytest.raises(po.errors.InfeasibleError):
        repeated(1.01).solve()
