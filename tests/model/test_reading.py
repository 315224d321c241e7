"""What a program is given, read and checked (its errors are tested in test_program)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from privopt.errors import InputError
from privopt.model.reading import check_convex

steady = settings(deadline=None, max_examples=50, derandomize=True)


def spectrum(values: list[float], seed: int) -> Any:
    """A symmetric matrix with these eigenvalues."""
    n = len(values)
    Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))[0]
    C2 = Q @ np.diag(values) @ Q.T
    return 0.5 * (C2 + C2.T)


@steady
@given(
    values=st.lists(st.sampled_from([0.0, 0.1, 1.0, 50.0]), min_size=2, max_size=6),
    unit=st.sampled_from([1e-12, 1.0, 1e12]),
    seed=st.integers(0, 1000),
)
def test_semidefinite_passes_and_one_negative_eigenvalue_does_not(
    values: list[float], unit: float, seed: int
) -> None:
    n = len(values)
    check_convex(sp.csr_array(unit * spectrum(values, seed)), n)
    values[0] = -1e-3
    with pytest.raises(InputError, match="indefinite"):
        check_convex(sp.csr_array(unit * spectrum(values, seed)), n)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_a_diagonal_is_judged_by_its_entries(unit: float) -> None:
    check_convex(sp.csr_array(np.diag([0.0, unit, 2 * unit])), 3)
    with pytest.raises(InputError, match="indefinite"):
        check_convex(sp.csr_array(np.diag([unit, -1e-3 * unit])), 2)


def test_a_zero_diagonal_with_coupling_is_indefinite() -> None:
    with pytest.raises(InputError, match="indefinite"):
        check_convex(sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])), 2)


def test_rounding_is_forgiven() -> None:
    factor = np.random.default_rng(0).normal(size=(40, 3))
    C2 = factor @ factor.T
    assert np.linalg.eigvalsh(C2)[0] < 0
    check_convex(sp.csr_array(C2), 40)


def test_an_asymmetric_matrix_is_refused_with_the_remedy() -> None:
    with pytest.raises(InputError, match=r"not symmetric.*\(C2 \+ C2.T\) / 2"):
        check_convex(sp.csr_array(np.array([[1.0, 0.5], [0.0, 1.0]])), 2)


@pytest.mark.parametrize("lowest", [0.5, -1e-3])
def test_large_sparse_matrices_are_judged_too(lowest: float) -> None:
    """Blocks [[2, c], [c, 2]]: eigenvalues 2 - c and 2 + c; one block has the lowest."""
    n = 1600
    coupling = np.zeros(n - 1)
    coupling[::2] = 1.0
    coupling[800] = 2.0 - lowest
    bands: list[Any] = [2 * np.ones(n), coupling, coupling]
    C2 = sp.csr_array(sp.diags_array(bands, offsets=[0, 1, -1]))
    if lowest > 0:
        check_convex(C2, n)
    else:
        with pytest.raises(InputError, match="indefinite"):
            check_convex(C2, n)
