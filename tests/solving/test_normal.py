"""The normal equations with changing weights, against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from privopt.solving.normal import NormalEquations


@pytest.mark.parametrize("seed", range(6))
def test_solves_are_those_of_the_dense_matrix(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m, e = 15, 40, 4
    A = np.where(rng.random((m, n)) < 0.25, rng.normal(size=(m, n)), 0.0)
    A[0] = 0.0
    root = np.where(rng.random((n, n)) < 0.2, rng.normal(size=(n, n)), 0.0)
    P, G = root @ root.T + np.eye(n), rng.normal(size=(e, n))
    made = NormalEquations(sp.csr_array(P), sp.csr_array(A), sp.csr_array(G))
    for spread in (1.0, 4.0):
        weights = np.exp(spread * rng.normal(size=m))
        weights[5] = 0.0
        whole = np.block([[P + A.T @ (weights[:, None] * A), G.T], [G, np.zeros((e, e))]])
        right = rng.normal(size=(n + e, 3))
        known = np.linalg.solve(whole, right)
        assert np.allclose(made.factor(weights).solve(right), known, rtol=1e-6, atol=1e-8)
