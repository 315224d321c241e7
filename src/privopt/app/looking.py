"""A look at the data of a job, prepared: the data are read, and nothing is designed or charged."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from privopt.app.job import Job
from privopt.app.making import instrument_of
from privopt.app.receipt import looked_at
from privopt.kernel.instrument import Instrument
from privopt.mechanisms.look import DataLook, look
from privopt.mechanisms.policy import Policy

__all__ = ["PreparedLook", "prepare_look"]


@dataclass(frozen=True, repr=False)
class PreparedLook:
    """A look at the data of a job that waits to be taken, and the digest of what it is about."""

    look: Callable[[], DataLook]
    subject: str


def prepare_look(
    job: Job,
    saved: Policy | None = None,
    status: Callable[[str], AbstractContextManager[object]] = nullcontext,
) -> PreparedLook:
    """The curator's look at the data of a job: nothing is designed, decided or charged for it.

    Of a job without a saved policy it is about a measurement of the total, which has the same
    entries, domain and neighbours as all that the job can release.
    """
    if saved is not None:
        made: Policy | Instrument = saved
        read = job.read(saved.program.data_names, saved.program)
    else:
        with status("calibrating"):
            made = instrument_of(replace(job, measure="total"))
        read = job.read(made.kernel.data_names)
    return PreparedLook(lambda: look(made, read.d, read.rows), looked_at(made, job))
