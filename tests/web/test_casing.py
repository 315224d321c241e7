"""The process that reads a case file: it writes the public part, and says what was wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from privopt.networks.locate import find
from privopt.web.casing import answer, public_part
from privopt.web.running import started


def test_the_public_part(tmp_path: Path) -> None:
    program, drawn = tmp_path / "program.json", tmp_path / "drawn.json"
    public_part({"case": str(find("3_lmbd")), "unit": "MW"}, program, drawn)
    assert json.loads(drawn.read_bytes())["nodes"] == ["1", "2", "3"]
    assert "110" not in json.dumps(json.loads(program.read_bytes()).get("data", {}))


@pytest.mark.parametrize(
    "asked", ["{}", "x", '{"entries": {"case": "/no"}, "program": "", "drawn": ""}']
)
def test_what_was_wrong_is_said(asked: str) -> None:
    said = answer(asked.encode())
    assert said is not None
    assert said["remedy"]


def test_it_ends_with_whoever_asked_it(tmp_path: Path) -> None:
    """Its stdin closes when its parent is killed: the loads are not held any longer."""
    case = tmp_path / "slow.m"
    os.mkfifo(case)  # it waits for ever to be read
    process = started("privopt.web.casing")
    asked = {"entries": {"case": str(case)}, "program": "", "drawn": ""}
    assert process.stdin is not None
    process.stdin.write(json.dumps(asked).encode() + b"\n")
    process.stdin.close()
    assert process.wait(60) == 0
    assert process.stdout is not None
    process.stdout.close()
