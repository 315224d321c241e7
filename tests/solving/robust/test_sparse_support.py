"""The worst case of sparse rows: that of dense ones, or a proven bound."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from privopt.solving.robust.region import Region
from privopt.solving.robust.sparse_support import part_of, sparse_support

PERIODS = np.repeat(np.arange(4), 3)


def region(W: np.ndarray, seed: int) -> Region:
    rng = np.random.default_rng(seed)
    middle, half = rng.normal(size=12), rng.uniform(0.1, 1.0, 12)
    at = W @ (middle + half * rng.uniform(-0.3, 0.3, 12))
    return Region.of(middle - half, middle + half, W, at - 0.4, at + 0.3)


def rows(seed: int) -> np.ndarray:
    """Rows of one period, of two, of all, and of none."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(40, 12))
    for k in range(39):
        a[k, ~np.isin(PERIODS, rng.choice(4, size=1 + k % 3, replace=False))] = 0.0
    a[20] = 0.0
    return a


HOURS = np.kron(np.eye(4), np.ones(3))


@pytest.mark.parametrize("seed", range(4))
def test_slabs_of_periods_give_what_all_of_the_region_gives(seed: int) -> None:
    where, a = region(HOURS, seed), rows(seed)
    before = sp.csr_array(a)
    given = before.copy()
    value, m = sparse_support(where, given, PERIODS)
    np.testing.assert_allclose(value, where.support(a)[0], atol=1e-12)
    np.testing.assert_allclose(where.bound(a, m), value, atol=1e-12)
    assert (abs(given - before)).sum() == 0  # nothing of what it was given has changed


@pytest.mark.parametrize("seed", range(4))
def test_other_slabs_give_a_bound_that_multipliers_prove(seed: int) -> None:
    W = np.vstack([HOURS, np.ones((1, 12)), (PERIODS < 2)[None].astype(float)])
    where, a = region(W, seed), rows(seed)
    value, m = sparse_support(where, sp.csr_array(a), PERIODS)
    np.testing.assert_allclose(where.bound(a, m), value, atol=1e-12)
    exact = where.support(a)[0]
    assert (value >= exact - 1e-9).all()
    assert np.mean(value <= exact + 1e-6) > 0.3  # many of them are the best there are
    assert (value <= np.abs(a) @ where.half + 1e-12).all()


def test_a_part_has_the_slabs_of_its_entries_and_their_entries() -> None:
    where = region(np.vstack([HOURS[:1], HOURS[2:3] + HOURS[3:]]), 0)
    part, entries, slabs = part_of(where, np.array([7]))
    assert slabs.tolist() == [1]
    assert entries.tolist() == list(range(6, 12))
    np.testing.assert_array_equal(part.W, np.ones((1, 6)))
