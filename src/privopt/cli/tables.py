"""The paper's tables and figure, printed: means beside what the paper printed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table

from privopt.cli.streams import escape

if TYPE_CHECKING:
    from privopt.experiments import Results
    from privopt.report.compare import Comparison

__all__ = ["print_figure", "print_table"]


def print_table(console: Console, name: str, out: Path) -> None:
    """The reproduced means beside the printed ones."""
    from privopt.report.compare import compare
    from privopt.report.folder import read

    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        caption="Percent, mean over the runs. Violation: no feasible solution has the released "
        "values. In brackets what the paper printed, green within 3 standard errors. Runs without "
        "a plan (infeasible, or failed) count in no mean.",
    )
    for heading in ("network", "algorithm", "violation", "loss", "no plan"):
        right = heading in ("violation", "loss", "no plan")
        table.add_column(heading, justify="right" if right else "left", no_wrap=True)
    folder = read(out)
    found = folder.table1 if name == "table1" else folder.table2
    if found is None:
        return
    last = ""
    for line in compare(name, found):
        row = line.row
        label = row.network if row.sums is None else f"{row.network}, {row.sums} sums"
        none = row.infeasible + row.failed
        table.add_row(
            escape(label) if label != last else "",
            row.algorithm,
            _cell(line.violation),
            _cell(line.loss),
            f"{none} of {row.runs}" if none else "",
        )
        last = label
    console.print(table)


def _cell(pair: Comparison) -> str:
    if pair.found is None:
        return "[dim]-[/]"
    text = f"{pair.found.mean:.2f}"
    if pair.printed is None:
        return text
    colour = "green" if pair.within else "red"
    return f"{text} [{colour}]({pair.printed.mean:.2f})[/]"


def print_figure(console: Console, results: Results) -> None:
    """Loss and variances by phi, as Figure 2 draws them."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption="Means over the runs.")
    headings = ("panel", "cbar", "phi", "loss %", "var. of loss", "var. of z", "no plan")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "panel" else "right")
    for row in results.summary:
        numbers = [row[k] for k in ("loss", "loss_variance", "solution_variance")]
        none = row["infeasible_runs"] + row["failed_runs"]
        table.add_row(
            str(row["panel"]),
            f"{row['cbar']:g}",
            f"{row['phi']:g}",
            *("-" if value is None else f"{value:.3f}" for value in numbers),
            f"{none} of {row['runs']}" if none else "",
        )
    console.print(table)
    if all(row["status"] != "solved" for row in results.rows):
        console.print(
            "[yellow]No run had a plan[/]: with this noise the limits cannot be kept. Try another "
            "network, or fewer sums."
        )
