"""The affine model in scaled variables: back in the user's units it is the program that was asked.

Everything is compared at random points, feasible or not, in units that differ by factors of 1e6.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.cases import convex
from tests.reference.plain import random_program

import privopt as po
from privopt.arrays import Dense
from privopt.model.objective import Objective
from privopt.noise.calibration import Calibration
from privopt.solving.particular import particular_of
from privopt.solving.posed import posed
from privopt.solving.scaled import Point, ScaledProgram
from privopt.solving.scaling import Scaling

P = 2


class Case:
    """A program in mixed units, its query and its noise, and the model of them."""

    def __init__(
        self,
        seed: int,
        objective: Objective | None = None,
        *,
        linear: bool = False,
    ) -> None:
        data, rng = random_program(seed, n=7, equalities=3, rows=5, p=P), np.random.default_rng(1)
        self.units = 10.0 ** rng.uniform(-3, 3, 7)
        scaled: Any = dict(data)
        scaled |= {"A": data["A"] / self.units, "G": data["G"] / self.units}
        scaled["c1"] = data["c1"] / self.units
        scaled["C2"] = (1.0 - linear) * data["C2"] / np.outer(self.units, self.units)
        self.program = convex(scaled)
        self.S = po.Linear(data["S"] / self.units).matrix(self.program)
        self.noise: Calibration = po.Laplace(epsilon=1.0, alpha=0.1).calibrate(P, 0.1)
        self.target, self.objective = self.program.right_hand_side(), objective
        self.scaling = Scaling.of(self.program, self.target, self.noise.scale)
        self.data = self.model()

    def model(self, still: Any = None) -> ScaledProgram:
        particular = particular_of(self.program, self.S, still)
        return posed(
            self.program, self.S, self.noise, self.scaling, particular, self.target,
            self.objective, still,
        )  # fmt: skip

    def point(self, seed: int) -> Point:
        """Anywhere; the recourse is one: S Z = I and G Z = 0."""
        data, rng = self.data, np.random.default_rng(seed)
        C, n = data.C.toarray(), self.program.n
        Y = rng.normal(size=(n, data.noise_dimensions))
        Y = Y - np.linalg.pinv(C) @ C @ Y
        return Point(rng.normal(size=n), Y, None)

    def back(self, point: Point) -> tuple[Dense, Dense]:
        """z, and Z of noise of scale one, in the user's units."""
        columns, data = self.scaling.columns, self.data
        return columns * point.z, columns[:, None] * data.nu * (data.base + point.Y)


@pytest.mark.parametrize("seed", range(3))
def test_rows_and_equalities_are_those_of_the_program(seed: int) -> None:
    case = Case(seed)
    data, program, point = case.data, case.program, case.point(seed)
    z, Z = case.back(point)
    factors, kept = case.scaling.equality_factors, program.independent
    assert data.A @ point.z == pytest.approx(case.scaling.row_factors * (program.rows.matrix @ z))
    off = factors * (program.equalities.matrix @ z - case.target)
    assert data.G @ point.z - data.d == pytest.approx(off[kept], abs=1e-9)
    G = program.equalities.matrix.toarray()
    scale = case.noise.scale
    assert pytest.approx(scale * np.eye(P), abs=1e-9 * scale) == case.S @ Z
    assert factors[:, None] * (G @ Z) == pytest.approx(np.zeros((len(G), P)), abs=1e-8)
    a = case.scaling.row_factors[:, None] * np.asarray(program.rows.matrix @ Z)
    wanted = data.nu * data.base_rows + data.nu * (data.directions.D @ point.Y)
    assert a[data.directions.lead] == pytest.approx(wanted)
    assert data.norms == pytest.approx(np.linalg.norm(data.base_rows, axis=1))


OBJECTIVES: dict[str, Objective | None] = {
    "expected": None,
    "cost": po.CostDeviation(phi=0.3),
    "solution": po.SolutionDeviation(phi=0.3),
    "published": po.SolutionDeviation(phi=0.3, published=True),
}


@pytest.mark.parametrize("kind", OBJECTIVES)
def test_the_objective_of_a_plan_is_that_of_the_paper(kind: str) -> None:
    case = Case(0, objective=OBJECTIVES[kind], linear=kind == "cost")
    point, program = case.point(1), case.program
    z, Z = case.back(point)
    C2, c1 = program.quadratic.toarray(), program.linear
    deviation = np.sqrt(case.noise.law.variance)
    wanted = c1 @ z + z @ C2 @ z + deviation**2 * np.trace(Z.T @ C2 @ Z)
    size = {"cost": np.linalg.norm(Z.T @ c1), "solution": np.linalg.norm(Z), "expected": 0.0}
    size["published"] = np.linalg.norm(Z.sum(axis=1))
    if kind != "expected":
        wanted = 0.7 * wanted + 0.3 * deviation * size[kind]
    assert case.data.value(point) / case.scaling.kappa == pytest.approx(wanted)


def test_entries_of_the_recourse_that_must_be_zero_are_found_by_columns() -> None:
    case = Case(0)
    still = np.zeros((case.program.n, P), dtype=bool)
    free = np.flatnonzero(case.S.toarray().sum(axis=0) == 0)
    still[free[0], 1] = still[free[2], 0] = True
    data = case.model(still)
    Y = np.arange(still.size).reshape(still.shape)
    assert data.still is not None
    assert sorted(Y.T.ravel()[data.still]) == sorted(Y[still])
    assert not data.base[still].any()
