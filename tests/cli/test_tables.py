"""`privopt experiment` from the command line: tables."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from privopt.cli.tables import print_privacy, print_table
from privopt.experiments import PrivacyTable, Results, Table1, run
from privopt.experiments.privacy import ALGORITHMS


def row(network: str, algorithm: str, **found: object) -> dict[str, object]:
    numbers = dict.fromkeys(("loss_mean", "piqa_mean", "distance_mean"), 12.345)
    numbers["completed_mean"] = 6.789
    counts = dict.fromkeys(("infeasible_runs", "failed_runs"), 0)
    return {
        "network": network, "algorithm": algorithm, "runs": 100,
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
    print_privacy(console, Results(PrivacyTable(), [], rows))
    file = console.file
    assert isinstance(file, io.StringIO)
    lines = file.getvalue().splitlines()
    said = "\n".join(lines)
    assert "…" not in said
    assert max(map(len, lines)) <= 80
    for part in (*networks, *ALGORITHMS, "epsilon >= 12.34", "99 of 100", "12.345"):
        assert part in said
    one = next(line for line in lines if "measured" in line)
    assert one.split()[1:] == ["PROVEN", "12.35", "12.35", "6.79", "12.345", "99", "of", "100"]


def test_a_loss_after_completion_stands_in_no_column_of_affine_ones() -> None:
    console = Console(file=io.StringIO(), width=80, highlight=False)
    after = {"loss_of": "completion", "loss_mean": 0.123, "completed_mean": 0.123}
    rows = [row("3_lmbd", "PIQ-a"), row("3_lmbd", "measured", **after)]
    print_privacy(console, Results(PrivacyTable(), [], rows))
    file = console.file
    assert isinstance(file, io.StringIO)
    said = file.getvalue()
    first = [line.split() for line in said.splitlines() if "PROVEN" in line]
    assert first == [
        ["PIQ-a", "PROVEN", "12.35", "12.35", "6.79", "12.345"],
        ["measured", "PROVEN", "-", "-", "0.12", "12.345"],
    ]
    assert "After: the loss after completion of a release" in " ".join(said.split())


def test_table_1_says_whose_loss_is_one_after_completion(tmp_path: Path) -> None:
    def said(*algorithms: str) -> str:
        folder = tmp_path / str(len(algorithms))
        run(Table1(networks=("3_lmbd",), algorithms=algorithms, runs=1, samples=50), folder)
        console = Console(file=io.StringIO(), width=100, highlight=False)
        print_table(console, "table1", folder)
        file = console.file
        assert isinstance(file, io.StringIO)
        return " ".join(file.getvalue().split())

    assert "after completion" not in said("OP", "PIQ-a")
    assert "The loss of measured is one after completion" in said("OP", "PIQ-a", "measured")
