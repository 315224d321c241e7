"""Advice on a job, made: what to measure, which values to release, what that costs, and if it fits.

    advise(job)      the instrument of the job, simulated         which sums, epsilon and values
                     the decision at the middle of the domain     that there is one, what it claims
                     the ledger, if the job has one               how often that fits what is left

Everything here is public: no private data are read, nothing is charged, and a ledger is only read.
What was simulated for another question is simulated anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from privopt.app.advice import Advice
from privopt.app.job import Job, needed
from privopt.app.making import asked_by, chosen_for, instrument_of
from privopt.app.measuring import tried
from privopt.ledger import Budget, Ledger
from privopt.ledger.stores.registry import exists
from privopt.mechanisms.measured.epsilons import simulate_instrument
from privopt.model.determined import without_room

__all__ = ["Advice", "advise"]


def advise(job: Job, progress: Callable[[int, int], None] | None = None) -> Advice:
    """Advice on a job; `progress` is called with simulated decisions, done and in all.

    Sums that the job names are simulated as they are; where it says "choose", the best of many are
    found (or, if the job holds an instrument that was chosen before, that one is taken; what it
    came to for another question is not taken, but simulated for this one).
    """
    instrument, asked, other = instrument_of(job, progress), asked_by(job), ""
    source = needed(job.source, "program", "--network 14_ieee")
    query = needed(job.query, "query", "--identity 'p[1]'")
    if instrument.curve is None or not instrument.simulated_for(asked):
        other = "" if instrument.comparison is None else chosen_for(instrument, job)
        instrument = simulate_instrument(
            source.designable,
            query,
            instrument,
            needed(job.feasibility, "feasibility", "--feasibility exact-box --eta 0.05"),
            fidelity=job.fidelity if isinstance(job.fidelity, float) else 0.0,
            balance=job.balance,
            rng=job.seed,
            settings=job.settings,
            progress=progress,
        )
    kernel = instrument.kernel
    charge = Budget(0)
    if instrument.calibration is not None:
        charge = kernel.request().charge
    names = query.names(source.program)
    fixed = without_room(source.program, query.matrix(source.program))
    still = {names[k]: value for k, value in fixed.items()}
    found = Advice(instrument, tried(job, instrument), charge, *_budget(job), still, other)
    return replace(found, charge=Budget(0)) if found.same else found


def _budget(job: Job) -> tuple[str | None, Budget | None, Budget | None]:
    """The ledger of a job, what is spent and the limit; of one that is not made yet, its limit."""
    if job.ledger is None:
        return None, None, None
    if not exists(job.ledger):
        return job.ledger, Budget(0), job.limit
    with Ledger(job.ledger, job.limit, dataset=job.dataset, read_only=True) as seen:
        return job.ledger, seen.spent, seen.limit
