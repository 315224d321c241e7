"""`--json` of the commands that are about no job: one value on standard output, nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from privopt.cli import app

runner = CliRunner()


def shown(*words: object) -> Any:
    result = runner.invoke(app, [*map(str, words), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_an_experiment_and_its_page(tmp_path: Path) -> None:
    common = ("--networks", "3_lmbd", "--runs", 1, "--jobs", 1, "--out", tmp_path)
    found = shown("experiment", "table1", "--algorithms", "OP,PIQ-a", *common)
    assert found["name"] == "table1"
    assert Path(found["page"]).is_file()
    assert [row["algorithm"] for row in found["summary"]] == ["OP", "PIQ-a"]
    assert shown("report", tmp_path) == {"page": found["page"]}
    known = shown("experiment", "privacy", "--algorithms", "PIQ-a", *common)
    assert known["summary"][0]["network"] == "3_lmbd"


@pytest.mark.long
def test_the_demo(tmp_path: Path) -> None:
    found = shown("demo", "--runs", 1, "--jobs", 1, "--out", tmp_path)
    assert {row["network"] for row in found["summary"]} == {"14_ieee"}


def test_a_ledger(tmp_path: Path) -> None:
    path = tmp_path / "loads.ledger"
    made = shown("ledger", "create", path, "1", "--delta", "1e-6")
    assert made["limit"] == {"epsilon": "1", "delta": "1e-6"}
    raised = shown("ledger", "limit", path, "2", "--yes")
    assert raised["was"]["epsilon"] == "1"
    assert shown("ledger", "limit", path) == {"limit": raised["limit"], "spent": raised["spent"]}
    assert shown("ledger", "show", path)["limit"] == raised["limit"]
    assert shown("ledger", "verify", path)["rows"] == 2
    asked = runner.invoke(app, ["ledger", "limit", str(path), "3", "--json"], input="n\n")
    assert asked.exit_code == 1
    assert "Raise" not in asked.stdout
