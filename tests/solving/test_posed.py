"""The affine model in scaled variables: back in the user's units it is the program that was asked.

Everything is compared at random points, feasible or not, in units that differ by factors of 1e6.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
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
from privopt.solving.specification import Specification

P = 2


class Case:
    """A program in mixed units, its query and its noise, and the model of them."""

    def __init__(
        self,
        seed: int,
        asked: Specification | None = None,
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
        target = self.program.right_hand_side() if asked is None else asked.target
        self.target, self.asked, self.objective = target, asked, objective
        self.scaling = Scaling.of(self.program, target, self.noise.scale)
        self.data = self.model()

    def model(self, still: Any = None) -> ScaledProgram:
        particular = particular_of(self.program, self.S, still)
        return posed(
            self.program, self.S, self.noise, self.scaling, particular, self.target,
            self.objective, still, self.asked,
        )  # fmt: skip

    def point(self, seed: int) -> Point:
        """Anywhere; the recourse is one, S Z = s I and G Z = 0, and so is the gain, G K = F."""
        data, rng = self.data, np.random.default_rng(seed)
        C, n = data.C.toarray(), self.program.n
        Y = rng.normal(size=(n, data.noise_dimensions))
        Y = Y - np.linalg.pinv(C) @ C @ Y
        K = np.zeros((n, 0))
        if data.gain is not None:
            own = data.gain.C.toarray()
            change = rng.normal(size=data.gain.start.shape)
            K = data.gain.start + change - np.linalg.pinv(own) @ own @ change
        level = 1.0 if data.floor is None else float(rng.uniform(0.1, 2.0))
        return Point(rng.normal(size=n), Y, None, level, K)

    def back(self, point: Point) -> tuple[Dense, Dense, Dense]:
        """z, K and Z of noise of scale one, in the user's units."""
        columns, data = self.scaling.columns, self.data
        K = columns[:, None] * point.K
        if self.asked is not None:
            K = K / (0.5 * (self.asked.high - self.asked.low))
        Z = data.nu * (point.level * data.base + point.Y)
        return columns * point.z, K, columns[:, None] * Z


def asked(**other: Any) -> Specification:
    """Of a policy: two of the three entries of d move."""
    usual: dict[str, Any] = {
        "target": np.array([0.3, -0.7, 0.5]), "F": sp.csr_array(np.eye(3)[:, :2]),
        "low": np.array([-0.1, -0.3]), "high": np.array([0.3, 0.1]),
        "variance": np.array([0.01, 0.02]), "reach": np.array([0.1, 0.05]), "order": 1,
        "floor": 0.3,
    }  # fmt: skip
    return Specification(**(usual | other))


