"""The picture of single runs: a point each, their quartiles, and what the paper printed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.report.example import first

from privopt.report.compare import compare
from privopt.report.folder import Folder
from privopt.report.plots.distribution import distribution
from privopt.report.plots.style import root


def test_every_run_is_a_point_and_eta_a_line(found: Folder) -> None:
    table = first(found)
    lines = compare("table1", table)
    picture = distribution(table, lines, "118_ieee", "violation")
    points = sum(len(trace["x"]) for trace in picture["data"] if "opacity" in trace["marker"])
    solved = [r for r in table.runs if r.case == "118_ieee" and r.status == "solved"]
    assert points == len(solved) == 697
    assert picture["layout"]["shapes"][0]["y0"] == root(2.5)
    assert distribution(table, lines, "118_ieee", "loss")["layout"]["shapes"] == []


def test_a_bar_runs_between_the_quartiles_and_a_dot_stands_at_the_mean(found: Folder) -> None:
    """Against numpy, on the cube-root axis."""
    table = first(found)
    picture = distribution(table, compare("table1", table), "14_ieee", "loss")
    names = [run.algorithm for run in table.runs if run.case == "14_ieee" and run.loss is not None]
    for at, name in enumerate(dict.fromkeys(names)):
        values = [run.loss for run in table.runs if (run.case, run.algorithm) == ("14_ieee", name)]
        known = np.array([value for value in values if value is not None])
        low, high = np.cbrt(np.quantile(known, [0.25, 0.75]))
        (bar,) = [t for t in picture["data"] if t["x"] == [at] and "error_y" in t]
        mean = bar["y"][0]
        assert mean == pytest.approx(np.cbrt(known.mean()), abs=1e-4)
        assert bar["error_y"]["array"][0] == pytest.approx(max(high - mean, 0), abs=1e-4)
        assert bar["error_y"]["arrayminus"][0] == pytest.approx(max(mean - low, 0), abs=1e-4)


def test_points_of_one_method_stay_beside_it(found: Folder) -> None:
    table = first(found)
    picture = distribution(table, compare("table1", table), "3_lmbd", "violation")
    ticks = picture["layout"]["xaxis"]["tickvals"]
    for at in ticks:
        near = [t for t in picture["data"] if len(t["x"]) > 1 and round(t["x"][0]) == at]
        assert all(abs(x - at) <= 0.25 for trace in near for x in trace["x"])
    assert len(ticks) == len(set(picture["layout"]["xaxis"]["ticktext"]))
