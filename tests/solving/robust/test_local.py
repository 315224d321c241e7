"""The local gain against plain CVXPY; on a line of nodes it serves a change where it happens."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from tests.solving.robust.cases import Scaled
from tests.solving.robust.test_deciding import case

from privopt.solving.robust.completing import Completing
from privopt.solving.robust.local import local_gain


@pytest.mark.parametrize("seed", range(4))
def test_the_gain_is_that_of_cvxpy(seed: int) -> None:
    one = case(seed)
    made = Scaled.of(one.program, one.S, one.region.middle)
    small = made.small
    parts = Completing(small, made.query)
    K = local_gain(parts, made.F)
    whole = small.lift(K.T, made.F.T).T
    G, S = made.scaling.independent(one.program).toarray(), made.query.toarray()
    np.testing.assert_allclose(G @ whole, made.F, atol=1e-8)
    np.testing.assert_allclose(S @ whole, 0, atol=1e-8)
    A = small.A.toarray() / small.sizes[:, None]
    weights = np.where(np.count_nonzero(A, axis=1) == 1, 1.0, 10.0)  # squared
    X = cp.Variable(whole.shape)
    model = cp.Problem(
        cp.Minimize(cp.sum_squares(cp.multiply(np.sqrt(weights)[:, None], A @ X))),
        [G @ X == made.F, S @ X == 0],
    )
    model.solve(solver=cp.CLARABEL)
    own = float((weights[:, None] * np.square(A @ whole)).sum())
    assert own == pytest.approx(float(model.value), rel=1e-5, abs=1e-7)
