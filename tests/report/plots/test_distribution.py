"""The picture of single runs: a point each, their quartiles, and what the paper printed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.report.example import first
from tests.report.plots.reading import circles, drawn, of_class, places, texts

from privopt.report.compare import compare
from privopt.report.folder import Folder
from privopt.report.plots.distribution import distribution


def test_every_run_is_a_point_and_eta_a_line(found: Folder) -> None:
    table = first(found)
    lines = compare("table1", table)
    tree = drawn(distribution(table, lines, "118_ieee", "violation"))
    points = sum(len(places(one)) for one in of_class(tree, "runs"))
    solved = [r for r in table.runs if r.case == "118_ieee" and r.status == "solved"]
    assert points == len(solved) == 697
    assert "η = 2.5 %" in texts(tree)
    assert not any(
        "η" in text for text in texts(drawn(distribution(table, lines, "118_ieee", "loss")))
    )


def test_a_bar_runs_between_the_quartiles_and_a_ring_stands_at_the_mean(found: Folder) -> None:
    """Against numpy: heights on the picture are affine in the cube roots of the values."""
    table = first(found)
    tree = drawn(distribution(table, compare("table1", table), "14_ieee", "loss"))
    names = [run.algorithm for run in table.runs if run.case == "14_ieee" and run.loss is not None]
    expected: list[float] = []
    seen: list[float] = []
    for name, group in zip(dict.fromkeys(names), of_class(tree, "quartiles"), strict=True):
        values = [run.loss for run in table.runs if (run.case, run.algorithm) == ("14_ieee", name)]
        known = np.array([value for value in values if value is not None])
        low, high = np.quantile(known, [0.25, 0.75])
        expected += [low, high, known.mean()]
        bar = (group[1].get("d") or "").split()
        ((_, mean, _),) = circles(group)
        seen += [float(bar[2]), float(bar[4]), mean]
    line = np.polyfit(np.cbrt(expected), seen, 1)
    assert line[0] < 0
    assert np.polyval(line, np.cbrt(expected)) == pytest.approx(seen, abs=0.2)


def test_points_of_one_method_stay_beside_it(found: Folder) -> None:
    table = first(found)
    picture = distribution(table, compare("table1", table), "3_lmbd", "violation")
    tree = drawn(picture)
    methods, clouds = of_class(tree, "method"), of_class(tree, "runs")
    step = float(methods[1].get("x", 0)) - float(methods[0].get("x", 0))
    for name, cloud in zip(methods, clouds, strict=True):
        at = float(name.get("x", 0))
        assert all(abs(x - at) <= 0.25 * step + 0.1 for x, _ in places(cloud))
        assert all(0 <= y <= picture.height for _, y in places(cloud))
    assert len({name.text for name in methods}) == len(methods)
    assert len(of_class(tree, "printed")) == 3  # OP, PIQ-a and PIQ-s
