"""The working-set engine against the model as it is written down, on programs of every kind.

The engine puts margins on some rows, holds some rows of Z at zero and uses as few variables as the
structure allows; the plain engine has all rows and all variables. They must agree in the outcome
and in the cost, and the engine's answer must keep every row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.reference.plain import random_program

import privopt as po
from privopt.feasibility.protocol import Feasibility
from privopt.model.objective import Objective
from privopt.noise.calibration import query_sensitivity
from privopt.solving.margins import Cuboid, Margins
from privopt.solving.noisy import NoisyProgram
from privopt.solving.solved import Solved
from privopt.solving.solver import Settings

KINDS: dict[str, Feasibility] = {
    "unimodal": po.Analytic(eta=0.025, margin="unimodal"),
    "exact": po.Analytic(eta=0.05),
    "exact box": po.ExactBox(eta=0.1),
    "sampled box": po.SampledBox(eta=0.1, beta=0.1),
    "scenarios": po.Scenario(eta=0.1, beta=0.1, samples=60),
}
LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)


def both(
    program: po.ConvexProgram,
    query: Any,
    kind: Feasibility,
    objective: Objective | None = None,
) -> tuple[Any, Any, NoisyProgram]:
    """What the two engines find under the same margins."""
    S = query.matrix(program)
    calibration = LAPLACE.calibrate(S.shape[0], query_sensitivity(LAPLACE, S))
    near = program.solve().z
    aim = objective or po.ExpectedCost()
    found: list[Any] = []
    for plain in (False, True):
        chance = NoisyProgram(program, S, calibration, Settings(), near, objective=aim, plain=plain)
        margins = kind.margins(chance, np.random.default_rng(5))
        found.append(chance.solve(margins))
    return found[0], found[1], chance


def agree(program: po.ConvexProgram, query: Any, kind: Feasibility, **more: Any) -> bool:
    """Assert that the engines agree; whether there is a plan."""
    ours, plain, chance = both(program, query, kind, **more)
    if not isinstance(plain, Solved):
        assert ours is plain
        return False
    assert isinstance(ours, Solved)
    sigma = chance.calibration.deviation

    def cost(solved: Solved) -> float:
        aim = more.get("objective") or po.ExpectedCost()
        Z = np.asarray(solved.Z)
        expected = program.cost(solved.z) + sigma**2 * float((Z * (program.quadratic @ Z)).sum())
        parts = aim.deviation(program, Z.shape[1])
        spread = 0.0
        if parts is not None:
            spread = sigma * float(np.linalg.norm(np.asarray(parts[0] @ Z) @ parts[1]))
        return (1 - aim.phi) * expected + aim.phi * spread

    assert cost(ours) == pytest.approx(cost(plain), rel=1e-6, abs=1e-7)
    assert ours.residual <= 1e-8
    return True


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["5_pjm", "14_ieee", "39_epri"])
def test_networks(kind: str, name: str) -> None:
    drawn = po.experiments.instance(name, 3)
    agree(drawn.program, drawn.query, KINDS[kind])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_programs_with_a_full_quadratic_cost(kind: str, seed: int) -> None:
    data = random_program(seed, n=14, equalities=4, rows=12, p=3)
    program = po.ConvexProgram(
        linear=data["c1"], quadratic=data["C2"], A=data["A"], b=data["b"], G=data["G"], d=data["d"]
    )
    assert agree(program, po.Linear(data["S"]), KINDS[kind])


@pytest.mark.parametrize("kind", ["unimodal", "exact box", "scenarios"])
def test_costs_that_leave_some_variables_without_a_quadratic_part(kind: str) -> None:
    """C2 is no longer definite: the recourse is not made of answers."""
    drawn = po.experiments.instance("14_ieee", 1)
    given, nodes = drawn.program, 14
    for kept in (0, 5):
        quadratic = given.quadratic.diagonal().copy()
        quadratic[kept:nodes] = 0.0
        program = po.ConvexProgram(
            linear=given.linear, quadratic=quadratic, A=given.A, b=given.b, G=given.G, d=given.d,
            lower=given.lower, upper=given.upper,
        )  # fmt: skip
        agree(program, drawn.query, KINDS[kind])


@pytest.mark.parametrize(
    "objective",
    [
        po.CostDeviation(phi=0.5),
        po.SolutionDeviation(phi=0.5),
        po.SolutionDeviation(phi=0.5, published=True),
    ],
    ids=["cost", "solution", "published"],
)
@pytest.mark.parametrize("name", ["14_ieee", "39_epri"])
def test_deviations_in_the_objective(objective: Objective, name: str) -> None:
    drawn = po.experiments.instance(name, 2, quadratic=None)
    agree(drawn.program, drawn.sums(1), KINDS["unimodal"], objective=objective)
    if not isinstance(objective, po.CostDeviation):
        drawn = po.experiments.instance(name, 2)
        agree(drawn.program, drawn.query, KINDS["unimodal"], objective=objective)


def test_a_plan_that_needs_the_variables_at_their_limits() -> None:
    """Without noise x is at its limit, and held there no one could answer the noise."""
    program = po.ConvexProgram(
        linear=[5.0, 1.0, 1.0], quadratic=[1.0, 1.0, 1.0], G=[[1, 1, 1]], d=[2.2],
        lower=0, upper=[9.0, 1.0, 1.2],
    )  # fmt: skip
    assert agree(program, po.Identity([1]), KINDS["unimodal"])


def test_an_impossible_margin_is_infeasible_for_both() -> None:
    program = po.ConvexProgram(linear=[1.0, 1.0], quadratic=[1.0, 1.0], G=[[1, 1]], d=[1.0],
                               lower=0, upper=1)  # fmt: skip
    query, box = po.Identity([0]), Margins(box=Cuboid(np.full(1, -90.0), np.full(1, 90.0)))
    for plain in (False, True):
        S = query.matrix(program)
        calibration = LAPLACE.calibrate(1, 0.1)
        near = program.solve().z
        chance = NoisyProgram(program, S, calibration, Settings(), near, plain=plain)
        assert not isinstance(chance.solve(box), Solved)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["57_ieee", "118_ieee"])
def test_larger_networks(kind: str, name: str) -> None:
    drawn = po.experiments.instance(name, 0)
    agree(drawn.program, drawn.query, KINDS[kind])
