"""Many Cholesky factors at once."""

from __future__ import annotations

import numpy as np
import pytest

from privopt.solving.robust.many import inverse_factors


@pytest.mark.parametrize("size", [1, 2, 7])
def test_they_invert(size: int) -> None:
    rng = np.random.default_rng(size)
    M = rng.normal(size=(5, size, size))
    H = M @ M.transpose(0, 2, 1) + np.eye(size)
    V = inverse_factors(H)
    np.testing.assert_allclose(V.transpose(0, 2, 1) @ V @ H, np.tile(np.eye(size), (5, 1, 1)),
                               atol=1e-9)  # fmt: skip
    assert (np.triu(V, 1) == 0).all()


def test_nothing_has_no_factors() -> None:
    assert inverse_factors(np.zeros((3, 0, 0))).shape == (3, 0, 0)


def test_what_is_not_positive_definite_is_refused() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        inverse_factors(np.array([np.eye(2), [[1.0, 2.0], [2.0, 1.0]]]))
