"""The picture of agreement: a point for each printed mean, within the page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.report.example import first
from tests.report.plots.reading import drawn, hovers, of_class, places, texts

from privopt.report.compare import compare
from privopt.report.folder import Folder
from privopt.report.plots.agreement import agreement
from privopt.report.records import Mean


def test_agreement_has_one_point_for_each_printed_mean_and_says_both(found: Folder) -> None:
    table = first(found)
    picture = agreement({"Table 1": compare("table1", table)})
    points = [text for text in hovers(drawn(picture)) if "standard errors" in text]
    assert len(points) == 6 * 5
    assert all(" printed " in text and " reproduced " in text for text in points)
    assert picture.description.startswith("29 of 30 printed means")


def test_tables_stand_one_below_the_other(found: Folder) -> None:
    lines = compare("table1", first(found))
    tree = drawn(agreement({"Table 1": lines, "Table 2": lines, "none": ()}))
    levels = [texts(one) for one in of_class(tree, "level")]
    assert levels == [
        ["Table 1", "violation"], ["Table 1", "loss"],
        ["Table 2", "violation"], ["Table 2", "loss"],
    ]  # fmt: skip


@pytest.mark.parametrize("mean", [99.0, -99.0])
def test_what_lies_beyond_the_edge_is_an_arrow_that_points_there_and_says_how_far(
    found: Folder, mean: float
) -> None:
    table = first(found)
    far = replace(table.rows[0], violation=Mean(mean, 0.0, 100))
    picture = agreement({"T": compare("table1", replace(table, rows=(far,)))})
    (arrow,) = of_class(drawn(picture), "beyond")
    ((x, _),) = places(arrow)
    tip = float((arrow.get("d") or "").split("L")[1].split()[0])
    assert (tip > x) == (mean > 0)
    assert 0 < min(x, tip) < max(x, tip) < picture.width
    assert f"reproduced {mean:.2f} %" in "".join(arrow.itertext())
