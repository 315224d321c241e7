"""The particular recourse against a dense solve of its optimality conditions."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from tests.cases import convex
from tests.reference.plain import random_program

import privopt as po
from privopt.solving import particular as module
from privopt.solving.particular import Particular, particular_of


def case(seed: int = 0) -> tuple[po.ConvexProgram, po.Linear]:
    data = random_program(seed, n=12, equalities=3, rows=8, p=4)
    data["C2"] = np.diag(np.linspace(0.5, 2.0, 12))
    return convex(data), po.Linear(data["S"])


def least_cost(program: po.ConvexProgram, S: np.ndarray) -> np.ndarray:
    G = program.equalities.matrix.toarray()
    C = np.vstack([G, S])
    p, n = S.shape
    right = np.vstack([np.zeros((n + len(G), p)), np.eye(p)])
    system = np.block([[program.quadratic.toarray(), C.T], [C, np.zeros((len(C), len(C)))]])
    return np.linalg.solve(system, right)[:n]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("limit", [module.DENSE, 0], ids=["matrix", "operator"])
def test_it_costs_least(seed: int, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DENSE", limit)
    monkeypatch.setattr(module, "BLOCK", 60)  # several blocks of columns
    program, query = case(seed)
    S = query.matrix(program)
    found, wanted = Particular(program, S), least_cost(program, S.toarray())
    assert found.exists
    assert found.definite
    np.testing.assert_allclose(found.dense(), wanted, atol=1e-9)
    X = np.random.default_rng(0).normal(size=(4, 3))
    np.testing.assert_allclose(found.times(X), wanted @ X, atol=1e-9)
    A = program.rows.matrix
    np.testing.assert_allclose(found.under(A), A @ wanted, atol=1e-9)
    np.testing.assert_allclose(found.norms(A), np.linalg.norm(A @ wanted, axis=1), atol=1e-9)
    np.testing.assert_allclose(found.row_norms, found.norms(A), atol=1e-9)
    np.testing.assert_allclose(found.sizes, np.linalg.norm(wanted, axis=1), atol=1e-9)
    energy = float((wanted * (program.quadratic @ wanted)).sum())
    assert found.energy == pytest.approx(energy, rel=1e-9)
    again = pickle.loads(pickle.dumps(found))  # noqa: S301
    np.testing.assert_allclose(again.times(X), wanted @ X, atol=1e-9)


def test_rows_that_no_recourse_moves() -> None:
    """Released variables, and what equalities tie to them, stand; the others move."""
    program = po.ConvexProgram(
        quadratic=np.ones(5), G=[[1, 1, 0, 0, 0], [0, 0, 1, 1, 1]], d=[1, 1], lower=0
    )
    S = po.Identity([0]).matrix(program)
    found = Particular(program, S)
    assert found.moves(program.equalities.matrix).tolist() == [False, False]
    # Rows: lower bounds of z0..z4; z1 = d - z0 follows z0.
    assert found.moves(program.rows.matrix).tolist() == [False, False, True, True, True]


def test_it_does_not_exist_where_the_equalities_fix_the_query() -> None:
    program = po.ConvexProgram(G=[[1.0, 0.0], [0.0, 1.0]], d=[1, 1])
    assert not Particular(program, po.Identity([0]).matrix(program)).exists


def test_a_cost_that_leaves_variables_out_is_not_definite() -> None:
    program = po.ConvexProgram(linear=[1, 1, 1], quadratic=[1, 0, 0], G=[[1, 1, 1]], d=[1], lower=0)
    found = Particular(program, po.Identity([0]).matrix(program))
    assert found.exists
    assert not found.definite


def test_one_program_and_query_share_it() -> None:
    program, query = case()
    S = query.matrix(program)
    assert particular_of(program, S) is particular_of(program, query.matrix(program))
    other = po.Identity([0]).matrix(program)
    assert particular_of(program, other) is not particular_of(program, S)


def test_a_variable_that_only_the_query_ties_has_the_size_that_the_query_gives_it() -> None:
    """z[2] is in no row of two entries but that of S: its unit must not matter."""
    for unit in (1e-8, 1.0, 1e8):
        S = sp.csr_array(np.array([[1.0, 0.0, unit]]))
        program = po.ConvexProgram(
            quadratic=np.diag([1.0, 1.0, unit**2]), G=[[1.0, 1.0, 0.0]], d=[1.0], lower=-4,
            upper=[4.0, 4.0, 4.0 / unit],
        )  # fmt: skip
        found = Particular(program, S)
        assert found.exists
        # Least z1^2 + z2^2 + (unit z3)^2 with z1 = -z2, z1 + unit z3 = 1.
        wanted = np.array([1 / 3, -1 / 3, 2 / 3 / unit])[:, None]
        np.testing.assert_allclose(found.dense(), wanted, rtol=1e-9)


def test_a_dear_variable_without_a_quadratic_cost_carries_little_noise() -> None:
    """A shortage at 1e7 could bear the noise at no expected cost, but its margin would be dear."""
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 1e7, 1.0], quadratic=np.diag([1.0, 1.0, 0.0, 0.0]),
        G=[[1.0, 1.0, 1.0, 1.0]], d=[3.0], lower=0,
    )  # fmt: skip
    found = Particular(program, sp.csr_array(np.array([[1.0, 0.0, 0.0, 0.0]])))
    np.testing.assert_allclose(found.dense()[:, 0], [1.0, 0.0, 0.0, -1.0], atol=1e-6)


def test_a_price_that_stands_alone_is_dear() -> None:
    program = po.ConvexProgram(
        linear=[0.0, 0.0, 1e7], G=[[1.0, 1.0, 1.0]], d=[3.0], lower=0, upper=9
    )
    found = Particular(program, sp.csr_array(np.array([[1.0, 0.0, 0.0]])))
    np.testing.assert_allclose(found.dense()[:, 0], [1.0, -1.0, 0.0], atol=2e-6)
