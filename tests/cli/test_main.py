"""The command line: the demo runs, tells the truth, and ends well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

import privopt
from privopt.cli import app

runner = CliRunner()


def test_the_module_is_the_command() -> None:
    command = [sys.executable, "-m", "privopt", "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert privopt.__version__ in said


def test_version_and_help() -> None:
    assert privopt.__version__ in runner.invoke(app, ["--version"]).output
    for command in (
        ["demo"],
        ["networks"],
        ["experiment", "table1"],
        ["experiment", "table2"],
        ["experiment", "figure2"],
    ):
        result = runner.invoke(app, [*command, "--help"])
        assert result.exit_code == 0
        assert "Example" in result.output


def test_bad_flags_are_refused() -> None:
    assert runner.invoke(app, ["demo", "--runs", "0"]).exit_code == 2
    assert runner.invoke(app, ["dance"]).exit_code == 2


def test_a_name_of_odd_bytes_is_shown(tmp_path: Path) -> None:
    """In a terminal that takes UTF-8 only."""
    command = [sys.executable, "-m", "privopt", "ledger", "create", os.fsdecode(b"\xff"), "1"]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert b"udcff" in ended.stdout
