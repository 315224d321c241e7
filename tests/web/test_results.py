"""What a design comes to as plain data: the browser's map is the decision's own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.web.workbench import FORM

from privopt.app.making import instrument_of, solved
from privopt.app.measuring import tried
from privopt.web.drawn import drawn_of
from privopt.web.forms import filled
from privopt.web.programs import Programs
from privopt.web.results import decision_parts, plan_parts

DRAWN = drawn_of({"network": "3_lmbd"}, placed=False)


def test_a_decision_does_not_move_with_the_data(tmp_path: Path) -> None:
    job = filled({**FORM, "epsilon": "10"}, Programs(tmp_path).source_of).job
    assert job is not None
    instrument = instrument_of(job)
    decision = tried(job, instrument)
    parts = json.loads(json.dumps(decision_parts(decision, instrument, DRAWN), allow_nan=False))
    assert parts["answer"]["names"] == ["p[1]"]
    told = parts["map"]
    at = told["variables"].index("p[1]")
    assert told["z0"][at] == pytest.approx(float(decision.values[0]), rel=1e-6)
    assert np.allclose(told["K"][at], 0.0, atol=1e-7)
    assert told["Z"] is None
    units = [k for k, name in enumerate(told["variables"]) if name.startswith("p[")]
    moved = np.array(told["K"])[units].sum(axis=0)
    assert np.allclose(moved, 1.0)  # generation follows demand, entry by entry
    assert parts["charge"]["epsilon"] == "10"


def test_a_plan_has_its_noise_in_the_map(tmp_path: Path) -> None:
    form = {**{k: v for k, v in FORM.items() if k != "measure"}, "mechanism": "plan"}
    job = filled(form, Programs(tmp_path).source_of).job
    assert job is not None
    plan = solved(job)
    parts = json.loads(json.dumps(plan_parts(plan, DRAWN, where="here"), allow_nan=False))
    told = parts["map"]
    assert told["noise"]["law"] == "laplace"
    at = told["variables"].index("p[1]")
    assert parts["answer"]["values"][0] == pytest.approx(told["z0"][at])
    assert parts["answer"]["noise"][0] > 0
    # 95% of Laplace noise lies within ln 20 of its scales
    assert told["noise"]["quantile95"] == pytest.approx(
        np.log(20) * told["noise"]["scale"], rel=1e-3
    )
