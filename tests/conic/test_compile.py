"""The compiled program: a smaller basis R of the noise, and the elastic form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.cases import convex, toy
from tests.reference.plain import random_program

import privopt as po
from privopt.conic.chance import ChanceProgram
from privopt.conic.compile import Cuts
from privopt.conic.margins import Margins
from privopt.conic.problem import Outcome
from privopt.conic.solver import Settings, solve_conic


def chance_of(program: po.ConvexProgram, query: po.Linear | po.Identity, alpha: float = 0.1):  # noqa: ANN201
    S = query.matrix(program)
    calibration = po.Laplace(epsilon=1.0, alpha=alpha).calibrate(S.shape[0], alpha)
    near = program.solve().z
    return ChanceProgram(program, S, calibration, po.ExpectedCost(), Settings(), near)


def objective_value(chance: ChanceProgram, margins: Margins, R: np.ndarray) -> float:
    """The optimum of the compiled program with Z = nu (Z_0 + Y R), its constant included."""
    scaled = replace(chance._scaled, R=R)
    problem = scaled.conic(margins, Cuts.none(chance.noise_dimensions), chance._b)
    answer = solve_conic(problem, Settings())
    assert answer.outcome is Outcome.OPTIMAL
    z, Z = scaled.split(answer.x)
    C2 = scaled.quadratic.toarray()
    return float(scaled.linear @ z + z @ C2 @ z + scaled.variance * np.trace(Z.T @ C2 @ Z))


@pytest.mark.parametrize("seed", range(4))
def test_a_basis_of_the_rows_of_A_Z0_loses_nothing_for_two_norms(seed: int) -> None:
    """DESIGN section 2: with Z_0 of least cost, Y needs only the row span of A_W Z_0.

    Few rows (3) and many noise dimensions (5), so the basis is smaller than p.
    """
    data = random_program(seed, n=12, equalities=3, rows=3, p=5)
    data["A"], data["b"] = data["A"][:3], data["b"][:3]
    data["C2"] = np.diag(np.linspace(0.5, 1.5, 12))  # bounded without the box rows
    chance = chance_of(convex(data), po.Linear(data["S"]))
    margins = Margins(deviations=np.full(3, 3.0))
    scaled = chance._scaled
    # The particular solution of least cost: minimise tr(Z'C2 Z) subject to [G; S] Z = [0; I].
    C2, C = scaled.quadratic.toarray(), scaled.C.toarray()
    right = C @ scaled.base
    middle = np.linalg.inv(C2) @ C.T
    chance._scaled = replace(scaled, base=middle @ np.linalg.solve(C @ middle, right))
    fixed = chance._scaled.A @ chance._scaled.base
    R = np.linalg.qr(fixed.T)[0].T
    assert R.shape == (3, 5)
    plain = objective_value(chance, margins, np.eye(5))
    assert objective_value(chance, margins, R) == pytest.approx(plain, rel=1e-7)
    poorer = objective_value(chance, margins, R[:1])
    assert poorer >= plain - 1e-7 * abs(plain)


def test_the_elastic_form_is_zero_where_a_plan_exists_and_positive_where_none_does() -> None:
    margins = Margins(deviations=np.full(6, 3.0))
    assert chance_of(toy(6.0), po.Identity(["x"])).excess(margins).max() <= 1e-6
    blocked = chance_of(toy(11.9), po.Identity(["x"]), alpha=1.0)
    assert blocked.excess(margins).max() > 1e-2
    assert blocked.solve(margins) is Outcome.INFEASIBLE
