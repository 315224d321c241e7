"""The chance-constrained solve: what it returns is exact, and infeasible is told apart."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import convex, toy
from tests.reference.plain import random_program
from tests.solving.test_compile import chance_of

import privopt as po
from privopt.solving.margins import Cuboid, Margins
from privopt.solving.problem import Outcome


@pytest.mark.parametrize(
    "margins",
    [
        Margins(deviations=np.full(28, 2.5)),
        Margins(box=Cuboid(np.array([-1.0, -3.0]), np.array([2.0, 1.0]))),
        Margins(draws=np.random.default_rng(0).laplace(size=(50, 2))),
        Margins(),
    ],
)
def test_solutions_are_on_the_equalities_and_within_their_margins(margins: Margins) -> None:
    data = random_program(0, n=8, equalities=3, rows=12, p=2)
    chance = chance_of(convex(data), po.Linear(data["S"]))
    solved = chance.solve(margins)
    assert not isinstance(solved, Outcome)
    assert np.abs(data["G"] @ solved.z - data["d"]).max() <= 1e-12
    assert np.abs(data["G"] @ solved.Z).max() <= 1e-12
    assert np.abs(data["S"] @ solved.Z - np.eye(2)).max() <= 1e-12
    a = chance.calibration.scale * data["A"] @ solved.Z
    value = margins.value(a, chance.unit_deviation)
    assert (data["A"] @ solved.z + value <= data["b"] + 1e-12).all()
    assert solved.residual <= 0


def test_decisions_are_counted_with_the_rank_of_G() -> None:
    G = np.array([[1.0, 0.0, -1.0], [-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])  # rank 2
    program = po.ConvexProgram(quadratic=np.ones(3), G=G, d=[1, -2, 1], lower=-9, upper=9)
    assert chance_of(program, po.Identity([0])).decisions() == 1 + 1 * 0


def test_slack_and_spread_are_relative_to_the_size_of_rows() -> None:
    small = chance_of(toy(6.0), po.Identity(["x"]))
    large = chance_of(
        po.ConvexProgram(
            linear=[1e-3, 2e-3, 3e-3], quadratic=[1e-7] * 3, G=[[1, 1, 1]], d=[6e3], lower=0,
            upper=4e3,
        ),
        po.Identity([0]),
        alpha=100.0,
    )  # fmt: skip
    for margins in (Margins(deviations=np.full(6, 2.0)),):
        one, two = small.solve(margins), large.solve(margins)
        assert not isinstance(one, Outcome)
        assert not isinstance(two, Outcome)
        for mine, other in zip(small.spread(one), large.spread(two), strict=True):
            assert mine == pytest.approx(other, abs=1e-5)
