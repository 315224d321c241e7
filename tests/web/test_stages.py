"""The stages of a design: each is told as soon as it is there, in order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.web.workbench import FORM

from privopt.errors import InputError
from privopt.web.drawn import drawn_of
from privopt.web.forms import filled
from privopt.web.programs import Programs
from privopt.web.stages import run

DRAWN = drawn_of({"network": "3_lmbd"}, placed=False)


def _run(form: dict[str, str], folder: Path) -> list[tuple[str, dict[str, Any]]]:
    job = filled(form, Programs(folder).source_of).job
    assert job is not None
    told: list[tuple[str, dict[str, Any]]] = []
    run(job, DRAWN, lambda stage, _done, _total, part: told.append((stage, part)))
    return told


def test_a_plan_is_for_the_public_loads_and_says_so(tmp_path: Path) -> None:
    form = {k: v for k, v in FORM.items() if k not in ("measure", "around")}
    told = _run({**form, "mechanism": "plan"}, tmp_path)
    stages = list(dict.fromkeys(stage for stage, _ in told))
    assert stages == ["trial", "worth", "front"]
    whole: dict[str, Any] = {}
    for _, part in told:
        whole |= part
    assert "public loads" in whole["note"]
    assert whole["note"].startswith("ASSUMED")
    assert whole["worth"]["failures_allowed"] == 0.05
    assert whole["front"]["here"]["epsilon"] == 1.0


def test_a_case_without_public_data_has_no_plan_to_show(tmp_path: Path) -> None:
    from privopt.networks.locate import find

    form = {k: v for k, v in FORM.items() if k not in ("measure", "around", "network")}
    with pytest.raises(InputError, match="no public ones"):
        _run({**form, "case": str(find("3_lmbd")), "mechanism": "plan"}, tmp_path)
