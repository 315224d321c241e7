"""`privopt demo`: every part is shown, and nothing in its folder is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from privopt.cli import app

runner = CliRunner()


def test_demo_runs_and_shows_each_part(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    arguments = ["demo", "--runs", "2", "--jobs", "1", "--out", str(out)]
    result = runner.invoke(app, arguments, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    for part in (
        "total measured",
        "nothing measured",
        "OP",
        "PIQ-a",
        "joint factor",
        "epsilon",
        "PROVEN",
        "ASSUMED",
        "report.html",
    ):
        assert part in result.output.replace("\n", " "), part
    assert (out / "report.html").stat().st_size > 1_000_000
    assert (out / "drawing.json").exists()


@pytest.mark.long
def test_demo_keeps_what_lies_in_its_folder(tmp_path: Path) -> None:
    out = tmp_path / "results"
    common = ["--runs", "1", "--jobs", "1", "--out", str(out)]
    runner.invoke(app, ["experiment", "table1", "--networks", "3_lmbd", *common])
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    refused = runner.invoke(app, ["demo", *common])
    assert refused.exit_code == 2
    assert "other or more networks, which this run would replace" in refused.output
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert runner.invoke(app, ["demo", *common, "--overwrite"]).exit_code == 0
    assert (out / "table1.journal").read_bytes().startswith(before["table1.journal"])
