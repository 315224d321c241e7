"""Numbers as the tables print them."""

from __future__ import annotations

from privopt.report.compare import Comparison
from privopt.report.format import grids, mark, verdict
from privopt.report.records import Mean


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
