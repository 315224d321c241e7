"""What counts a release: the flag about the ledger, refusals without one, what is said of it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from privopt.cli.check import at_terminal
from privopt.cli.streams import as_given, chatter, escape
from privopt.errors import InputError

if TYPE_CHECKING:
    from privopt.app.job import Job

__all__ = [
    "NO_LEDGER", "REPLAY", "check_counted", "check_resumable", "known_key", "say_counted",
    "say_new_ledger",
]  # fmt: skip

REPLAY = Annotated[
    bool,
    typer.Option(
        "--replay",
        help="Write what the key stands for into a new file.",
        rich_help_panel="Ledger",
    ),
]
NO_LEDGER = Annotated[
    bool,
    typer.Option(
        "--no-ledger", help="Go on although no ledger counts it.", rich_help_panel="Ledger"
    ),
]


def check_counted(job: Job, *, no_ledger: bool, refused: bool) -> None:
    """Refuse to publish what no ledger counts, unless that is asked for; `refused`: by the flag."""
    if job.ledger is not None and refused:
        raise InputError(
            f"--no-ledger was given, and the ledger {job.ledger}.", "one of them.", "leave one out."
        )
    if job.ledger is None and not no_ledger:
        job.check_ledger()  # a key without one has a message of its own
        raise InputError(
            "no ledger would count this. Nothing was read or released.",
            "a ledger: epsilons about the same data add up, and it sees to the limit.",
            "write --ledger FILE --limit 1.0 --key NAME, which makes one if there is none (or: "
            "privopt ledger create FILE 1.0). To go on without: --no-ledger.",
        )


def known_key(job: Job, paths: Iterable[str | None], *, replay: bool) -> bool:
    """Whether the key was released before: said first, and asked before a new file is written.

    A replay has the values of then, whatever the data are now. Where one of its files is there
    already, a command goes on that was stopped, or is given again.
    """
    from privopt.app.preparing import released

    with as_given(job.ledger):
        known = released(job)
    if not known:
        return False
    console, new = chatter(), [path for path in paths if path is not None]
    console.print(
        f"[bold yellow]Replay[/]: the key [bold]{escape(str(job.key))}[/] was charged before. What "
        "was released then is given again, free: the data that are given now are not in it.",
        soft_wrap=True,
    )
    if replay or not new or any(map(os.path.lexists, new)):
        return True
    console.print(
        f"[bold]{escape(new[0])}[/] is not there, and would be a new file with the values of then. "
        "For other data take another --key.",
        soft_wrap=True,
    )
    if at_terminal() and typer.confirm("Write the values of then into a new file?", err=True):
        return True
    console.print("Nothing was written. --replay writes them.")
    raise typer.Exit(1)


def check_resumable(job: Job, out: str | None) -> None:
    """Refuse a charge that could not be gone on from: a ledger alone keeps sums, not what of."""
    if job.ledger is not None and job.key is None and out is None:
        raise InputError(
            "a ledger was given for a measurement, without a key and without a file to write.",
            "a key, by which a measurement is replayed, or a place where it is kept.",
            "write --key NAME, or --out FILE. Nothing was charged.",
        )


def say_new_ledger(job: Job) -> None:
    """Say that a ledger begins with this charge: whoever moved theirs must know before it."""
    from privopt.ledger.stores.registry import exists, shown_as

    if job.ledger is not None and job.limit is not None and not exists(job.ledger):
        chatter().print(
            f"[yellow]warning[/] There is no ledger at {escape(shown_as(job.ledger))}. A new one "
            "is made, which knows of no earlier release: if yours was moved, name its place.",
            soft_wrap=True,
        )


def say_counted(job: Job, row: int | None, *, what: str, charged: bool, replayed: bool) -> None:
    """Say after a release (or measurement: `what`) how it was counted, where that needs saying."""
    console = chatter()
    if row is None:
        if charged:
            console.print(
                f"[yellow]warning[/] No ledger counted this {what}. Epsilons about the same data "
                "add up: write --ledger FILE --limit 1.0 --key NAME."
            )
    elif replayed:
        console.print(
            f"Replayed from row {row} of the ledger: free, the same values as before. The data "
            "that were given now are not in them."
        )
    elif job.key is None:
        console.print(
            "[dim]It has no key: the same command again is charged again. With --key NAME it is "
            "replayed, free.[/]"
        )
