"""Implementability: exactly the rank condition, and an error that names the conflict."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import toy

import privopt as po

NOISE, ROWS = po.Laplace(epsilon=1.0, alpha=0.01), po.Analytic(eta=0.1)


def test_releasing_everything_under_one_equality_is_a_conflict_with_names() -> None:
    with pytest.raises(po.errors.NotImplementableError) as caught:
        po.solve(toy(), po.Identity(["x", "y", "w"]), NOISE, ROWS)
    error = caught.value
    assert set(error.released) == {"x", "y", "w"}
    assert error.equalities == ("d[0]",)
    assert len(error.implementable) == 2
    assert "keeping x, y" in str(error)


def test_a_value_fixed_by_the_data_cannot_be_released() -> None:
    program = po.ConvexProgram(
        linear=[1, 1, 1], G=[[1, 0, 0], [0, 1, 1]], d=[1, 2], lower=0, upper=9,
        names=["a", "b", "c"],
    )  # fmt: skip
    with pytest.raises(po.errors.NotImplementableError) as caught:
        po.solve(program, po.Identity(["b", "a"]), NOISE, ROWS)
    assert caught.value.released == ("a",)
    assert caught.value.equalities == ("d[0]",)
    assert caught.value.implementable == (0,)


def test_a_fixed_variable_cannot_be_released() -> None:
    program = toy(lower=[1.0, 0, 0], upper=[1.0, 4, 4])
    with pytest.raises(po.errors.NotImplementableError) as caught:
        po.solve(program, po.Identity(["x"]), NOISE, ROWS)
    assert caught.value.equalities == ("fixed[x]",)


def test_rank_n_minus_one_leaves_one_degree_of_freedom() -> None:
    """The paper calls a query with fewer than n values implementable here; two are not."""
    path = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]])
    program = po.ConvexProgram(linear=np.ones(3), quadratic=np.ones(3), G=path, d=[1.0, 1.0])
    assert po.solve(program, po.Identity([0]), NOISE, ROWS)
    with pytest.raises(po.errors.NotImplementableError):
        po.solve(program, po.Identity([0, 1]), NOISE, ROWS)


def test_dependent_equalities_are_no_obstacle() -> None:
    """A cycle of flows: the incidence matrix has rank n - 1; balanced demands are consistent."""
    G = np.array([[1.0, 0.0, -1.0], [-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])
    program = po.ConvexProgram(
        linear=[1, 1, 1], quadratic=[1, 1, 1], G=G, d=[1, -2, 1], lower=-9, upper=9
    )
    plan = po.solve(program, po.Identity([0]), NOISE, ROWS)
    assert np.abs(G @ np.asarray(plan.recourse)).max() <= 1e-12
    assert np.abs(G @ plan.expected - [1, -2, 1]).max() <= 1e-9


@pytest.mark.long
@settings(max_examples=80, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 8), k=st.integers(1, 4), p=st.integers(1, 6))
def test_it_is_the_rank_condition(seed: int, n: int, k: int, p: int) -> None:
    """Random small integers, so that conflicts happen often; numpy's rank is the judge."""
    rng = np.random.default_rng(seed)
    G = rng.integers(-1, 2, size=(k, n)).astype(float)
    if not G.any():
        return
    chosen = rng.choice(n, size=min(p, n), replace=False)
    S = np.eye(n)[chosen]
    program = po.ConvexProgram(
        linear=np.zeros(n), quadratic=np.ones(n), G=G, d=G @ np.ones(n), lower=-1e3, upper=1e3
    )
    rank = np.linalg.matrix_rank
    possible = rank(np.vstack([G, S])) == rank(G) + len(S)
    if possible:
        po.solve(program, po.Identity(chosen), NOISE, ROWS)
        return
    with pytest.raises(po.errors.NotImplementableError) as caught:
        po.solve(program, po.Identity(chosen), NOISE, ROWS)
    kept = list(caught.value.implementable)
    assert rank(np.vstack([G, S[kept]])) == rank(G) + len(kept)
    assert len(kept) == rank(np.vstack([G, S])) - rank(G)  # a largest part
    # The named conflict is one: some combination of these equalities is one of these values.
    rows = [i for i, name in enumerate(program.equalities.names) if name in caught.value.equalities]
    values = [list(chosen).index(program.names.index(name)) for name in caught.value.released]
    stacked = np.vstack([G[rows], S[values]])
    assert rank(stacked) < rank(G[rows]) + len(values)
