"""Measure, then decide, for a job.

    instrument_of(job)               which sums are measured, with what noise       public
    tried(job, instrument)           the decision where the sums are in the middle  public, free
    decided(job, [measurement])      the decision that a measurement leads to       public, free

Only `instrument.measure(d)` reads the private data, and only that is charged. Before it, `tried`
decides once at the middle of the domain: what would refuse a decision (a query that cannot be
answered, limits that no values keep, a combination that is not supported) is found while it costs
nothing, and what the values will tell is known.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from privopt.app.job import Job, needed
from privopt.app.parts import numbers_of
from privopt.arrays import Vector
from privopt.errors import InputError
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement
from privopt.mechanisms.measured.deciding import decide
from privopt.mechanisms.measured.decision import Decision
from privopt.model.objective import ExpectedCost

__all__ = ["check_asked", "decided", "tried"]

_ROUNDING = 1e-6  # of alpha: the ends of a domain lie on a grid finer than that
_CLOSE = 1e-9  # numbers that were computed twice


def decided(job: Job, measurements: Sequence[Measurement]) -> Decision:
    """The decision of a job from measurements: public, whatever the data are."""
    source = needed(job.source, "program", "--network 14_ieee")
    query = needed(job.query, "query", "--identity 'p[1]'")
    feasibility = needed(job.feasibility, "feasibility", "--feasibility exact-box --eta 0.05")
    check_asked(job)
    for one in measurements:
        _check_agrees(job, one)
    fallback = None
    if job.fallback is not None:
        fallback = _values(job.fallback, list(query.names(source.program)))
    return decide(
        source.designable,
        query,
        list(measurements),
        feasibility,
        fidelity=job.fidelity,
        balance=job.balance,
        fallback=fallback,
        rng=job.seed,
        settings=job.settings,
    )


def tried(job: Job, instrument: Instrument) -> Decision:
    """The decision where the sums are as in the middle of the domain, made before any is measured.

    It raises what a decision would raise, at no charge.
    """
    kernel = instrument.kernel
    middle = 0.5 * (instrument.domain[0] + instrument.domain[1])
    public = np.zeros(len(kernel.data_names))
    public[kernel.private] = middle
    measured = instrument.measure(public)  # no one's data
    if measured.release is not None:
        values = instrument.W @ middle
        measured = dataclasses.replace(
            measured, release=dataclasses.replace(measured.release, values=values)
        )
    return decided(job, [measured])


def check_asked(job: Job) -> None:
    """Refuse what a decision has no use for."""
    idle = {
        "[repeat]": job.repeat is not None,
        "[objective]": not isinstance(job.objective, ExpectedCost),
    }
    given = [name for name, is_there in idle.items() if is_there]
    if given:
        raise InputError(
            f"{given[0]} was given for a decision.",
            "what a decision takes: query, feasibility, and of [design] fidelity or within, "
            "balance, measure and fallback.",
            f"leave {given[0]} out.",
        )


def _check_agrees(job: Job, measurement: Measurement) -> None:
    """A domain or neighbours that the job names must be those of the measurement."""
    instrument = measurement.instrument
    kernel, hidden = instrument.kernel, instrument.privacy.neighbours
    names = [kernel.data_names[int(i)] for i in kernel.private]
    own = None if job.privacy is None else job.privacy.aligned(names).neighbours
    if own is not None and own != hidden:
        told = f": alpha is {own.largest:.10g} in the job, {hidden.largest:.10g} in the measurement"
        raise InputError(
            f"the job protects others than the measurement{told}.",
            "the alpha, owners and change that the measurement was made with.",
            "correct [privacy] of the job, or leave it out.",
        )
    if job.domain is None:
        return
    given = job.domain.ends(len(needed(job.source, "program", "--network 14_ieee").program.private))
    if len(given[0]) == len(names):  # else it is another program, which the decision says
        words = _differing(given, instrument.domain, hidden.grain, names)
        if words is not None:
            raise InputError(
                f"{words}.",
                "the domain that the measurement was made with.",
                "correct [domain] of the job, or leave it out.",
            )


def _differing(
    given: tuple[Vector, Vector], kept: tuple[Vector, Vector], grain: float, names: Sequence[str]
) -> str | None:
    """Where two domains of the same entries differ, in words; None: nowhere.

    The ends of a domain lie on a grid in a file: they may be off by its step. `grain` is the
    smallest alpha.
    """
    off = [
        np.abs(mine - theirs) > _ROUNDING * grain + _CLOSE * np.abs(theirs)
        for mine, theirs in zip(given, kept, strict=True)
    ]
    wrong = np.flatnonzero(off[0] | off[1])
    if not len(wrong):
        return None
    at = int(wrong[0])
    mine, theirs = (f"{ends[0][at]:.10g} to {ends[1][at]:.10g}" for ends in (given, kept))
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return f"the domain of {names[at]} is {mine} in the job, {theirs} in the measurement{more}"


def _values(fallback: Any, names: list[str]) -> Any:  # noqa: ANN401 -- plain data
    """The values of a fallback, by the names of the query."""
    found = numbers_of(fallback, names, "[design] fallback")
    return np.full(len(names), found) if isinstance(found, float) else found
