"""`privopt check`: the curator's private look at the data, before anything is charged."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privopt.cli.errors import revealing
from privopt.cli.flags import Asked, with_job
from privopt.cli.streams import JSON, chatter, escape, print_json, results
from privopt.cli.view import print_view, whose_data
from privopt.errors import InputError

if TYPE_CHECKING:
    from privopt.app.job import Job
    from privopt.app.looking import PreparedLook
    from privopt.app.preparing import Prepared

__all__ = ["CLAMP", "RECEIPT", "at_terminal", "check", "check_looked_at"]

CLAMP = Annotated[
    bool,
    typer.Option(
        "--clamp",
        help="Clamp data to the domain without a look at them, or a receipt of `privopt check`.",
        rich_help_panel="Private data",
    ),
]
RECEIPT = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Receipt of `privopt check`; beside the data unless given.",
        rich_help_panel="Private data",
    ),
]


@with_job(without=("objective", "repeat", "ledger", "output"))
def check(asked: Asked, *, receipt: RECEIPT = None, as_json: JSON = False) -> None:
    """Look at the private data before they are released: for the curator, at no charge.

    Says how many entries lie outside of the domain and how far, whether the file seems to be in
    another unit, which names are missing or too many, and how many customers there are. What is
    printed depends on d: it is PRIVATE. Do not choose the domain by it.

    A receipt is written beside the data, whatever was found (loads.csv.checked; private, for its
    owner alone). `privopt release` and `privopt measure` want it for the same file, or --clamp,
    where no one can be asked. Exit code 1 if something was found.

    Example: privopt check job.toml --data loads.csv
    """
    from privopt.app.receipt import receipt_path, write_receipt

    job = asked.job()
    ready = _prepared(asked, job)
    whose_data(job)
    found = ready.look()
    if as_json:
        print_json(found.to_dict())
    else:
        print_view(results(), found.view())
    path = receipt_path(job, receipt)
    if path is not None:
        write_receipt(path, job, ready.subject)
        chatter().print(
            f"[dim]Receipt: {escape(str(path))} (private): these data were looked at for this job. "
            "It approves of nothing.[/]",
            soft_wrap=True,
        )
    if found.findings:
        chatter().print(
            "[yellow]Correct the file first[/], if these are mistakes: a script that releases "
            "will not stop for them.",
            soft_wrap=True,
        )
        raise typer.Exit(1)


def _prepared(asked: Asked, job: Job) -> PreparedLook:
    """The data, read. An error tells all that it knows of them: this command is the curator's."""
    from privopt.app.looking import prepare_look

    try:
        return prepare_look(job, chatter().status)
    except InputError as error:
        with revealing(error.private is not None and not asked.reveal):
            raise


def check_looked_at(
    ready: Prepared[Any], job: Job, *, clamp: bool, receipt: str | None, replayed: bool
) -> None:
    """Refuse to go on with data that no one has looked at: whatever they are.

    At a terminal the curator is always shown the look, and asked. Without one a receipt will do,
    which `check` writes whatever it found, or --clamp. Nothing here depends on d but what is shown.
    """
    from privopt.app.receipt import holds, receipt_path

    subject, look = ready.subject, ready.look
    if look is None or subject is None or clamp or replayed or not job.of_private_data:
        return
    if at_terminal():
        print_view(chatter(), look().view())
        if not typer.confirm("Charge and release? What lies outside is clamped.", err=True):
            chatter().print("Nothing was charged or released.")
            raise typer.Exit(1)
        return
    path = receipt_path(job, receipt)
    if holds(path, job, subject):
        return
    where = f" at {path}" if path is not None else ""
    raise InputError(
        f"no one has looked at these data: there is no receipt for them and this job{where}. "
        "Nothing was charged.",
        "a receipt, or the word that data outside of the domain are clamped, whatever they are.",
        "look at them first, at no charge: privopt check, with the same job and data; or write "
        "--clamp.",
    )


def at_terminal() -> bool:
    """Whether someone can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()