@pytest.mark.parametrize("spec", [None, asked(), asked(silent=True)])
@pytest.mark.parametrize("seed", range(3))
def test_rows_and_equalities_are_those_of_the_program(
    seed: int, spec: Specification | None
) -> None:
    case = Case(seed, spec)
    data, program, point = case.data, case.program, case.point(seed)
    z, K, Z = case.back(point)
    factors, kept = case.scaling.equality_factors, program.independent
    assert data.A @ point.z == pytest.approx(case.scaling.row_factors * (program.rows.matrix @ z))
    off = factors * (program.equalities.matrix @ z - case.target)
    assert data.G @ point.z - data.d == pytest.approx(off[kept], abs=1e-9)
    G = program.equalities.matrix.toarray()
    if spec is None or not spec.silent:
        scale = case.noise.scale * (1.0 if spec is None else point.level * data.unit)
        assert pytest.approx(scale * np.eye(P), abs=1e-9 * scale) == case.S @ Z
        assert factors[:, None] * (G @ Z) == pytest.approx(np.zeros((len(G), P)), abs=1e-8)
        a = case.scaling.row_factors[:, None] * np.asarray(program.rows.matrix @ Z)
        wanted = data.nu * point.level * data.base_rows + data.nu * (data.directions.D @ point.Y)
        assert a[data.directions.lead] == pytest.approx(wanted)
        assert data.norms == pytest.approx(np.linalg.norm(data.base_rows, axis=1))
    if spec is not None:
        assert pytest.approx(spec.F.toarray(), abs=1e-8) == G @ K
        assert not spec.silent or pytest.approx(np.zeros((P, 2)), abs=1e-8) == case.S @ K
        corners = np.array(list(itertools.product(*zip(spec.low, spec.high, strict=True))))
        worst = np.asarray(program.rows.matrix @ (K @ corners.T)).max(axis=1)
        assert data.worst(point.K) == pytest.approx(case.scaling.row_factors * worst)


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
    z, _, Z = case.back(point)
    C2, c1 = program.quadratic.toarray(), program.linear
    deviation = np.sqrt(case.noise.law.variance)
    wanted = c1 @ z + z @ C2 @ z + deviation**2 * np.trace(Z.T @ C2 @ Z)
    size = {"cost": np.linalg.norm(Z.T @ c1), "solution": np.linalg.norm(Z), "expected": 0.0}
    size["published"] = np.linalg.norm(Z.sum(axis=1))
    if kind != "expected":
        wanted = 0.7 * wanted + 0.3 * deviation * size[kind]
    assert case.data.value(point) / case.scaling.kappa == pytest.approx(wanted)


@pytest.mark.parametrize("fidelity", [0.0, 1e-3, 1e6])
def test_the_objective_of_a_policy_is_a_mean_over_data_and_noise(fidelity: float) -> None:
    """Over four points of data, each with an answer of its own; noise enters by its variance.

    Up to a constant, and a unit where the fidelity outweighs the cost.
    """
    half = np.array([0.1, 0.2])
    v = half * np.array(list(itertools.product([-1.0, 1.0], repeat=2)))  # of these variances
    answers = np.random.default_rng(3).normal(size=(4, P))
    mean = answers.mean(axis=0)
    spec = asked(
        variance=half**2, fidelity=fidelity, answer=(mean, (answers - mean).T @ v / 4), floor=0.0
    )
    case = Case(1, spec)
    found: list[float] = []
    wanted: list[float] = []
    for seed in range(4):
        point = case.point(seed)
        z, K, Z = case.back(point)
        C2, S = case.program.quadratic.toarray(), case.S.toarray()
        total = case.noise.law.variance * np.trace(Z.T @ (C2 + fidelity * S.T @ S) @ Z)
        for step, answer in zip(v, answers, strict=True):
            there = z + K @ step
            missed = S @ there - answer
            cost = case.program.linear @ there + there @ C2 @ there
            total += 0.25 * (cost + fidelity * missed @ missed)
        found.append(case.data.value(point))
        wanted.append(float(total))
    steps, known = np.diff(found), np.diff(wanted)
    assert steps / steps[0] == pytest.approx(known / known[0], rel=1e-6)
    if fidelity == 0.0:
        assert steps == pytest.approx(case.scaling.kappa * known)
    assert np.abs(case.data.linear).max() <= 1e3  # whatever the fidelity weighs


@pytest.mark.parametrize("order", [1, 2])
def test_noise_hides_what_the_calibration_says(order: int) -> None:
    """||S K_j|| reach_j <= Delta s in the user's units, s of S Z = s I at the noise's own scale."""
    case = Case(2, asked(order=order))
    point, gain, spec = case.point(0), case.data.gain, asked()
    assert gain is not None
    _, K, _ = case.back(point)
    moved = np.linalg.norm(np.asarray(gain.query @ point.K), order, axis=0) * gain.reach
    level = point.level * case.data.unit
    over = np.linalg.norm(np.asarray(case.S @ K), order, axis=0) * spec.reach
    ours, theirs = moved / (gain.ratio * point.level), over / (case.noise.sensitivity * level)
    assert ours == pytest.approx(theirs)
    assert case.data.floor is not None
    assert case.data.floor * case.data.unit == pytest.approx(spec.floor)


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
