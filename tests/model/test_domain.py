"""The domain: finite, ordered, one number or one for each private entry."""

from __future__ import annotations

import numpy as np
import pytest

from privopt.errors import InputError
from privopt.model.domain import Box, Domain, checked_domain


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


NAMES = ("a", "b", "c")


def test_a_box_has_no_rows_beside_it() -> None:
    for domain in (Box(0, 1), Domain(0, 1), Domain(0, 1, rows=({}, 0.0, 0.0))):
        W, low, high = domain.slabs(NAMES)
        assert W.shape == (0, 3)
        assert low.shape == high.shape == (0,)


def test_rows_by_name_and_as_a_matrix() -> None:
    groups = {"all": ["a", "b", "c"], "pair": [0, 1]}
    W, low, high = Domain(0, 1, rows=(groups, 1, [2, np.inf])).slabs(NAMES)
    assert W.tolist() == [[1, 1, 1], [1, 1, 0]]
    assert low.tolist() == [1, 1]
    assert high.tolist() == [2, np.inf]
    assert Domain(0, 1, rows=([1, -1, 0], -0.5, 0.5)).slabs(NAMES)[0].tolist() == [[1, -1, 0]]
    assert Domain(0, [1, 2, 3], rows=(groups, 1, 2)).ends(3)[1].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "rows",
    [
        (np.ones((1, 3)), 2.0, 1.0),
        (np.ones((1, 3)), np.nan, 1.0),
        (np.ones((1, 3)), np.inf, np.inf),
        (np.ones((1, 3)), -np.inf, -np.inf),
        (np.ones((1, 3)), "one", "two"),
        (np.ones((2, 3)), [0.0, 0.0, 0.0], [1.0, 1.0]),
        (np.ones((1, 3)), 1.0),
        np.ones((1, 3)),
        {"a": 1},
    ],
)
def test_rows_that_mean_nothing_are_refused_at_once(rows: object) -> None:
    with pytest.raises(InputError, match="rows"):
        Domain(0, 1, rows=rows)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (({"all": ["a", "x"]}, 0, 1), "'x' is not a name"),
        (([1.0, 1.0], 0, 1), "2 columns"),
        (([1.0, np.nan, 1.0], 0, 1), "NaN"),
        (([0.0, 0.0, 0.0], 0, 1), "no entry"),
        ((np.eye(3)[:2], [0, 0, 0], 1), "low of the domain's rows"),
        (([1.0, 1.0, 1.0], 3.5, 4.0), "no data are possible"),
        (([1.0, 0.0, 0.0], 1.5, 4.0), "no data are possible"),
        # Each row has a point in the box; together they have none.
        (([[1.0, 1.0, 0.0], [1.0, 0.9, 0.0]], [1.5, 0.0], [2.0, 0.5]), "no data are possible"),
    ],
)
def test_rows_that_do_not_fit_the_data_are_refused(rows: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Domain(0, 1, rows=rows).slabs(NAMES)


def test_a_corner_of_the_box_is_a_point() -> None:
    """0.1 + 0.1 + 0.1 is above 0.3 in floats, and 0.3 is above three tenths of no float."""
    for ends in (0.3, 0.1 + 0.1 + 0.1):
        Domain(0, 0.1, rows=([1.0, 1.0, 1.0], ends, ends)).slabs(NAMES)


def test_it_is_a_domain_for_everything_that_takes_a_box() -> None:
    rows = ([1.0, 1.0, 1.0], 1.0, 2.0)
    assert checked_domain(Domain(0, 1, rows=rows)).ends(3)[0].tolist() == [0, 0, 0]
