"""One model: a policy about a single point, at the noise of a plan, is the plan.

The program of a policy over a domain that is one point, with a floor of one, is that of the plan
with a level that is free from one on, and no gain. Costs must agree.
"""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po
from privopt.feasibility.protocol import Feasibility
from privopt.mechanisms.private_data import PrivateData
from privopt.noise.calibration import query_sensitivity
from privopt.solving.noisy import NoisyProgram
from privopt.solving.solved import Solved
from privopt.solving.solver import Settings
from privopt.solving.specification import Specification

KINDS: dict[str, Feasibility] = {
    "unimodal": po.Analytic(eta=0.025, margin="unimodal"),
    "exact": po.Analytic(eta=0.05),
    "exact box": po.ExactBox(eta=0.1),
    "sampled box": po.SampledBox(eta=0.1, beta=0.1),
}
NOISE = po.Laplace(epsilon=1.0, alpha=0.1)


def agree(name: str, kind: str) -> None:
    """Compare the costs of the two, to 1e-8, under the same margins."""
    drawn = po.experiments.instance(name, 0)
    program, S = drawn.program, drawn.query.matrix(drawn.program)
    calibration = NOISE.calibrate(S.shape[0], query_sensitivity(NOISE, S))
    point = np.asarray(program.d)[list(program.private)]
    asked = PrivateData.of(program, point, point, None, None).specification(NOISE, 1.0, 0.0)
    near = program.solve().z

    def cost(asked: Specification | None) -> float:
        made = NoisyProgram(program, S, calibration, Settings(), near, asked=asked)
        solved = made.solve(KINDS[kind].margins(made, np.random.default_rng(1)))
        assert isinstance(solved, Solved)
        assert solved.level == pytest.approx(1.0, rel=1e-7)
        assert solved.residual <= 1e-8
        return program.cost(solved.z) + calibration.deviation**2 * solved.Z.energy(
            program.quadratic
        )

    assert cost(asked) == pytest.approx(cost(None), rel=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["14_ieee", "39_epri", "57_ieee"])
def test_a_policy_about_a_point_is_the_plan(name: str, kind: str) -> None:
    agree(name, kind)


SLOW = pytest.param("exact", marks=pytest.mark.slow)  # it is above on three smaller networks


@pytest.mark.long
@pytest.mark.parametrize("kind", [SLOW, *(kind for kind in KINDS if kind != "exact")])
def test_a_policy_about_a_point_is_the_plan_on_118_nodes(kind: str) -> None:
    agree("118_ieee", kind)


def test_the_verbs_agree() -> None:
    drawn = po.experiments.instance("14_ieee", 0)
    program = drawn.program
    point = np.asarray(program.d)[list(program.private)]
    plan = po.solve(program, drawn.query, NOISE, KINDS["unimodal"])
    domain = po.Box(point, point)
    policy = po.design(program, drawn.query, NOISE, KINDS["unimodal"], domain=domain, floor=1.0)
    assert policy.unit.scale == plan.calibration.scale
    assert policy.cost == pytest.approx(plan.cost, rel=1e-8)
