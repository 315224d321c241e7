"""The command line: the demo runs, tells the truth, and ends well."""

from __future__ import annotations

from typer.testing import CliRunner

import privopt
from privopt.cli import app
from privopt.cli.demo import supply_network

runner = CliRunner()


def test_demo_runs_and_shows_each_part() -> None:
    result = runner.invoke(app, ["demo", "--samples", "500"], env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    for part in (
        "output perturbation",
        "always feasible",
        "epsilon",
        "PROVEN",
        "ASSUMED",
        "released",
    ):
        assert part in result.output.replace("\n", " "), part


def test_version_and_help() -> None:
    assert privopt.__version__ in runner.invoke(app, ["--version"]).output
    result = runner.invoke(app, ["demo", "--help"])
    assert result.exit_code == 0
    assert "Example" in result.output


def test_bad_flags_are_refused() -> None:
    assert runner.invoke(app, ["demo", "--samples", "1"]).exit_code == 2
    assert runner.invoke(app, ["dance"]).exit_code == 2


def test_the_built_in_network_is_feasible_for_many_seeds() -> None:
    for seed in range(20):
        assert supply_network(seed).solve().cost > 0
