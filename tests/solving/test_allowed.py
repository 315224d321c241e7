"""Allowed recourses: C Z = right to rounding, zeros where asked, and the nearest such matrix."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from privopt.solving.allowed import Allowed


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    C, Z = rng.normal(size=(4, 9)), rng.normal(size=(9, 3))
    still = np.zeros((9, 3), dtype=bool)
    still[[0, 1], 0] = still[[2], 1] = True
    return C, rng.normal(size=(4, 3)), Z, still


def nearest(C: np.ndarray, right: np.ndarray, v: np.ndarray, zero: np.ndarray) -> np.ndarray:
    """Least squares with the zeros left out: independent of the factorisation used."""
    free = ~zero
    x = np.zeros(len(v))
    missing = right - C[:, free] @ v[free]
    x[free] = v[free] + np.linalg.pinv(C[:, free]) @ missing
    return x


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("held", [False, True])
def test_the_nearest_allowed_recourse(seed: int, held: bool) -> None:
    C, right, Z, still = drawn(seed)
    mask = still if held else np.zeros_like(still)
    space = Allowed(sp.csr_array(C), still if held else None)
    for start, found in ((np.zeros_like(Z), space.least(right)), (Z, space.nearest(Z, right))):
        np.testing.assert_allclose(C @ found, right, atol=1e-12)
        assert (found[mask] == 0).all()
        columns = [nearest(C, right[:, j], start[:, j], mask[:, j]) for j in range(3)]
        np.testing.assert_allclose(found, np.column_stack(columns), atol=1e-9)
