"""A small job, and commands run on it: what they print and how they end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from typer.testing import CliRunner, Result

from privopt.cli import app

runner = CliRunner()
PROGRAM = {
    "privopt": "program", "version": 1, "linear": [1.0, 2.0, 3.0], "quadratic": [0.1, 0.1, 0.1],
    "G": [[1, 1, 1]], "lower": 0, "upper": 4, "names": ["coal", "gas", "hydro"],
    "data_names": ["demand"],
}  # fmt: skip
D = 6.012345
TREE: dict[str, dict[str, Any]] = {
    "program": {"file": "program.json"},
    "data": {"file": "d.csv"},
    "query": {"identity": ["coal", "gas"]},
    "privacy": {"noise": "laplace", "epsilon": 1.0, "alpha": 0.05},
    "feasibility": {"kind": "exact-box", "eta": 0.05},
}
DOMAIN = {"domain": {"lower": 5.0, "upper": 7.0}}


def clamping(words: Sequence[object]) -> list[str]:
    """A command as one that clamps data no one has looked at; what asks is tests/cli/test_check."""
    given = [str(word) for word in words]
    return [*given, "--clamp"] if given[:1] in (["release"], ["measure"]) else given


def run(*words: object, code: int = 0) -> Result:
    result = runner.invoke(app, clamping(words), env={"COLUMNS": "120"})
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def shown(*words: object, code: int = 0) -> Any:
    """What --json prints: one value, and nothing else."""
    return json.loads(run(*words, "--json", code=code).stdout)
