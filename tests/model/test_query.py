"""Queries: matrices, names, refusals."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pandas as pd
import pytest
from tests.cases import toy
from tests.reference.plain import solve_tightly

import privopt as po


def test_identity_by_position_name_and_mask() -> None:
    program = toy()
    wanted = np.eye(3)[[2, 0]]
    for which in ([2, 0], ["w", "x"], [-1, "x"], np.array([2, 0]), pd.Index(["w", "x"])):
        assert (po.Identity(which).matrix(program).toarray() == wanted).all()
    mask = po.Identity([True, False, True])
    assert mask.names(program) == ("x", "w")
    assert po.Identity("y").names(program) == ("y",)
    assert po.Identity(1).names(program) == ("y",)


def test_sums_of_groups_and_their_names() -> None:
    program = toy()
    query = po.Sum({"both": ["x", "w"], "one": [1]})
    assert query.matrix(program).toarray().tolist() == [[1, 0, 1], [0, 1, 0]]
    assert query.names(program) == ("both", "one")
    assert po.Sum([["x"], ["y"]]).names(program) == ("sum[0]", "sum[1]")


def test_linear_takes_arrays_and_frames_by_label() -> None:
    program = toy()
    frame = pd.DataFrame([[3.0, 1.0, 2.0]], index=["mix"], columns=["w", "x", "y"])
    query = po.Linear(frame)
    assert query.matrix(program).toarray().tolist() == [[1.0, 2.0, 3.0]]
    assert query.names(program) == ("mix",)
    assert po.Linear([1.0, 2.0, 3.0]).names(program) == ("y[0]",)


@pytest.mark.parametrize(
    "query",
    [
        po.Identity([]),
        po.Identity([False, False, False]),
        po.Identity([0, 0]),
        po.Identity(["x", 0]),
        po.Identity(["q"]),
        po.Identity([3]),
        po.Identity([-4]),
        po.Identity([1.5]),
        po.Identity(None),
        po.Identity([True, False]),
        po.Sum([]),
        po.Sum([["x"], []]),
        po.Sum([["x", "y"], ["y"]]),
        po.Sum([["x", "x"]]),
        po.Sum(3),
        po.Sum(["x", "y"]),
        po.Sum([0, 1]),
        po.Linear(np.zeros((0, 3))),
        po.Linear([[1.0, 2.0]]),
        po.Linear([[1.0, np.nan, 0.0]]),
        po.Linear([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]),
        po.Linear(np.zeros((1, 3))),
        po.Linear("all"),
    ],
)
def test_bad_queries_are_refused_before_any_solve(query: Any) -> None:
    noise, rows = po.Laplace(epsilon=1.0, alpha=0.1), po.Analytic(eta=0.1)
    with pytest.raises(po.errors.InputError) as caught:
        po.solve(toy(), query, noise, rows)
    assert caught.value.remedy


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_rank_does_not_depend_on_the_scale_of_rows(scale: float) -> None:
    S = np.array([[1.0, 2.0, 3.0], [scale, 0.0, 0.0]])
    assert po.Linear(S).matrix(toy()).shape == (2, 3)


def test_separate_groups_leave_the_others_still() -> None:
    """Against CVXPY with the zeros written out; and it costs more than S Z = I alone."""
    rng = np.random.default_rng(4)
    n, groups = 7, [[0, 1], [2, 3]]
    c1, c2 = rng.uniform(1, 3, n), rng.uniform(0.1, 0.3, n)
    c2[[1, 5]] = 3.0  # dear: better that 0 and 1 answer the noise of the second sum
    G = np.vstack([np.ones(n), np.r_[1.0, 0, 1, 0, 0, 1, 0]])
    program = po.ConvexProgram(
        linear=c1,
        quadratic=c2,
        G=G,
        d=[6.0, 2.0],
        lower=-1.0,
        upper=np.r_[1.2, 1.2, 1.2, 1.2, 3, 3, 3],
    )
    privacy, factor = po.Laplace(epsilon=1.0, alpha=0.1), np.sqrt(2 / (9 * 0.05))
    rows = po.Analytic(eta=0.05, margin="unimodal")
    loose = po.solve(program, po.Sum(groups), privacy, rows)
    strict = po.solve(program, po.Sum(groups, separate=True), privacy, rows)
    Z = np.asarray(strict.recourse)
    assert np.abs(Z[[2, 3], 0]).max() == np.abs(Z[[0, 1], 1]).max() == 0
    assert np.abs(np.asarray(loose.recourse)[[0, 1], 1]).max() > 0.1
    z, Y = cp.Variable(n), cp.Variable((n, 2))
    S = np.array([[1.0, 1, 0, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0, 0]])
    sigma = strict.calibration.deviation
    spread = factor * sigma * cp.norm(Y, 2, axis=1)
    constraints = [
        G @ z == [6.0, 2.0], G @ Y == 0, np.eye(2) == S @ Y, Y[[2, 3], 0] == 0, Y[[0, 1], 1] == 0,
        z + spread <= program.upper, z - spread >= -1,
    ]  # fmt: skip
    cost = c1 @ z + c2 @ cp.square(z) + sigma**2 * cp.sum(c2 @ cp.square(Y))
    problem = cp.Problem(cp.Minimize(cost), constraints)
    best = solve_tightly(problem)
    assert strict.cost == pytest.approx(best, rel=1e-6)
    assert strict.cost > loose.cost * (1 + 1e-6)


def test_separate_groups_that_leave_nothing_to_absorb_the_noise_are_refused() -> None:
    program = po.ConvexProgram(
        linear=[1, 1, 1, 1], quadratic=[1] * 4, G=[[1, 1, 1, 1]], d=[4], lower=0, upper=3
    )
    query = po.Sum([[0, 1], [2, 3]], separate=True)
    with pytest.raises(po.errors.NotImplementableError):
        po.solve(program, query, po.Laplace(epsilon=1, alpha=0.1), po.Analytic(eta=0.1))
    program = po.ConvexProgram(
        linear=[1] * 5, quadratic=[1] * 5, G=[[1, 0, 1, 0, 0], [0, 1, 0, 1, 1]], d=[2, 2],
        lower=0, upper=3,
    )  # fmt: skip
    query = po.Sum([[0], [2, 3]], separate=True)  # 0 answers only through 2, which may not move
    with pytest.raises(po.errors.NotImplementableError, match="stand still"):
        po.solve(program, query, po.Laplace(epsilon=1, alpha=0.1), po.Analytic(eta=0.1))
