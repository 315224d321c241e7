"""What is drawn of a network: places, lines, flows over z, and what can be published."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from privopt.app.source import source_of
from privopt.model.domain import Box
from privopt.web.drawn import Diagram, drawn_of, flows, model_of

ENTRIES = {"network": "5_pjm", "unit": "MW"}


def test_flows_are_rows_of_the_program_times_z() -> None:
    source, drawn = source_of(ENTRIES), drawn_of(ENTRIES, placed=False)
    program = source.program
    found = flows(drawn, program)
    assert found["names"] == list(drawn.lines)
    z = np.random.default_rng(1).normal(size=program.n)
    flow = np.zeros(len(drawn.lines))
    rows = found["rows"]
    np.add.at(flow, rows["i"], np.array(rows["v"]) * z[rows["j"]])
    own = np.asarray(program.A @ z)
    index = {name: k for k, name in enumerate(program.row_names)}
    checked = 0
    for k, name in enumerate(drawn.lines):
        if name in index:
            assert flow[k] == pytest.approx(own[index[name]])
            assert found["limits"][k] == pytest.approx(program.b[index[name]])
            checked += 1
    assert checked > 0


def test_a_diagram_goes_through_a_file(tmp_path: Path) -> None:
    drawn = drawn_of(ENTRIES)
    path = tmp_path / "drawn.json"
    path.write_text(json.dumps(drawn.to_dict()))
    assert Diagram.load(path).to_dict() == drawn.to_dict()
    assert drawn_of({"file": "x.json"}).nodes == ()


def test_the_model_of_a_network() -> None:
    source = source_of(ENTRIES)
    count = len(source.program.private)
    found = model_of(source, drawn_of(ENTRIES), Box(np.zeros(count), np.ones(count)), None)
    json.dumps(found, allow_nan=False)
    assert len(found["buses"]) == 5
    assert len(found["lines"]) == 6
    assert {one["bus"] for one in found["variables"] if one["name"].startswith("p[")} <= {
        bus["name"] for bus in found["buses"]
    }
    for one in found["variables"]:
        if one["lower"] is not None and one["lower"] == one["upper"]:
            assert one["publishable"] is False
    assert any(one["publishable"] for one in found["variables"])
    assert found["private"][0]["upper"] == 1.0
    assert found["alpha"] is None
