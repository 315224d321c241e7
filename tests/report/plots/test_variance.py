"""Figure 2 as a picture: a line for each spread of costs, ordered by phi."""

from __future__ import annotations

import math
from dataclasses import replace

from privopt.report.folder import Folder
from privopt.report.plots.variance import variance


def test_figure_2_keeps_gaps_orders_by_phi_and_shows_the_noise(found: Folder) -> None:
    assert found.figure2 is not None
    backwards = replace(found.figure2, points=found.figure2.points[::-1])
    cost = variance(backwards, "118_ieee", "cost")
    assert len(cost["data"]) == 5
    last = cost["data"][-1]  # cbar = 10, whose fifth loss is null
    assert [phi for phi, _ in last["customdata"]] == sorted(phi for phi, _ in last["customdata"])
    assert last["x"][4] is None
    solution = variance(found.figure2, "118_ieee", "solution")["layout"]
    assert solution["yaxis"]["type"] == "log"
    assert solution["shapes"][0]["y0"] == 4.5
    assert solution["annotations"][0]["y"] == math.log10(4.5)


def test_without_the_noise_the_axis_is_still_logarithmic_and_has_no_line(found: Folder) -> None:
    assert found.figure2 is not None
    plain = replace(found.figure2, settings={})
    layout = variance(plain, "118_ieee", "solution")["layout"]
    assert layout["yaxis"]["type"] == "log"
    assert "shapes" not in layout
    assert variance(plain, "118_ieee", "cost")["layout"]["yaxis"]["rangemode"] == "tozero"


def test_a_variance_of_zero_has_no_place_on_a_logarithmic_axis(found: Folder) -> None:
    assert found.figure2 is not None
    points = tuple(replace(point, variance=0.0) for point in found.figure2.points)
    curves = replace(found.figure2, points=points)
    for panel, value in (("solution", None), ("cost", 0.0)):
        heights = [y for line in variance(curves, "118_ieee", panel)["data"] for y in line["y"]]
        assert set(heights) == {value}


def test_each_spread_of_costs_has_its_own_line_and_name(found: Folder) -> None:
    assert found.figure2 is not None
    lines = variance(found.figure2, "118_ieee", "cost")["data"]
    spreads = dict.fromkeys(point.cbar for point in found.figure2.points)
    assert [line["name"] for line in lines] == [f"c̄ = {cbar:g}" for cbar in spreads]
    assert len({line["marker"]["symbol"] for line in lines}) == len(lines)
