"""Always: never violated, tight, and only with bounded noise."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import convex, toy
from tests.reference.plain import random_program

import privopt as po

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)
BOUNDED = po.TruncatedLaplace(epsilon=1.0, delta=0.01, alpha=0.05)


def test_always_is_never_violated_in_a_million_draws() -> None:
    data = random_program(1, n=9, equalities=3, rows=10, p=3)
    program, query = convex(data), po.Linear(data["S"])
    plan = po.solve(program, query, BOUNDED, po.Always())
    verification = plan.verify(1_000_000, rng=0)
    assert verification.violation.value == 0.0
    # Nor at the corners of the support, with no tolerance at all.
    bound = plan.calibration.law.bound * plan.calibration.scale
    corners = np.array(np.meshgrid(*[[-bound, bound]] * 3)).reshape(3, -1)
    z = plan.affine.at(corners)
    assert (data["A"] @ z <= data["b"][:, None]).all()


def test_always_is_tight_some_corner_nearly_binds() -> None:
    plan = po.solve(toy(7.9), po.Identity(["x"]), BOUNDED, po.Always())
    bound = plan.calibration.law.bound * plan.calibration.scale
    z = plan.affine.at(np.array([[-bound, bound]]))
    assert (4.0 - z).min() < 1e-6


def test_secure_releases_of_an_always_plan_are_always_feasible() -> None:
    plan = po.solve(toy(7.9), po.Identity(["x", "y"]), BOUNDED, po.Always())
    for _ in range(300):
        z = plan.realise(plan.release())
        assert (z >= 0).all()
        assert (z <= 4).all()


@pytest.mark.parametrize("noise", [LAPLACE, po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1)])
def test_always_needs_bounded_noise(noise: po.Laplace | po.Gaussian) -> None:
    with pytest.raises(po.errors.CombinationError, match="TruncatedLaplace"):
        po.solve(toy(), po.Identity(["x"]), noise, po.Always())
