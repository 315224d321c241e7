"""A release after its charge: it is written and shown, or it is told where it can still be had.

The charge stays whatever happens then. A ledger keeps the release beside it: `privopt ledger fetch`
gives it again, and so does the same command under the same key. What no ledger keeps is printed
where it could not be written. A measurement and the decision that follows are kept in the same way.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import typer
from rich.console import Console

from privopt.cli.output import OutputPlace, write_remedy
from privopt.cli.streams import abandon_output, named, results
from privopt.errors import InputError

if TYPE_CHECKING:
    from privopt.app.job import Job
    from privopt.kernel.measurement import Measurement
    from privopt.kernel.release import Release
    from privopt.mechanisms.measured.decision import Decision

    Kept: TypeAlias = Release | Measurement | Decision

__all__ = ["keep", "show"]


def keep(made: Kept, place: OutputPlace, out: str, job: Job) -> None:
    """Write the file of a release. If it is there already, it must be the same release."""
    from privopt.kernel import wire

    text = wire.text(made, indent=2) + "\n"
    try:
        place.put(text)
    except FileExistsError:
        try:
            same = type(made).load(out).digest == made.digest
        except InputError:
            same = False
        if not same:
            why = f"{out} is there already and holds something else."
            raise _printed(text, why, made, job, "choose another --out") from None
    except OSError as error:
        why = f"{out} could not be written ({error.strerror})."
        raise _printed(text, why, made, job, write_remedy(error).rstrip(".")) from None


def _printed(text: str, why: str, made: Kept, job: Job, remedy: str) -> InputError:
    """What no ledger keeps is printed, where it could not be written."""
    counted = _counted(made)
    if counted is not None and counted.ledger is not None:
        return _elsewhere(why, made, job, remedy)
    typer.echo(text, nl=False)
    return InputError(
        f"{why} No ledger counted the {made.kind}; it is printed on standard output.",
        "a file that can be written.",
        f"keep what is printed; for the next one {remedy}.",
    )


def _counted(made: Kept) -> Release | None:
    """What a ledger counts of it: the release, or the measured sums that it rests on."""
    from privopt.kernel.measurement import Measurement
    from privopt.mechanisms.measured.decision import Decision

    if isinstance(made, Decision):
        return made.measurements[-1].release
    return made.release if isinstance(made, Measurement) else made


def show(
    draw: Callable[[Console], None], made: Kept, out: str | None, job: Job, *, as_json: bool
) -> None:
    """Print a release on standard output, as JSON or as it is drawn on a console."""
    from privopt.kernel import wire

    console = results()
    console.file = drawn = io.StringIO()  # printing itself then fails below, or not at all
    draw(console)
    text = wire.text(made, indent=2) + "\n" if as_json else drawn.getvalue()
    try:
        typer.echo(text, nl=False)
        if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]
            sys.stdout.flush()
    except OSError as error:
        abandon_output()
        why = f"standard output did not take the {made.kind} ({error.strerror})."
        if out is not None:
            raise InputError(
                f"{why} It is whole in {out}.", "standard output.", f"look at it: {out}."
            ) from None
        raise _elsewhere(why, made, job, "write --out FILE") from None


def _elsewhere(why: str, made: Kept, job: Job, remedy: str) -> InputError:
    """Where a release is that could not be written or printed, and what was charged."""
    counted, what = _counted(made), made.kind
    entry = None if counted is None else counted.ledger
    if counted is None or entry is None:
        return InputError(
            f"{why} No ledger counted the {what}, and none keeps it.",
            "a place where it can be written.",
            f"{remedy}, and {what} again. What was seen of this one has its price all the same."
            if what == "release"
            else f"{remedy}. What was seen of this one has its price all the same.",
        )
    held = what if what == "release" else "measured sums"
    charged = (
        f"Nothing was charged: row {entry.row} of the ledger was replayed."
        if counted.replayed
        else f"Row {entry.row} of the ledger was charged, and keeps the {held}."
    )
    if what != "release":
        return InputError(
            f"{why} {charged}",
            "a place where it can be written.",
            f"{remedy}, and run the same command under the same key: it goes on, free."
            if job.key is not None
            else f"{remedy}; the next time give a --key, which goes on, free.",
        )
    place = "" if job.ledger is None else named(job.ledger)
    again = f", or {remedy}, under the same key" if job.key is not None else ""
    return InputError(
        f"{why} {charged}",
        "a place where it can be written.",
        f"get it again, free: privopt ledger fetch {place} --row {entry.row}{again}.",
    )
