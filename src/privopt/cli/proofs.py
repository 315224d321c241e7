"""The tables of assumed and proven privacy, printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table

from privopt.cli.streams import escape

if TYPE_CHECKING:
    from privopt.experiments import Results
    from privopt.experiments.study import Row

__all__ = ["print_policies"]

_PRIVACY = ("method", "privacy", "loss %", "PIQ-a", "none")
_RELEASE = ("method", "noise s", "distance", "constant")


def print_policies(console: Console, results: Results) -> None:
    """What privacy costs and what the releases tell; what had no answer is told below.

    Two tables, each narrow enough for 80 columns.
    """
    rows = results.summary
    lines = {(row["network"], row["algorithm"]): _privacy_cells(row) for row in rows}
    console.print(
        _table(
            "Privacy and its cost",
            _PRIVACY,
            lines,
            "Means over the runs with an answer; PIQ-a: its loss over the same runs; none: runs "
            "without an answer.",
        )
    )
    lines = {
        (row["network"], row["algorithm"]): _release_cells(row)
        for row in rows
        if row["level_mean"] is not None or row["distance_mean"] is not None
    }
    if lines:
        console.print(
            _table(
                "What the releases tell",
                _RELEASE,
                lines,
                "Noise s: its level, 1 is the paper's. Distance: of the release from the "
                "non-private answer (root mean square). Constant: runs whose release carries no "
                "information on d; floor= or fidelity= of design ask for more.",
            )
        )
    why: dict[str, list[str]] = {}
    for row in results.summary:
        for item in row["reasons"]:
            where = f"{row['network']} {row['algorithm']} ({item['runs']} of {row['runs']})"
            why.setdefault(item["reason"], []).append(where)
    for reason, where in why.items():
        console.print(f"[yellow]{escape(reason)}[/]: [dim]{escape('; '.join(where))}[/]")


def _table(
    title: str, headings: tuple[str, ...], lines: dict[tuple[str, str], list[str]], caption: str
) -> Table:
    """A line for each method, below the name of its network."""
    table = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left", caption=caption
    )
    for heading in headings:
        words = heading in ("method", "privacy")
        fold = heading == "method"
        table.add_column(
            heading, justify="left" if words else "right", no_wrap=not fold, overflow="fold"
        )
    last = None
    for (network, method), cells in lines.items():
        if network != last:
            table.add_row(f"[bold]{escape(str(network))}[/]")
        table.add_row(f"  {escape(str(method))}", *cells)
        last = network
    return table


def _privacy_cells(row: Row) -> list[str]:
    none = row["runs"] - _answered(row)
    return [
        _privacy(row),
        _number(row["loss_mean"], 2),
        _number(row["piqa_mean"], 2),
        f"{none} of {row['runs']}" if none else "",
    ]


def _release_cells(row: Row) -> list[str]:
    return [
        _number(row["level_mean"], 3),
        _number(row["distance_mean"], 3),
        f"{row['constant_runs']} of {row['runs']}" if row["constant_runs"] else "",
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
