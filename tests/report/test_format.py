"""Numbers as the tables print them."""

from __future__ import annotations

import math

import pytest

from privopt.report.compare import Comparison
from privopt.report.format import grids, mark, pair, plain, seconds, setting, signed, verdict
from privopt.report.records import Mean


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (1.005, "1.00"), (-2.5, "−2.50"), (1234.5, "1234.50")]
)
def test_two_decimals_and_a_real_minus(value: float | None, text: str) -> None:
    assert plain(value) == text


def test_mean_and_deviation() -> None:
    assert pair(Mean(1.234, 0.5, 10)) == ("1.23", "(0.50)")
    assert pair(Mean(1.234, None, 10)) == ("1.23", "")
    assert pair(None) == ("", "")


@pytest.mark.parametrize(
    ("z", "text"),
    [(None, ""), (0.04, "0.0"), (-0.04, "0.0"), (2.04, "+2.0"), (-3.16, "−3.2"), (99.96, "+100"),
     (math.inf, "+∞"), (-math.inf, "−∞")],
)  # fmt: skip
def test_standard_errors_have_a_sign(z: float | None, text: str) -> None:
    assert signed(z) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (0.01234, "12.3 ms"), (1.5, "1.5 s"), (119.0, "119 s"), (120.0, "2.0 min"),
     (7200.0, "2.0 h")],
)  # fmt: skip
def test_durations_in_the_unit_that_reads_best(value: float | None, text: str) -> None:
    assert seconds(value) == text


def test_settings_as_text() -> None:
    shown = {None: "–", True: "yes", False: "no", 0.1: "0.1", 1e-5: "1e-05", 3: "3", "x": "x"}
    assert {value: setting(value) for value in shown} == shown
    assert setting([0.5, True, "a"]) == "0.5, yes, a"


def test_marks_and_their_words() -> None:
    """A printed mean of 10, deviation 1, 100 runs, and ours of as many: z = shift / 0.1414."""
    printed = Mean(10.0, 1.0, 100)
    known = {
        0.0: ("within", "reproduced to the printed decimals"),
        0.3: ("within", "reproduced"),
        0.6: ("beyond", "above the printed mean"),
        -0.6: ("beyond", "below the printed mean"),
        2.0: ("far", "above the printed mean"),
    }
    for shift, words in known.items():
        item = Comparison(printed, Mean(10.0 + shift, 1.0, 100))
        assert (mark(item), verdict(item)) == words
    missing = Comparison(printed, None)
    assert (mark(missing), verdict(missing)[:12]) == ("absent", "printed, but")
    other = Comparison(None, printed)
    assert (mark(other), verdict(other)) == ("none", "")


def test_settings_stand_side_by_side_and_groups_have_grids_of_their_own() -> None:
    found = grids(
        {
            "Table 1": {"runs": 5, "versions": {"numpy": "2"}},
            "Figure 2": {"sums": 9, "runs": 1, "versions": {"scipy": "1"}},
            "Privacy": {},
        }
    )
    assert [grid.title for grid in found] == ["settings", "versions"]
    settings, versions = ([grid.columns.keys(), *grid.cells()] for grid in found)
    assert list(settings[0]) == list(versions[0]) == ["Table 1", "Figure 2", "Privacy"]
    assert settings[1:] == [["runs", "5", "1", "–"], ["sums", "–", "9", "–"]]
    assert versions[1:] == [["numpy", "2", "–", "–"], ["scipy", "–", "1", "–"]]
    assert grids({"Table 1": {}}) == ()
