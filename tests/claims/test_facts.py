"""Public facts in a file: what was given comes back, and nothing else is taken for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from privopt.claims.facts import facts_from_dict, facts_to_dict

BOX = np.zeros(2), np.ones(2)
NONE = np.zeros((0, 2)), np.zeros(0), np.zeros(0)
ROWS = np.array([[1.0, 1.0], [1.0, -0.1]]), np.array([-np.inf, 0.1]), np.array([1.5, np.inf])


def test_a_domain_that_is_the_box_leaves_no_trace() -> None:
    assert facts_to_dict(BOX, NONE, BOX) == {}
    domain, rows = facts_from_dict({}, BOX)
    assert np.array_equal(domain, BOX)
    assert rows[0].shape == (0, 2)


def test_what_was_written_is_read() -> None:
    given = BOX[0] - 1e-17, BOX[1] + 0.1
    data = facts_to_dict(given, ROWS, BOX)
    domain, rows = facts_from_dict(data, BOX)
    assert np.array_equal(domain, given)
    assert all(np.array_equal(a, b) for a, b in zip(rows, ROWS, strict=True))
    assert facts_to_dict(domain, rows, BOX) == data


@pytest.mark.parametrize(
    "change",
    [
        {"W": [[1.0, 1.0]]},
        {"W": []},
        {"W": [[1.0], [1.0]]},
        {"W": [[1.0, None], [1.0, 1.0]]},
        {"low": [None]},
        {"low": [2.0, 0.1]},
        {"high": [1.5, 0.05]},
        {"high": ["1.5", None]},
    ],
)
def test_rows_that_do_not_fit_are_none(change: dict[str, Any]) -> None:
    data = facts_to_dict(BOX, ROWS, BOX)
    data["rows"] |= change
    with pytest.raises(ValueError):
        facts_from_dict(data, BOX)
