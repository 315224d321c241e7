"""Cholesky factors: they solve, digit for digit as scipy does, and refuse what has none."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la

from privopt.solving.definite import Cholesky


@pytest.mark.parametrize("shape", [(), (1,), (4,)])
@pytest.mark.parametrize("size", [1, 2, 17, 60])
def test_it_solves_as_scipy_does(size: int, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(size)
    M = rng.normal(size=(size, size))
    H, right = M @ M.T + np.eye(size), rng.normal(size=(size, *shape))
    kept = H.copy(), right.copy()
    found = Cholesky(H).solve(right)
    np.testing.assert_allclose(H @ found, right, atol=1e-9 * np.abs(found).max() * size)
    expected = la.cho_solve(la.cho_factor(H, lower=True), right)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(H, kept[0])  # both are left alone
    np.testing.assert_array_equal(right, kept[1])


@pytest.mark.parametrize("wrong", [[[1.0, 2.0], [2.0, 1.0]], [[0.0]], [[-1.0]]])
def test_what_is_not_positive_definite_is_refused(wrong: list[list[float]]) -> None:
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        Cholesky(np.array(wrong))
