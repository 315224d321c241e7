"""A region covers what it was made of, and nothing that is larger by a hair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from privopt.solving.robust.covering import covers
from privopt.solving.robust.region import Region


@pytest.mark.parametrize("seed", range(20))
def test_a_region_covers_what_it_was_made_of(seed: int) -> None:
    rng, q = np.random.default_rng(seed), 5
    unit = 10.0 ** rng.integers(-8, 8)
    lower = unit * rng.normal(size=q)
    upper = lower + unit * rng.uniform(0, 1, q)
    W = rng.normal(size=(4, q)) * (rng.random((4, q)) < 0.6)
    W[0] = 3 * np.eye(q)[2]
    W[1] = 1.0
    at = W @ (0.5 * (lower + upper))
    low, high = at - 0.1 * unit, at + 0.1 * unit
    low[3] = -np.inf
    region = Region.of(lower, upper, W, low, high)
    W, low, high = (part[W.any(axis=1)] for part in (W, low, high))
    assert covers(region, lower, upper, W, low, high)
    wider = low.copy()
    wider[1] -= 1e-9 * unit
    if region.low[0] > -np.abs(region.W[0]) @ region.half:
        assert not covers(region, lower, upper, W, wider, high)
    assert not covers(region, lower - 1e-9 * unit, upper, W, low, high)
    assert not covers(replace(region, W=1.1 * region.W), lower, upper, W, low, high)
    for part in ("low", "high", "half"):
        smaller = replace(region, **{part: 0.99 * getattr(region, part)})
        if not np.array_equal(getattr(region, part), getattr(smaller, part)):
            assert not covers(smaller, lower, upper, W, low, high)
