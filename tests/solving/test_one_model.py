"""One model: a policy about a single point, at the noise of a plan, is the plan.

`design` over a domain that is one point, with a floor of one, solves the program of `solve` with a
level that is free from one on, and no gain. Costs and recourse must agree.
"""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po
from privopt.feasibility.protocol import Feasibility

KINDS: dict[str, Feasibility] = {
    "unimodal": po.Analytic(eta=0.025, margin="unimodal"),
    "exact": po.Analytic(eta=0.05),
    "exact box": po.ExactBox(eta=0.1),
    "all rows": po.Analytic(eta=0.05, margin="unimodal", scope="joint"),
}
NOISE = po.Laplace(epsilon=1.0, alpha=0.1)


def agree(name: str, kind: str) -> None:
    """Compare the two, cost to 1e-8."""
    drawn = po.experiments.instance(name, 0)
    program = drawn.program
    private = np.asarray(program.d)[list(program.private)]
    plan = po.solve(program, drawn.query, NOISE, KINDS[kind], rng=1)
    policy = po.design(
        program, drawn.query, NOISE, KINDS[kind], domain=po.Box(private, private), floor=1.0, rng=1
    )
    assert policy.unit.scale == plan.calibration.scale
    assert policy.cost == pytest.approx(plan.cost, rel=1e-8)
    assert policy.sensitivity == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["14_ieee", "39_epri"])
def test_small_networks(name: str, kind: str) -> None:
    agree(name, kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["57_ieee", "118_ieee"])
def test_larger_networks(name: str, kind: str) -> None:
    agree(name, kind)
