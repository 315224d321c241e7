"""Rows put together from their arrays are those that scipy makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from privopt.solving.sparse import absolute, like, places, repeated, stacked, taken


def some(seed: int, rows: int = 6) -> Any:
    return sp.random_array((rows, 5), density=0.4, format="csr", rng=np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_those_of_scipy(seed: int) -> None:
    M, N, empty = some(seed), some(seed + 50, 3), sp.csr_array((0, 5))
    assert (stacked(M, empty, N).toarray() == sp.vstack([M, N]).toarray()).all()
    rows = np.random.default_rng(seed).integers(6, size=4)
    assert (taken(M, rows).toarray() == M.toarray()[rows]).all()
    assert taken(M, rows[:0]).shape == (0, 5)
    assert (places(M) == M.tocoo().row).all()
    weights = np.array([2.0, 0.5, -1.0])
    blocks = sp.block_diag([weight * M for weight in weights]).toarray()
    assert (repeated(M, weights).toarray() == blocks).all()
    assert repeated(M, weights[:0]).shape == (0, 0)
    assert (absolute(like(M, -M.data)).toarray() == M.toarray()).all()


def test_entries_of_another_matrix_are_its_own() -> None:
    M = some(1)
    before = M.toarray()
    other = like(M, 2 * M.data)
    other.data[:] = 0.0
    assert (M.toarray() == before).all()
    assert other.toarray().any() == np.False_
