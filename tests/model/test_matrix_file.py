"""Sparse matrices in files: the same bits, and nothing that scipy would trip over."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from privopt.model.matrix_file import matrix, read_matrix


def test_the_same_bits() -> None:
    rng = np.random.default_rng(0)
    M: Any = sp.random_array((7, 5), density=0.4, rng=rng, format="csr")
    M.data[0], M.data[1] = 5e-324, -1.7976931348623157e308
    data = json.loads(json.dumps(matrix(M)))
    again = read_matrix(data, 7, 5)
    assert again.toarray().tobytes() == M.toarray().tobytes()
    assert matrix(again) == data
    empty = read_matrix(matrix(sp.csr_array((0, 5))), 0, 5)
    assert empty.shape == (0, 5)


def test_an_entry_given_twice_is_refused() -> None:
    """Scipy adds them up in floats where it must, and exact sums do so in fractions."""
    whole = matrix(sp.csr_array(np.array([[1.0, 0, 2.0], [0, 3.0, 0]])))
    with pytest.raises(ValueError, match="^$"):
        read_matrix({**whole, "indices": [0, 0, 1]}, 2, 3)
    swapped = {**whole, "indices": [2, 0, 1]}  # another order is none
    assert read_matrix(swapped, 2, 3).toarray().tolist() == [[2.0, 0, 1.0], [0, 3.0, 0]]
