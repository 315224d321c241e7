"""A folder with a small program, its data and two jobs: of a plan, and of a measurement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.app.writing import toml
from tests.cli.running import DOMAIN, PROGRAM, TREE, D


@pytest.fixture(autouse=True)
def quick(few_draws: None, few_runs: None) -> None:
    """What is printed is not about the last digits of a loss, nor about which sums are best."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.json").write_text(json.dumps(PROGRAM))
    (tmp_path / "d.csv").write_text(f"name,value\ndemand,{D}\n")
    (tmp_path / "plan.toml").write_text(toml(TREE))
    (tmp_path / "job.toml").write_text(toml(TREE | DOMAIN))
    return tmp_path
