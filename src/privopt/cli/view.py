"""What several commands show alike: the private mark, facts, claims with their provenance."""

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
    from privopt.claims.guarantee import Guarantee

__all__ = ["COLOURS", "facts", "print_claims", "private_mark", "public_mark", "warn", "whose_data"]

COLOURS = {"PROVEN": "green", "ASSUMED": "yellow", "SAMPLED": "yellow", "NO CLAIM": "red"}


def private_mark(console: Console, what: str) -> None:
    """Head what depends on d."""
    console.print(
        f"[black on yellow] PRIVATE [/] [bold]{escape(what)}[/] "
        "[yellow]depends on d: for the curator, not for publication[/]"
    )


def public_mark(console: Console, what: str) -> None:
    """Head what was made from public data, or released."""
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


def facts(*rows: tuple[str, str]) -> Table:
    """Names and texts, one below the other."""
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in rows:
        table.add_row(name, text)
    return table


def print_claims(console: Console, guarantee: Guarantee) -> None:
    """Both claims, their ground, and what they rest on."""
    for title, claim in (("privacy", guarantee.privacy), ("feasibility", guarantee.feasibility)):
        colour = "yellow" if claim.stated else COLOURS.get(claim.word, "red")
        console.print(
            f"[bold]{title}[/] [{colour}]{escape(claim.label)}[/]: {escape(claim.statement)}"
        )
        for text in claim.grounds:
            console.print(Padding(f"[dim]{escape(text)}[/]", (0, 0, 0, 2)))
