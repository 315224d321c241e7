"""The picture of agreement: a point for each printed mean, within the page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.report.example import first

from privopt.report.compare import compare
from privopt.report.folder import Folder
from privopt.report.plots.agreement import EDGE, agreement
from privopt.report.records import Mean


def test_agreement_has_one_point_for_each_printed_mean_and_keeps_it_on_the_page(
    found: Folder,
) -> None:
    table = first(found)
    far = replace(table.rows[0], violation=Mean(99.0, 0.0, 100))
    lines = compare("table1", replace(table, rows=(far, *table.rows[1:])))
    picture = agreement({"Table 1": lines})
    assert len(picture["data"]) == 6 * 5
    assert max(trace["x"][0] for trace in picture["data"]) == EDGE


def test_tables_stand_one_below_the_other_and_points_do_not_leave_their_level(
    found: Folder,
) -> None:
    lines = compare("table1", first(found))
    picture = agreement({"Table 1": lines, "Table 2": lines, "none": ()})
    axis = picture["layout"]["yaxis"]
    levels = ["Table 1<br>violation", "Table 1<br>loss", "Table 2<br>violation", "Table 2<br>loss"]
    assert axis["ticktext"] == levels
    heights = [trace["y"][0] for trace in picture["data"]]
    assert all(abs(y - round(y)) <= 0.25 for y in heights)
    assert {round(y) for y in heights} == set(axis["tickvals"])


@pytest.mark.parametrize(("mean", "symbol"), [(99.0, "triangle-right"), (-99.0, "triangle-left")])
def test_what_lies_beyond_the_edge_is_an_arrow_and_says_how_far(
    found: Folder, mean: float, symbol: str
) -> None:
    table = first(found)
    far = replace(table.rows[0], violation=Mean(mean, 0.0, 100))
    (point, *_) = agreement({"T": compare("table1", replace(table, rows=(far,)))})["data"]
    assert point["marker"]["symbol"] == symbol
    assert abs(point["x"][0]) == EDGE
    assert f"reproduced {mean:.2f} %" in point["hovertemplate"]
