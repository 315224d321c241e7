"""What several commands show alike: a view in colour, facts, claims with their provenance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from privopt.cli.streams import chatter, escape

if TYPE_CHECKING:
    from privopt.app.job import Job
    from privopt.show import view as show

__all__ = ["COLOURS", "facts", "mark", "print_view", "tabulated", "warn", "whose_data"]

COLOURS = {
    "PROVEN": "green", "ASSUMED": "yellow", "SAMPLED": "yellow", "NO CLAIM": "red",
    "without output": "yellow", "infeasible": "yellow", "failed": "yellow",
    "none: nothing would count it": "yellow",
}  # fmt: skip


def print_view(
    console: Console, view: show.View, *more: tuple[str, str], marked: bool = True
) -> None:
    """All of a view; `more` are facts that the command knows, in markup."""
    if marked:
        mark(console, view.title, private=view.private)
    else:
        console.print(f"[bold]{escape(view.title)}[/]", soft_wrap=True)
    rows = [(fact.name, _coloured(escape(fact.text))) for fact in view.facts]
    if rows or more:
        console.print(facts(*rows, *more))
    if len(view.table):
        console.print(tabulated(view.table, view.shown))
    if view.left_out:
        console.print(f"[dim]{view.left_out}[/]")
    for text in view.warnings:
        console.print(f"[yellow]{escape(text)}[/]")
    for text in view.notes:
        console.print(f"[dim]{escape(text)}[/]")
    for title, claim in () if view.guarantee is None else view.guarantee.both:
        colour = "yellow" if claim.stated else COLOURS.get(claim.word, "red")
        console.print(
            f"[bold]{title}[/] [{colour}]{escape(claim.label)}[/]: {escape(claim.statement)}"
        )
        for text in claim.grounds:
            console.print(Padding(f"[dim]{escape(text)}[/]", (0, 0, 0, 2)))


def mark(console: Console, what: str, *, private: bool) -> None:
    """Head what depends on d, or what was made from public data or released."""
    if private:
        console.print(
            f"[black on yellow] PRIVATE [/] [bold]{escape(what)}[/] "
            "[yellow]depends on d: for the curator, not for publication[/]"
        )
    else:
        console.print(f"[black on green] PUBLIC [/] [bold]{escape(what)}[/]")


def whose_data(job: Job) -> None:
    """Say on standard error where the data come from, if the job gives none."""
    if job.data is None and job.source is not None and job.source.title:
        chatter().print(
            f"[dim]No data were given: these are the loads of {escape(job.source.title)}. --data "
            "FILE takes others.[/]",
            soft_wrap=True,
        )


def warn(words: Iterable[str]) -> None:
    """Warnings on standard error, one a line."""
    for text in words:
        chatter().print(f"[yellow]warning[/] {escape(text)}", soft_wrap=True)


def facts(*rows: tuple[str, ...]) -> Table:
    """Names and texts, one below the other."""
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    for _ in rows[0][1:]:
        table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def tabulated(table: show.Table, which: range | None = None, digits: int = 6) -> Table:
    """A table with numbers to the right; where it is narrow, texts are folded, and none is cut."""
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    drawn.title, drawn.title_justify = table.title or None, "left"
    for heading, column in ((table.index, table.rows), *table.columns.items()):
        words = all(isinstance(cell, str) for cell in column)
        drawn.add_column(
            heading,
            justify="left" if words else "right",
            no_wrap=not words,
            overflow="fold",
            min_width=min(10, max((len(cell) for cell in column), default=0)) if words else None,
        )
    for cells in table.cells(which, digits):
        drawn.add_row(*(_coloured(escape(cell)) for cell in cells))
    return drawn


def _coloured(cell: str) -> str:
    return f"[{COLOURS[cell]}]{cell}[/]" if cell in COLOURS else cell
