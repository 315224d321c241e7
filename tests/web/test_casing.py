"""The process that reads a case file: it writes the public part, and says what was wrong."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from privopt.networks.locate import find
from privopt.web.casing import main, public_part


def test_the_public_part(tmp_path: Path) -> None:
    program, drawn = tmp_path / "program.json", tmp_path / "drawn.json"
    public_part({"case": str(find("3_lmbd")), "unit": "MW"}, program, drawn)
    assert json.loads(drawn.read_bytes())["nodes"] == ["1", "2", "3"]
    assert "110" not in json.dumps(json.loads(program.read_bytes()).get("data", {}))


@pytest.mark.parametrize(
    "asked", ["{}", "x", '{"entries": {"case": "/no"}, "program": "", "drawn": ""}']
)
def test_what_was_wrong_is_said(
    asked: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(asked))
    main()
    assert json.loads(capsys.readouterr().out)["remedy"]
