"""`privopt experiment certified` and `loads` from the command line."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from privopt.cli import app
from privopt.cli.tables import print_policies
from privopt.experiments import CertifiedTable, Results
from privopt.experiments.certified import ALGORITHMS

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


def row(network: str, algorithm: str, **found: object) -> dict[str, object]:
    numbers = dict.fromkeys(("loss_mean", "piqa_mean", "level_mean", "distance_mean"), 12.345)
    counts = dict.fromkeys(("infeasible_runs", "failed_runs", "uncertified_runs"), 0)
    return {
        "network": network, "algorithm": algorithm, "runs": 100, "constant_runs": 100,
        "privacy": "PROVEN", "epsilon_max": None, "beyond_runs": 0, "reasons": [],
        **numbers, **counts, **found,
    }  # fmt: skip


def test_the_tables_can_be_read_at_80_columns() -> None:
    networks = ("118_ieee", "24_ieee_rts__api")
    rows = [
        row(network, algorithm, infeasible_runs=99)
        for network in networks
        for algorithm in ALGORITHMS
    ]
    rows.append(row(networks[1], "lower bound ", epsilon_max=12.34, privacy=None, beyond_runs=1))
    console = Console(file=io.StringIO(), width=80, highlight=False)
    print_policies(console, Results(CertifiedTable(), [], rows))
    file = console.file
    assert isinstance(file, io.StringIO)
    lines = file.getvalue().splitlines()
    said = "\n".join(lines)
    assert "…" not in said
    assert max(map(len, lines)) <= 80
    for part in (*networks, *ALGORITHMS, "epsilon >= 12.34", "100 of 100", "12.345", "constant"):
        assert part in said
    one = next(line for line in lines if "certified exact margins" in line)
    assert one.split()[3:] == ["PROVEN", "12.35", "12.35", "99", "of", "100"]


def test_rows_without_noise_are_in_the_first_table_alone() -> None:
    console = Console(file=io.StringIO(), width=80, highlight=False)
    none = row("3_lmbd", "no privacy", level_mean=None, distance_mean=None)
    print_policies(console, Results(CertifiedTable(), [], [none]))
    file = console.file
    assert isinstance(file, io.StringIO)
    assert "no privacy" in file.getvalue()
    assert "What the releases tell" not in file.getvalue()
