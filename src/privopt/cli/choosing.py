"""What a job measures, where that is to be chosen: looked for once, with a bar, and kept.

    measure = "choose"                       [design]
    instrument = "instrument.json"           [output]: written when it was chosen, and read then

Whoever is stopped, or asks again, goes on from what was kept. It is public, and nothing is charged.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from privopt.cli.layout import Tabulated, tabulated
from privopt.cli.output import output
from privopt.cli.progress import live
from privopt.cli.streams import chatter, escape
from privopt.errors import CombinationError

if TYPE_CHECKING:
    from privopt.app.job import Job
    from privopt.kernel.instrument import Instrument
    from privopt.show.view import Table

__all__ = ["candidates", "chosen", "kept_in", "with_sums"]

_LEFT_OUT = ("guess, %", "+- (distance)", "decisions", "draws")
_DIGITS = 3
_AGAIN = "privopt choose, with --overwrite, chooses anew."


def kept_in(job: Job, out: str | None) -> str | None:
    """Where what was chosen is kept: beside what the command writes, unless the job says where.

    None of a job that names its sums. A command reads it: it may write nothing else there.
    """
    return job.kept("instrument", out) if job.measure == "choose" else None


def with_sums(job: Job, out: str | None) -> Job:
    """The job with what was chosen in the place of "choose"; other jobs as they are."""
    if job.measure != "choose":
        return job
    path = kept_in(job, out)
    there = path is not None and os.path.lexists(path)
    sums = _as_before(job, path) if path is not None and there else None
    if sums is None:
        sums = chosen(job, None if there else path)
        if sums.table is not None:
            chatter().print(candidates(sums.table))
        if path is not None and not there:
            chatter().print(f"[dim]Kept in {escape(path)}, and taken from there next time.[/]")
    return replace(job, measure=sums)


def chosen(job: Job, path: str | None, *, overwrite: bool = False) -> Instrument:
    """The best of many sums, and a file of it."""
    from privopt.app.making import chosen_instrument
    from privopt.kernel import wire

    with output(path, overwrite=overwrite, inputs=job.inputs) as place:
        with live("choosing what to measure", chatter(), "simulated decisions") as progress:
            made = chosen_instrument(job, progress)
        place.write(wire.text(made, indent=2) + "\n")
    return made


def candidates(table: Table) -> Tabulated:
    """What was chosen from, in the columns that fit a terminal."""
    columns = {name: one for name, one in table.columns.items() if name not in _LEFT_OUT}
    return tabulated(replace(table, columns=columns), digits=_DIGITS)


def _as_before(job: Job, path: str) -> Instrument | None:
    """What was chosen before, if it was for this job's data, noise and domain."""
    from privopt.app.making import asked_by, chosen_for, instrument_of

    try:
        kept = instrument_of(replace(job, measure=path))
    except CombinationError as error:
        chatter().print(f"[yellow]warning[/] {escape(path)} is not used: {escape(error.got)}")
        return None
    what = ", ".join(kept.names) if kept.comparison is None else kept.comparison["chosen"]
    told = f"To be measured, as chosen before in {path}: {what}. {_AGAIN}"
    if kept.comparison is not None and not kept.simulated_for(asked_by(job)):
        told = (
            f"To be measured, as chosen before in {path}: {what}. It was chosen for "
            f"{chosen_for(kept, job)}. {_AGAIN}"
        )
    chatter().print(f"[dim]{escape(told)}[/]", soft_wrap=True)
    return kept
