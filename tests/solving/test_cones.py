"""The scaling of slacks and multipliers: its defining equations, and the way to the boundary."""

from __future__ import annotations

import numpy as np
import pytest

from privopt.arrays import Vector
from privopt.solving.cones import Weights, inward, reach

CONES = (6, 4)
NUMBERS = 9


def inside(rng: np.random.Generator) -> Vector:
    """A point inside of the cone, some parts near the boundary."""
    numbers = np.exp(rng.uniform(-5, 5, NUMBERS))
    round_part = rng.normal(size=CONES)
    depth = np.exp(rng.uniform(-10, 1, CONES[0]))
    round_part[:, 0] = np.linalg.norm(round_part[:, 1:], axis=1) * (1 + depth)
    return np.concatenate([numbers, round_part.ravel()])


@pytest.mark.parametrize("seed", range(5))
def test_it_takes_the_multiplier_to_the_slack(seed: int) -> None:
    rng = np.random.default_rng(seed)
    s, y = inside(rng), inside(rng)
    weights = Weights(s, y, CONES)
    v = rng.normal(size=len(s))
    assert weights.squared(y) == pytest.approx(s, rel=1e-8, abs=1e-8)
    assert weights.inverse(s) == pytest.approx(y, rel=1e-6, abs=1e-6)
    assert weights.inverse(weights.squared(v)) == pytest.approx(v, rel=1e-6, abs=1e-6)
    assert v @ weights.squared(v) > 0
    heads = NUMBERS + CONES[1] * np.arange(CONES[0])
    total = weights.products()
    assert total[:NUMBERS].sum() + total[heads].sum() == pytest.approx(s @ y)
    # Taking away all of the products takes away all of the slack.
    assert weights.share(total) == pytest.approx(s, rel=1e-6, abs=1e-6)


def test_second_is_the_product_of_the_scaled_changes() -> None:
    rng = np.random.default_rng(0)
    s, y = inside(rng), inside(rng)
    weights = Weights(s, y, CONES)
    # W^-1 s = W y = lambda, so at (s, y) it is the products themselves.
    assert weights.second(s, y) == pytest.approx(weights.products(), rel=1e-6, abs=1e-6)
    plain = Weights(s[:NUMBERS], y[:NUMBERS], (0, 4))
    assert plain.second(s[:NUMBERS], y[:NUMBERS]) == pytest.approx(s[:NUMBERS] * y[:NUMBERS])


@pytest.mark.parametrize("seed", range(20))
def test_reach_ends_at_the_boundary(seed: int) -> None:
    rng = np.random.default_rng(seed)
    v, dv = inside(rng), rng.normal(size=NUMBERS + CONES[0] * CONES[1])
    t = reach(v, dv, CONES)

    def depth(length: float) -> float:
        there = v + length * dv
        cones = there[NUMBERS:].reshape(CONES)
        return float(
            min(there[:NUMBERS].min(), (cones[:, 0] - np.linalg.norm(cones[:, 1:], axis=1)).min())
        )

    assert depth(0.999 * t) > 0
    assert depth(1.001 * t) < 0


def test_what_grows_has_no_end() -> None:
    v = inside(np.random.default_rng(1))
    assert reach(v, v, CONES) > 1e200


@pytest.mark.parametrize("seed", range(5))
def test_inward_is_inside_and_leaves_what_is_deep_enough(seed: int) -> None:
    rng = np.random.default_rng(seed)
    there = inward(rng.normal(size=NUMBERS + CONES[0] * CONES[1]), 0.1, CONES)
    cones = there[NUMBERS:].reshape(CONES)
    assert there[:NUMBERS].min() >= 0.1
    assert (cones[:, 0] - np.linalg.norm(cones[:, 1:], axis=1)).min() >= 0.1 - 1e-12
    assert inward(there, 0.1 - 1e-9, CONES) == pytest.approx(there)
