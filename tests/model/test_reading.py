"""What a program is given, read and checked (its errors are tested in test_program)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from privopt.errors import InputError
from privopt.model.reading import quadratic_cost, variable_labels


def test_names_come_before_frames_before_series() -> None:
    frame = pd.DataFrame(np.eye(2), columns=["c", "d"])
    series = pd.Series([1, 2], index=["e", "f"])
    assert variable_labels(["a", "b"], (frame,), (series,)) == ["a", "b"]
    assert variable_labels(None, (None, frame), (series,)) == ["c", "d"]
    assert variable_labels(None, (np.eye(2),), (None, series)) == ["e", "f"]
    assert variable_labels(None, (np.eye(2),), ([1, 2],)) is None
    with pytest.raises(InputError, match="names"):
        variable_labels("ab", (), ())


def test_a_number_vector_or_matrix_makes_the_quadratic_cost() -> None:
    assert quadratic_cost(None, 2, None).nnz == 0
    assert quadratic_cost(2.0, 2, None).toarray().tolist() == [[2, 0], [0, 2]]
    assert quadratic_cost([1, 2], 2, None).toarray().tolist() == [[1, 0], [0, 2]]
    assert quadratic_cost([[1, 1], [1, 1]], 2, None).toarray().tolist() == [[1, 1], [1, 1]]
    with pytest.raises(InputError):
        quadratic_cost([[1, 2], [3]], 2, None)
