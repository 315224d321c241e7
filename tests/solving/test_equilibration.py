"""Factors that bring entries to one size: whatever the units, and least in the sum of squares."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import lsq_linear

from privopt.solving.equilibration import (
    balanced,
    column_sizes,
    equilibrate,
    largest_of_rows,
    scaled,
    together,
)


def matrix(seed: int, rows: int = 8, columns: int = 6) -> sp.csr_array:
    rng = np.random.default_rng(seed)
    dense = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.6)
    dense[:, 0] = rng.uniform(1, 2, rows)  # all of one piece
    return sp.csr_array(dense)


@pytest.mark.parametrize("seed", range(5))
def test_they_are_the_least_squares_of_the_logarithms(seed: int) -> None:
    M = matrix(seed)
    rows, columns = balanced(M)
    part = M.tocoo()
    system = np.zeros((part.nnz, sum(M.shape)))
    system[np.arange(part.nnz), part.row] = 1
    system[np.arange(part.nnz), M.shape[0] + part.col] = 1
    logs = np.log(np.abs(part.data))
    best = lsq_linear(system, -logs)
    ours = logs + np.log(rows)[part.row] + np.log(columns)[part.col]
    assert float(ours @ ours) == pytest.approx(2 * best.cost, rel=1e-2)


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


def test_products_as_they_are_written_out() -> None:
    M, columns, rows = matrix(0), np.arange(1.0, 7.0), np.arange(1.0, 9.0)
    dense = M.toarray()
    np.testing.assert_allclose(scaled(M, columns, rows).toarray(), rows[:, None] * dense * columns)
    np.testing.assert_allclose(scaled(M, columns).toarray(), dense * columns)
    np.testing.assert_allclose(largest_of_rows(M, columns), np.abs(dense * columns).max(axis=1))
    assert largest_of_rows(sp.csr_array((2, 3)), np.ones(3)).tolist() == [1.0, 1.0]
    assert column_sizes(sp.csr_array(np.diag([1e9, 1.0]))).tolist() == [1.0, 1.0]  # bounds alone


def test_variables_are_together_where_a_chain_of_rows_ties_them() -> None:
    A = sp.csr_array([[1.0, 1, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]])
    G = sp.csr_array([[0.0, 1, 1, 0, 0, 0], [0, 0, 0, 0, 1, 1]])
    found = together(A, G)
    assert found[0] == found[1] == found[2]
    assert found[4] == found[5]
    assert len({int(found[j]) for j in (0, 3, 4)}) == 3
