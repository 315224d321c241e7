"""Chains leave the density that they move by as it is, and their exchanges leave all sums."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats as st
from tests.mechanisms.measured.test_posterior import LAWS, LEVEL, box, independent

from privopt.mechanisms.measured.chains import Chains, Evidence
from privopt.solving.robust.region import Region

SUMS = {"total": np.ones((1, 4)), "general": np.random.default_rng(1).normal(size=(2, 4))}


@pytest.mark.parametrize("kind", SUMS)
def test_draws_of_the_density_stay_draws_of_it(kind: str) -> None:
    W = SUMS[kind]
    y = W @ np.full(4, 0.8)
    start, other = np.split(independent(W, y, "laplace", 0.3)[:3000], 2)
    chains = Chains(box(4), [Evidence(W, y, 0.3, LAWS["laplace"])], start, np.random.default_rng(3))
    for _ in range(3):
        chains.exchange()
        chains.sweep()
    assert not (chains.u == start).any(axis=1).mean() > 0.01
    looks = [(chains.u @ row, other @ row) for row in (*np.eye(4), *W)]
    assert min(st.ks_2samp(mine, theirs).pvalue for mine, theirs in looks) > LEVEL / len(looks)


@pytest.mark.parametrize("kind", SUMS)
def test_an_exchange_leaves_sums_and_box(kind: str) -> None:
    W, rng = SUMS[kind], np.random.default_rng(4)
    region = Region.of(np.zeros(4), np.ones(4), np.ones((1, 4)), np.array([1.0]), np.array([3.0]))
    start = rng.uniform(0.25, 0.75, (50, 4))
    chains = Chains(region, [Evidence(W, W @ np.ones(4), 0.1, LAWS["gaussian"])], start, rng)
    chains.exchange()
    assert np.ptp(chains.u - start, axis=0).min() > 0.01
    both = np.vstack([W, np.ones((1, 4))])
    np.testing.assert_allclose(chains.u @ both.T, start @ both.T, atol=1e-12)
    assert region.holds(chains.u).all()
