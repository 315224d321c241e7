"""The session: revisions, digests, and the file from which the curator takes the form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.web.workbench import FORM

from privopt.web.problems import ProblemError
from privopt.web.session import FORM as FILE
from privopt.web.session import Session


def test_a_change_needs_the_current_revision(tmp_path: Path) -> None:
    session = Session(tmp_path, FORM, None, tmp_path)
    first = session.state()
    assert session.put(first["revision"], FORM)["revision"] == first["revision"]
    told = session.put(first["revision"], {**FORM, "epsilon": "2"})
    assert told["revision"] == first["revision"] + 1
    assert json.loads((tmp_path / FILE).read_bytes())["form"]["epsilon"] == "2"
    with pytest.raises(ProblemError) as caught:
        session.put(first["revision"], FORM)
    assert caught.value.status == 409
    assert caught.value.more["state"]["form"]["epsilon"] == "2"


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    zones = tmp_path / "zones.json"
    zones.write_text('{"a": ["demand[1]"]}')
    session = Session(tmp_path, {**FORM, "measure": str(zones)}, None, tmp_path)
    before = session.digest
    zones.write_text('{"a": ["demand[1]", "demand[2]"]}')
    session.current()
    assert session.digest != before


def test_no_program_no_model(tmp_path: Path) -> None:
    session = Session(tmp_path, {}, None, tmp_path)
    assert session.state()["title"] is None
    with pytest.raises(ProblemError):
        session.model()
    with pytest.raises(ProblemError):
        session.design(session.revision, choose=False)
