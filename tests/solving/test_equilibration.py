"""Factors that bring entries to one size: whatever the units, and least in the sum of squares."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from privopt.solving.equilibration import (
    column_sizes,
    equilibrate,
    scaled,
)


def matrix(seed: int, rows: int = 8, columns: int = 6) -> sp.csr_array:
    rng = np.random.default_rng(seed)
    dense = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.6)
    dense[:, 0] = rng.uniform(1, 2, rows)  # all of one piece
    return sp.csr_array(dense)


@pytest.mark.parametrize("seed", range(5))
def test_units_change_nothing(seed: int) -> None:
    M, rng = matrix(seed), np.random.default_rng(seed)
    units, scales = 10.0 ** rng.uniform(-6, 6, 6), 10.0 ** rng.uniform(-6, 6, 8)
    other = scaled(M, units, scales)
    ours, theirs = column_sizes(M), column_sizes(other) * units
    # A common factor of all columns is that of all rows.
    np.testing.assert_allclose(theirs / theirs[0], ours / ours[0], rtol=0.2)


@pytest.mark.parametrize("seed", range(5))
def test_the_largest_entry_of_each_row_and_column_is_near_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = scaled(matrix(seed), 10.0 ** rng.uniform(-5, 5, 6), 10.0 ** rng.uniform(-5, 5, 8))
    G = matrix(seed + 100, 3)
    of_A, of_G, columns = equilibrate(A, G)
    whole = np.abs(
        np.vstack([scaled(A, columns, of_A).toarray(), scaled(G, columns, of_G).toarray()])
    )
    np.testing.assert_allclose(whole.max(axis=1), 1.0)
    assert whole.max(axis=0).min() > 0.05
