"""The table of assumed and proven privacy, printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from privopt.experiments import Results
    from privopt.experiments.study import Row

__all__ = ["print_policies"]

HEADINGS = ("network", "method", "privacy", "loss %", "PIQ-a", "s", "distance", "constant", "none")


def print_policies(console: Console, results: Results) -> None:
    """One line for each network and method; what had no answer is told below it."""
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        caption="Means over the runs with an answer; PIQ-a: its loss over the same runs. s: noise "
        "level, 1 is the paper's. Distance: of the release from the non-private answer (root mean "
        "square). Constant: runs whose release carries no information on d; floor= or fidelity= of "
        "design ask for more.",
    )
    for heading in HEADINGS:
        words = heading in ("network", "method", "privacy")
        table.add_column(heading, justify="left" if words else "right", no_wrap=True)
    last = ""
    for row in results.summary:
        network = str(row["network"])
        table.add_row(escape(network) if network != last else "", *_cells(row))
        last = network
    console.print(table)
    why: dict[str, list[str]] = {}
    for row in results.summary:
        for item in row["reasons"]:
            where = f"{row['network']} {row['algorithm']} ({item['runs']} of {row['runs']})"
            why.setdefault(item["reason"], []).append(where)
    for reason, where in why.items():
        console.print(f"[yellow]{escape(reason)}[/]: [dim]{escape('; '.join(where))}[/]")


def _cells(row: Row) -> list[str]:
    none = row["runs"] - _answered(row)
    return [
        escape(str(row["algorithm"])),
        _privacy(row),
        _number(row["loss_mean"], 2),
        _number(row["piqa_mean"], 2),
        _number(row["level_mean"], 3),
        _number(row["distance_mean"], 3),
        f"{row['constant_runs']} of {row['runs']}" if row["constant_runs"] else "",
        f"{none} of {row['runs']}" if none else "",
    ]


def _answered(row: Row) -> int:
    return row["runs"] - row["infeasible_runs"] - row["failed_runs"] - row["uncertified_runs"]


def _privacy(row: Row) -> str:
    if row["epsilon_max"] is not None:
        return f"[red]epsilon >= {row['epsilon_max']:.2f}[/]" if row["beyond_runs"] else (
            f"epsilon >= {row['epsilon_max']:.2f}"
        )  # fmt: skip
    colours = {"PROVEN": "green", "ASSUMED": "yellow"}
    text = row["privacy"] or ""
    return f"[{colours[text]}]{text}[/]" if text in colours else text


def _number(value: float | None, digits: int) -> str:
    return "[dim]-[/]" if value is None else f"{value:.{digits}f}"
