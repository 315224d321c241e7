"""SampledBox: the printed count, its confidence, its seed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.cases import toy

import privopt as po
from privopt.feasibility.sampled_box import box_samples

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)


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
