"""Completing a release, against a plain CVXPY model."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest

import privopt as po
from privopt.mechanisms.completing import complete


def test_the_best_solution_with_the_released_values() -> None:
    one = po.experiments.instance("5_pjm", 0)
    program, S = one.program, one.query.matrix(one.program)
    values = np.asarray(S @ program.solve().z) + 0.01
    found = complete(program, S, program.d, values)
    tool: Any = cp
    z = cp.Variable(program.n)
    cost = program.linear @ z + tool.quad_form(z, tool.psd_wrap(program.quadratic.toarray()))
    problem: Any = tool.Problem(
        tool.Minimize(cost),
        [
            program.equalities.matrix @ z == program.right_hand_side(),
            S @ z == values,
            program.rows.matrix @ z <= program.rows.bound,
        ],
    )
    problem.solve(solver=tool.CLARABEL)
    assert found.cost == pytest.approx(float(problem.value), rel=1e-7)
    assert np.asarray(S @ found.z) == pytest.approx(values, abs=1e-8)


def test_values_that_nothing_has() -> None:
    one = po.experiments.instance("5_pjm", 0)
    S = one.query.matrix(one.program)
    with pytest.raises(po.errors.InfeasibleError, match="released values"):
        complete(one.program, S, one.program.d, np.full(S.shape[0], 100.0))
