"""What several commands show alike: a view in colour, facts, claims with their provenance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console

from privopt.cli.layout import COLOURS, coloured, facts, tabulated
from privopt.cli.streams import chatter, escape

if TYPE_CHECKING:
    from privopt.app.job import Job
    from privopt.show import view as show

__all__ = ["COLOURS", "facts", "mark", "print_view", "tabulated", "warn", "whose_data"]


def print_view(
    console: Console, view: show.View, *more: tuple[str, str], marked: bool = True
) -> None:
    """All of a view; `more` are facts that the command knows, in markup."""
    if marked:
        mark(console, view.title, private=view.private)
    else:
        console.print(f"[bold]{escape(view.title)}[/]", soft_wrap=True)
    rows = [(fact.name, coloured(escape(fact.text))) for fact in view.facts]
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
            console.print(f"  [dim]{escape(text)}[/]")


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
    """Warn on standard error of data that nobody gave: those of the network itself."""
    if job.data is None and job.source is not None and job.source.title:
        chatter().print(
            "[yellow]warning[/] No data were given: these are the loads of "
            f"{escape(job.source.title)}, not yours. Name your file: --data FILE, or [data] file.",
            soft_wrap=True,
        )


def warn(words: Iterable[str]) -> None:
    """Warnings on standard error, one a line."""
    for text in words:
        chatter().print(f"[yellow]warning[/] {escape(text)}", soft_wrap=True)
