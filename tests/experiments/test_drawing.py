"""The drawing shows the plan it was made of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import privopt as po
from privopt.experiments.drawing import drawing, write_drawing
from privopt.experiments.instance import instance


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
