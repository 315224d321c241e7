"""Queries: matrices, names, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.cases import toy

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
