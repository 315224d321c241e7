"""The domain: finite, ordered, one number or one for each private entry."""

from __future__ import annotations

import numpy as np
import pytest

from privopt.errors import InputError
from privopt.model.domain import Box


def test_numbers_spread_over_the_entries() -> None:
    lower, upper = Box(0.5, [1.0, 2.0]).ends(2)
    np.testing.assert_array_equal(lower, [0.5, 0.5])
    np.testing.assert_array_equal(upper, [1.0, 2.0])


@pytest.mark.parametrize(
    ("lower", "upper"), [(1.0, 0.0), (0.0, np.inf), (np.nan, 1.0), ([0, 0], [1, 1, 1])]
)
def test_what_is_no_box_is_refused(lower: object, upper: object) -> None:
    with pytest.raises(InputError, match="domain"):
        Box(lower, upper)


def test_bounds_for_another_number_of_entries_are_refused() -> None:
    with pytest.raises(InputError, match="one for each private entry"):
        Box([0, 0, 0], 1).ends(2)
