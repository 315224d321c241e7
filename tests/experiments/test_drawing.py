"""The drawing shows the plan it was made of, and places nodes so that neighbours are near."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

import privopt as po
from privopt.experiments.drawing import drawing, layout, write_drawing
from privopt.experiments.instance import instance


@pytest.mark.parametrize("name", ["3_lmbd", "14_ieee", "118_ieee"])
def test_near_in_the_network_is_near_in_the_drawing(name: str) -> None:
    grid = instance(name, 0).grid
    place = layout(grid)
    assert place.shape == (len(grid.number), 2)
    assert place.min() >= 0
    assert place.max() == pytest.approx(1.0)
    np.testing.assert_array_equal(place, layout(grid))
    apart = np.linalg.norm(place[:, None] - place[None], axis=2)
    n = len(grid.number)
    links = np.zeros((n, n))
    links[grid.source, grid.target] = 1
    far = shortest_path(links, directed=False, unweighted=True)
    upper = np.triu_indices(n, 1)
    if n > 3:
        assert np.corrcoef(apart[upper], far[upper])[0, 1] > 0.9


def test_the_numbers_are_the_plans() -> None:
    drawn = instance("14_ieee", 2)
    plan = po.solve(
        drawn.program, drawn.query, po.Laplace(epsilon=1, alpha=0.1), po.Analytic(eta=0.025)
    )
    content = drawing(drawn, plan, run=2, algorithm="exact margins")
    released = [node["bus"] for node in content["nodes"] if node["released"]]
    assert sorted(f"p[{k}]" for k in released) == sorted(drawn.query.names(drawn.program))
    # A released supply carries its own noise and nothing else: deviation sqrt(2) lambda.
    for node in content["nodes"]:
        if node["released"]:
            assert node["deviation"] == pytest.approx(2**0.5 * plan.calibration.scale, rel=1e-6)
    assert sum(node["supply"] for node in content["nodes"]) == pytest.approx(drawn.program.d.sum())
    assert 0 < max(edge["loading"] for edge in content["edges"]) <= 1 + 1e-9


def test_the_file_is_written_or_absent(tmp_path: Path) -> None:
    write_drawing(tmp_path, "3_lmbd", 0)
    content = json.loads((tmp_path / "drawing.json").read_text(encoding="utf-8"))
    assert content["network"] == "3_lmbd"
    assert len(content["nodes"]) == 3
