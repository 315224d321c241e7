"""Uniqueness of S z~: the rank test by other means, and optima that really differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import privopt as po
from privopt.model.objective import Objective
from privopt.model.uniqueness import released_is_unique

steady = settings(deadline=None, max_examples=60, derandomize=True)
EXPECTED = po.ExpectedCost()


def unique(S: Any, objective: Objective = EXPECTED, **program: Any) -> bool:
    data: dict[str, Any] = {"G": [[1.0, 1.0, 1.0]]}
    return released_is_unique(po.ConvexProgram(**(data | program)), sp.csr_array(S), objective)


@pytest.mark.parametrize(
    ("program", "S", "wanted"),
    [
        ({"quadratic": [1e-3, 1e3, 1.0]}, [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]], True),
        ({"linear": [1.0, 2.0, 3.0]}, [[0.0, 1.0, 2.0]], True),
        ({"quadratic": [1.0, 0.0, 0.0]}, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], False),
        ({"lower": [2.0, -9.0, -9.0], "upper": [2.0, 9.0, 9.0]}, [[1.0, 0.0, 0.0]], True),
    ],
)
def test_known_cases(program: dict[str, Any], S: list[list[float]], wanted: bool) -> None:
    assert unique(S, **program) is wanted


def test_without_weight_on_the_cost_only_the_equalities_count() -> None:
    everything: dict[str, Any] = {"quadratic": [1.0, 1.0, 1.0]}
    S = [[1.0, 0.0, 0.0]]
    assert unique(S, po.SolutionDeviation(phi=0.9), **everything)
    assert not unique(S, po.SolutionDeviation(phi=1.0), **everything)


@steady
@given(
    seed=st.integers(0, 10_000),
    rank=st.integers(0, 4),
    unit=st.sampled_from([1e-6, 1.0, 1e6]),
    linear=st.booleans(),
)
def test_it_is_the_rank_test(seed: int, rank: int, unit: float, linear: bool) -> None:
    """The rows of S lie in the span of [G; C2; c1'] iff they do not raise its rank."""
    rng = np.random.default_rng(seed)
    n = 5
    factor = rng.integers(-2, 3, size=(n, rank)).astype(float)
    C2 = factor @ factor.T
    G = rng.integers(-2, 3, size=(2, n)).astype(float)
    G[0, 0], G[1, 1] = 3.0, 3.0
    c1 = rng.integers(-2, 3, size=n).astype(float) if linear else np.zeros(n)
    S = rng.integers(-1, 2, size=(2, n)).astype(float)
    S[0, 2], S[1, 3] = 1.0, 1.0
    known = np.vstack([G, C2, c1])
    wanted = np.linalg.matrix_rank(np.vstack([known, S])) == np.linalg.matrix_rank(known)
    program = po.ConvexProgram(linear=unit * c1, quadratic=unit * C2, G=unit * G)
    assert released_is_unique(program, sp.csr_array(S), EXPECTED) == wanted


def test_where_it_says_no_two_solves_may_differ_and_the_claim_says_so() -> None:
    """Equal costs for x and y: any split is optimal."""
    program = po.ConvexProgram(
        linear=[1.0, 1.0, 2.0], G=[[1.0, 1.0, 1.0]], d=[3.0], lower=0.0, upper=4.0
    )
    query, noise = po.Identity([0]), po.Laplace(epsilon=1.0, alpha=0.01)
    plan = po.solve(program, query, noise, po.Analytic(eta=0.05))
    assert any("unique" in item for item in plan.guarantee.privacy.assumptions)
    strict = po.ConvexProgram(
        quadratic=[1.0, 1.0, 2.0], G=[[1.0, 1.0, 1.0]], d=[3.0], lower=0.0, upper=4.0
    )
    plan = po.solve(strict, query, noise, po.Analytic(eta=0.05))
    assert not any("unique" in item for item in plan.guarantee.privacy.assumptions)
