"""ExactBox: its half-width, its probability, its joint promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.cases import convex, toy
from tests.reference.plain import random_program

import privopt as po

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)
BOUNDED = po.TruncatedLaplace(epsilon=1.0, delta=0.01, alpha=0.05)


def test_exact_box_has_the_printed_half_width() -> None:
    p, eta = 2, 0.05
    plan = po.solve(toy(), po.Identity(["x", "y"]), LAPLACE, po.ExactBox(eta=eta))
    box = plan.margins.box
    assert box is not None
    wanted = math.log(1 / (1 - (1 - eta) ** (1 / p)))
    assert box.high == pytest.approx(np.full(p, wanted))
    assert box.low == pytest.approx(-box.high)


@pytest.mark.parametrize(
    "noise", [LAPLACE, po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.02), BOUNDED]
)
@pytest.mark.parametrize("make", [po.ExactBox(eta=0.1), po.SampledBox(eta=0.1, beta=1e-4)])
def test_boxes_keep_all_rows_together(
    noise: po.Laplace | po.Gaussian | po.TruncatedLaplace, make: po.ExactBox | po.SampledBox
) -> None:
    data = random_program(3, n=9, equalities=3, rows=10, p=3)
    plan = po.solve(convex(data), po.Linear(data["S"]), noise, make, rng=0)
    assert plan.guarantee.feasibility.scope is po.Scope.JOINT
    assert plan.verify(100_000).violation.interval[0] <= 0.1


def test_exact_box_has_exactly_its_probability() -> None:
    """Share of 10^5 draws inside the box: the 99% interval covers 1 - eta."""
    plan = po.solve(toy(), po.Identity(["x", "y"]), LAPLACE, po.ExactBox(eta=0.1))
    box = plan.margins.box
    assert box is not None
    draws = np.random.default_rng(0).laplace(size=(100_000, 2))
    inside = int(((draws >= box.low) & (draws <= box.high)).all(axis=1).sum())
    low, high = po.Estimate.of(inside, 100_000).interval
    assert low <= 0.9 <= high


@pytest.mark.parametrize("eta", [0.0, 1.0, -1.0, float("nan")])
def test_probabilities_outside_their_range_are_refused(eta: float) -> None:
    for make in (
        lambda: po.ExactBox(eta=eta),
        lambda: po.SampledBox(eta=eta, beta=0.1),
        lambda: po.SampledBox(eta=0.1, beta=eta),
        lambda: po.Joint(eta=eta, beta=0.1),
        lambda: po.Joint(eta=0.1, beta=eta),
        lambda: po.Scenario(eta=eta, beta=0.1),
    ):
        with pytest.raises(po.errors.InputError):
            make()
