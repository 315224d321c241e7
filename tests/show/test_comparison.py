"""How an instrument was chosen, as plain data and as a table."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from privopt.show.comparison import comparison_from_dict, comparison_table

GOOD: dict[str, Any] = {
    "chosen": "total", "loss": 0.01, "distance": 0.2, "spread": 0.5,
    "candidates": [
        {"candidate": "total", "sums": 1, "guess": 0.02, "loss": 0.01, "loss_error": None,
         "distance": 0.2, "distance_error": 0.01, "decisions": 16, "without": 0, "failed": 1,
         "looked": 384, "fresh": True},
        {"candidate": "each", "sums": 4, "guess": 0.03},
    ],
}  # fmt: skip


def test_it_is_read_as_it_was_written() -> None:
    assert comparison_from_dict(copy.deepcopy(GOOD)) == GOOD
    unknown = {**copy.deepcopy(GOOD), "loss": None, "distance": None}  # nothing could be decided
    assert comparison_from_dict(copy.deepcopy(unknown)) == unknown


def test_the_table_has_a_row_for_each_candidate() -> None:
    table = comparison_table(GOOD)
    assert list(table.rows) == ["total", "each"]
    assert table.columns["loss, %"][0] == pytest.approx(1.0)
    assert table.columns["loss, %"][1] is None
    assert list(table.columns["draws"]) == ["fresh", ""]


@pytest.mark.parametrize(
    ("name", "value"),
    [("chosen", 3), ("loss", "x"), ("spread", None), ("candidates", {}), ("candidates", [[]])],
)
def test_something_else_is_refused(name: str, value: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        comparison_from_dict({**GOOD, name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [("candidate", 1), ("sums", -1), ("sums", True), ("loss", "x"), ("fresh", 1), ("guess", "0")],
)
def test_a_damaged_row_is_refused(name: str, value: Any) -> None:
    data = copy.deepcopy(GOOD)
    data["candidates"][0][name] = value
    with pytest.raises((ValueError, TypeError)):
        comparison_from_dict(data)
