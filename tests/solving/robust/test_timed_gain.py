"""Gains by periods against plain CVXPY."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from tests.solving.robust import timed_cases

from privopt.arrays import Dense


@pytest.mark.parametrize("coupled", [False, True])
def test_the_gain_is_that_of_cvxpy(coupled: bool) -> None:
    one = timed_cases.network(2).gains
    weights = np.random.default_rng(0).uniform(0.5, 2.0, one.A.shape[0])
    found = one.gain(weights, coupled=coupled)
    assert found is not None
    K: Dense = found.toarray()
    A, G, S, F = (part.toarray() for part in (one.A, one.G, one.S, one.F))
    np.testing.assert_allclose(G @ K, F, atol=1e-9)
    np.testing.assert_allclose(S @ K, 0, atol=1e-9)
    X = cp.Variable(K.shape)
    free = np.zeros(K.shape, dtype=bool)
    for period in range(2):
        rows = one.timed.free(period, coupled=coupled)
        free[np.ix_(rows, np.flatnonzero(one.timed.entries == period))] = True
    assert not K[~free].any()
    squares = cp.sum_squares(cp.multiply(np.sqrt(weights)[:, None], A @ X))
    model = cp.Problem(
        cp.Minimize(squares), [G @ X == F, S @ X == 0, cp.multiply(~free * 1.0, X) == 0]
    )
    model.solve(solver=cp.CLARABEL)
    own = float((weights[:, None] * np.square(A @ K)).sum())
    assert own == pytest.approx(float(model.value), rel=1e-4)


def test_where_the_variables_of_a_period_cannot_answer_there_is_none() -> None:
    one = timed_cases.inventory().gains  # orders are released: only the stock can
    even = np.ones(one.A.shape[0])
    assert one.gain(even, coupled=False) is None
    K = one.gain(even, coupled=True)
    assert K is not None
    np.testing.assert_allclose((one.G @ K).toarray(), one.F.toarray(), atol=1e-9)


def test_a_heavier_row_moves_less() -> None:
    one = timed_cases.network(2).gains
    even = np.ones(one.A.shape[0])
    before = one.gain(even, coupled=False)
    assert before is not None
    moves = np.linalg.norm((one.A @ before).toarray(), axis=1)
    row = int(np.argmax(moves))
    even[row] = 1e4
    after = one.gain(even, coupled=False)
    assert after is not None
    assert np.linalg.norm((one.A @ after).toarray()[row]) < 0.5 * moves[row]
