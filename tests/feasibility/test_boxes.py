"""ExactBox, SampledBox and Always: joint promises kept in 10^5 and 10^6 draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.cases import convex, toy
from tests.reference.plain import random_program

import privopt as po
from privopt.feasibility.sampled_box import box_samples

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


@pytest.mark.parametrize(("eta", "beta", "p"), [(0.025, 0.01, 1), (0.025, 0.01, 35), (0.1, 0.5, 7)])
def test_sample_count_is_the_printed_formula(eta: float, beta: float, p: int) -> None:
    e = math.e
    assert box_samples(eta, beta, p) == math.ceil(
        (1 / eta) * (e / (e - 1)) * (2 * p - 1 + math.log(1 / beta))
    )


def test_sampled_boxes_hold_their_probability_with_the_stated_confidence() -> None:
    """400 boxes at beta = 0.1: fewer than 40 + 4 standard deviations fail (false alarm 3e-5)."""
    rng = np.random.default_rng(0)
    law = LAPLACE.calibrate(3, 0.1).law
    failures = 0
    for _ in range(400):
        draws = law.sample(rng, (box_samples(0.1, 0.1, 3), 3))
        failures += law.mass(draws.min(axis=0), draws.max(axis=0)) < 0.9
    assert failures < 40 + 4 * math.sqrt(36)


def test_sampled_box_follows_its_seed() -> None:
    costs = [
        po.solve(
            toy(), po.Identity(["x"]), LAPLACE, po.SampledBox(eta=0.1, beta=0.1), rng=seed
        ).cost
        for seed in (0, 0, 1)
    ]
    assert costs[0] == costs[1]
    assert costs[0] != costs[2]


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
