"""`privopt experiment certified` and `loads` from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from privopt.cli import app

runner = CliRunner()


def test_certified_and_loads_make_one_page(tmp_path: Path) -> None:
    common = ["--runs", "1", "--jobs", "1", "--samples", "100", "--out", str(tmp_path)]
    for arguments, says in (
        (["certified", "--networks", "3_lmbd", "--algorithms", "PIQ-a,lower bound,certified",
          "--tries", "10"], ("ASSUMED", "epsilon >=", "PROVEN")),
        (["loads", "--networks", "5_pjm__sad", "--algorithms", "PIQ-a"],
         ("the program itself has no feasible point", "PIQ-a (1 of 1)", "report.html")),
    ):  # fmt: skip
        result = runner.invoke(app, ["experiment", *arguments, *common], env={"COLUMNS": "160"})
        assert result.exit_code == 0, result.output
        for part in says:
            assert part in " ".join(result.output.split())
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for name in ("certified", "loads"):
        assert f'<section id="{name}">' in page


@pytest.mark.parametrize("command", ["certified", "loads"])
def test_help_and_bad_flags(command: str) -> None:
    result = runner.invoke(app, ["experiment", command, "--help"])
    assert result.exit_code == 0
    assert "Example" in result.output
    result = runner.invoke(app, ["experiment", command, "--algorithms", "OP"])
    assert result.exit_code == 2
    assert "leave --algorithms out" in result.output
