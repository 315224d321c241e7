"""`privopt experiment certified` and `loads` from the command line."""

from __future__ import annotations

import io

from rich.console import Console
from typer.testing import CliRunner

from privopt.cli.tables import print_policies
from privopt.experiments import CertifiedTable, Results
from privopt.experiments.certified import ALGORITHMS

runner = CliRunner()


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
