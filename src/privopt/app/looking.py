"""A look at the data of a job, prepared: the data are read, and nothing is decided or charged."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from privopt.app.job import Job
from privopt.app.making import instrument_of
from privopt.app.receipt import looked_at
from privopt.mechanisms.look import DataLook, look

__all__ = ["PreparedLook", "prepare_look"]


@dataclass(frozen=True, repr=False)
class PreparedLook:
    """A look at the data of a job that waits to be taken, and the digest of what it is about."""

    look: Callable[[], DataLook]
    subject: str


def prepare_look(
    job: Job, status: Callable[[str], AbstractContextManager[object]] = nullcontext
) -> PreparedLook:
    """The curator's look at the data of a job: nothing is decided or charged for it.

    It is about a measurement of the total, which has the same entries, domain and neighbours as all
    that the job can release.
    """
    with status("calibrating"):
        made = instrument_of(replace(job, measure="total"))
    read = job.read(made.kernel.data_names)
    return PreparedLook(lambda: look(made, read.d, read.rows), looked_at(made, job))
