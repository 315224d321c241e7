"""What is made of a job: its plan, or the instrument that measures its data.

    plan = solved(job);  instrument = instrument_of(job)

A plan reads the private data; an instrument is made from public data alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from privopt.app.job import Job, needed
from privopt.app.schema import MEASURES
from privopt.app.sums import sums_of
from privopt.errors import CombinationError
from privopt.foreign import some
from privopt.kernel.instrument import Instrument
from privopt.mechanisms.measured.asked import asked_of
from privopt.mechanisms.measured.choosing import choose_instrument
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.planning import planned
from privopt.mechanisms.question import Question

__all__ = [
    "asked_by", "chosen_for", "chosen_instrument", "instrument_of", "solved",
]  # fmt: skip

_DOMAIN = "--lower 0 --upper 1, or --around 0.05 for a network"
_NAMED = "the job's own"


def solved(job: Job, start: Plan | None = None) -> Plan:
    """The plan of a job. Private."""
    source = needed(job.source, "program", "--network 14_ieee")
    program = source.program.at(job.read(source.program.data_names).d)
    question = Question(
        program,
        needed(job.query, "query", "--identity 'p[1]'"),
        needed(job.privacy, "privacy", "--epsilon 1 --alpha 0.01"),
        needed(job.feasibility, "feasibility", "--feasibility exact-box --eta 0.05"),
        job.objective,
        job.repeat,
        job.seed,
        job.settings,
    )
    return planned(question, start)


def instrument_of(job: Job, progress: Callable[[int, int], None] | None = None) -> Instrument:
    """What a job measures (the total, unless it says), from public data alone."""
    if isinstance(job.measure, Instrument):
        return job.measure
    if job.measure == "choose":
        return chosen_instrument(job, progress)
    source = needed(job.source, "program", "--network 14_ieee")
    privacy = needed(job.privacy, "privacy", "--epsilon 1 --alpha 0.01")
    domain = needed(job.domain, "domain", _DOMAIN)
    measure = "total" if job.measure is None else job.measure
    names = list(source.program.private_names)
    sums = sums_of(measure, names)
    if isinstance(sums, Instrument):
        _check_made_for(sums, Instrument(sums.W, program=source.program, privacy=privacy,
                                         domain=domain, names=sums.names))  # fmt: skip
        return sums
    return Instrument(sums, program=source.program, privacy=privacy, domain=domain)


def _check_made_for(given: Instrument, needed: Instrument) -> None:
    """Refuse a saved instrument of other data, noise or another domain than the job's."""
    theirs, ours = given.to_dict(), needed.to_dict()
    parts = {
        "data_names": "other data",
        "private": "other private entries",
        "noise": "other noise",
        "map": "another domain",
        "calibration": "another calibration of the noise",
    }
    for name, what in parts.items():
        if theirs[name] != ours[name]:
            raise CombinationError(
                f"the instrument of measure= was made for {what} than the job's.",
                "the program, noise and domain of the instrument.",
                "give the job the same, or choose anew: privopt choose --overwrite.",
            )


def asked_by(job: Job) -> dict[str, Any]:
    """What a job asks about decisions, as instruments keep it beside what they were simulated for.

    Nothing of a job without a query, limits or a domain.
    """
    if job.source is None or job.query is None or job.feasibility is None or job.domain is None:
        return {}
    return asked_of(
        job.source.designable, job.query, job.feasibility, job.domain, job.fidelity,
        balance=job.balance,
    )  # fmt: skip


def chosen_for(instrument: Instrument, job: Job) -> str:
    """What an instrument was chosen for, in words, beside another question of a job."""
    names = instrument.chosen_for
    if not names:
        return "a question that its file does not name"
    own = () if job.source is None or job.query is None else job.query.names(job.source.program)
    if names == tuple(own):
        return "the same values, but another program, domain, feasibility or fidelity"
    return some(list(names), 6, count=True)


def chosen_instrument(job: Job, progress: Callable[[int, int], None] | None = None) -> Instrument:
    """The best of many candidates; sums that the job names are among them."""
    source = needed(job.source, "program", "--network 14_ieee")
    own: dict[str, Any] = {}
    if job.measure is not None and job.measure not in MEASURES:
        named = sums_of(job.measure, list(source.program.private_names))
        own[_NAMED] = named.W if isinstance(named, Instrument) else named
    return choose_instrument(
        source.designable,
        needed(job.query, "query", "--identity 'p[1]'"),
        needed(job.privacy, "privacy", "--epsilon 1 --alpha 0.01"),
        needed(job.feasibility, "feasibility", "--feasibility exact-box --eta 0.05"),
        domain=needed(job.domain, "domain", _DOMAIN),
        candidates=own,
        fidelity=job.fidelity,
        balance=job.balance,
        rng=job.seed,
        settings=job.settings,
        progress=progress,
    )
