"""`privopt demo`: every part is shown, and nothing in its folder is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from privopt.cli import app

runner = CliRunner()


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """One simulated measurement instead of several: each is decided anew."""
    monkeypatch.setattr("privopt.experiments.story.SIMULATED", 1)


def test_demo_runs_and_shows_each_part(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    arguments = ["demo", "--runs", "2", "--jobs", "1", "--out", str(out)]
    result = runner.invoke(app, arguments, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    for part in (
        "noise outside",
        "noise inside",
        "measured",
        "constant",
        "OP",
        "PIQ-a",
        "joint factor",
        "epsilon",
        "PROVEN",
        "ASSUMED",
        "report.html",
        "demo.html",
    ):
        assert part in result.output.replace("\n", " "), part
    assert (out / "report.html").stat().st_size < 200_000
    page = (out / "demo.html").read_text(encoding="utf-8")
    assert len(page) < 100_000
    assert 'href="report.html"' in page
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


def test_demo_keeps_a_page_of_someone_else(tmp_path: Path) -> None:
    (tmp_path / "demo.html").write_text("mine")
    refused = runner.invoke(app, ["demo", "--runs", "1", "--out", str(tmp_path)])
    assert refused.exit_code == 2
    assert "privopt did not write it" in " ".join(refused.output.split())
    assert [path.name for path in tmp_path.iterdir()] == ["demo.html"]
    assert (tmp_path / "demo.html").read_text() == "mine"
