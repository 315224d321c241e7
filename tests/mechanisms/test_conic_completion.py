"""Which released vectors of a curved program can be completed: what CVXPY says of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.model.curved import KINDS, both

import privopt as po
from privopt.errors import InputError
from privopt.mechanisms.completion import Completion


def released(program: po.ConvexProgram, which: list[int]) -> Any:
    return sp.csr_array(np.eye(program.n)[which])


@pytest.mark.parametrize("seed", range(4))
def test_the_verdict_is_that_of_the_plain_model(seed: int) -> None:
    one = both(seed, (KINDS[seed], KINDS[3 + seed]), (2, 3), n=4, k=2)
    program, rng = one.program, np.random.default_rng(seed)
    S = released(program, [0])
    test = Completion(program, S, program.right_hand_side())
    y = one.z0[0] + rng.normal(size=(6, 1)) * 0.7
    y[0] = one.z0[0]
    verdict = test.impossible(y, 1e-6)
    known = [np.isinf(one.optimum(program.d, lambda z, v=float(v[0]): [z[0] == v])) for v in y]
    assert verdict.tolist() == known
    assert not verdict[0]


def test_both_verdicts_are_met() -> None:
    limit = po.NormLimit(C=["x", "y"], g=1.0)
    program = po.ConvexProgram(G=[[0.0, 1.0]], d=[0.6], names=["x", "y"], cones=[limit])
    test = Completion(program, released(program, [0]), program.right_hand_side())
    y = np.array([[0.0], [0.79], [0.8], [0.8001], [-0.8], [-0.9], [50.0]])
    assert test.impossible(y, 1e-6).tolist() == [False, False, False, True, False, True, True]
    with pytest.raises(InputError):
        test.impossible(np.array([[np.nan]]), 1e-6)
