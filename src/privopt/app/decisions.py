"""Points of a frontier of decisions: what a job's measurement and decision come to, simulated.

At each value of the parameter the sums that the job names are measured (or, with "choose", the best
ones are looked for), on public draws: the same for every value. Beside them stands the decision
from nothing, which costs no epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privopt.app.job import Job, instrument_of, needed
from privopt.app.measuring import check_asked
from privopt.claims.worth import Worth
from privopt.kernel.instrument import Instrument
from privopt.mechanisms.fidelity import Within
from privopt.mechanisms.measured.candidates import NOTHING
from privopt.mechanisms.measured.choosing import simulated

__all__ = ["Prospect", "simulated_of"]


@dataclass(frozen=True, repr=False, eq=False)
class Prospect:
    """What decisions come to: mean loss after completion, and what their values tell."""

    completed: float
    worth: Worth


def simulated_of(job: Job) -> tuple[Prospect | None, Prospect | None]:
    """What a job's decisions come to, and the decision from nothing.

    None where no simulated measurement leaves a decision.
    """
    instrument = instrument_of(job)
    if instrument.comparison is None:
        instrument = _compared(job, instrument)
    found: dict[str, Any] = instrument.comparison or {}
    rows: list[dict[str, Any]] = found["candidates"]
    still = next((row for row in rows if row["candidate"] == NOTHING), dict[str, Any]())
    own = {"loss": found["loss"], "distance": found["distance"]}
    paid = 0.0 if instrument.calibration is None else instrument.calibration.epsilon
    spread = float(found["spread"])
    return _simulated(own, spread, paid), _simulated(still, spread, 0.0)


def _compared(job: Job, instrument: Instrument) -> Instrument:
    check_asked(job)
    return simulated(
        needed(job.source, "program", "--network 14_ieee").designable,
        needed(job.query, "query", "--identity 'p[1]'"),
        instrument,
        needed(job.feasibility, "feasibility", "--feasibility exact-box --eta 0.05"),
        domain=needed(job.domain, "domain", "--lower 0 --upper 1"),
        fidelity=0.0 if isinstance(job.fidelity, Within) else job.fidelity,
        balance=job.balance,
        rng=job.seed,
        settings=job.settings,
    )


def _simulated(row: dict[str, Any], spread: float, epsilon: float) -> Prospect | None:
    loss, distance = row.get("loss"), row.get("distance")
    if loss is None or distance is None:
        return None
    return Prospect(loss, Worth.of_all(distance, spread, epsilon))
