"""Points of a frontier of decisions: what a job's measurement and decision come to, simulated.

At each value of the parameter the same sums are measured, those that the job names or that were
chosen for it, on public draws: the same for every value. Beside them stands the decision from
nothing, which costs no epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privopt.app.job import Job, needed
from privopt.app.making import instrument_of
from privopt.app.measuring import check_asked
from privopt.claims.worth import Worth
from privopt.errors import InputError
from privopt.kernel.instrument import Instrument
from privopt.mechanisms.fidelity import Within
from privopt.mechanisms.measured.candidates import NOTHING
from privopt.mechanisms.measured.epsilons import simulate_instrument

__all__ = ["Prospect", "same_sums", "simulated_of", "weight_of"]


@dataclass(frozen=True, repr=False, eq=False)
class Prospect:
    """What decisions come to: mean loss after completion, and what their values tell."""

    completed: float
    worth: Worth


def same_sums(job: Job, instrument: Instrument) -> Instrument:
    """The sums of an instrument, measured with the noise and over the domain of a job."""
    return Instrument(
        instrument.W,
        program=needed(job.source, "program", "--network 14_ieee").program,
        privacy=needed(job.privacy, "privacy", "--epsilon 1 --alpha 0.01"),
        domain=needed(job.domain, "domain", "--lower 0 --upper 1"),
        names=instrument.names,
    )


def weight_of(job: Job) -> float:
    """The weight of nearness in simulated decisions; what they have no use for is refused."""
    check_asked(job)
    if isinstance(job.fidelity, Within):
        raise InputError(
            "[design] within was given for simulated decisions.",
            "a weight: each simulated decision would need another one to keep the bound.",
            "use fidelity, or see the distance that decisions come to.",
        )
    return job.fidelity


def simulated_of(job: Job) -> tuple[Prospect | None, Prospect | None]:
    """What a job's decisions come to, and the decision from nothing.

    None where no simulated measurement leaves a decision.
    """
    weight = weight_of(job)
    instrument = simulate_instrument(
        needed(job.source, "program", "--network 14_ieee").designable,
        needed(job.query, "query", "--identity 'p[1]'"),
        instrument_of(job),
        needed(job.feasibility, "feasibility", "--feasibility exact-box --eta 0.05"),
        fidelity=weight,
        balance=job.balance,
        epsilons=(),
        rng=job.seed,
        settings=job.settings,
    )
    found: dict[str, Any] = instrument.comparison or {}
    rows: list[dict[str, Any]] = found["candidates"]
    still = next((row for row in rows if row["candidate"] == NOTHING), dict[str, Any]())
    own = {"loss": found["loss"], "distance": found["distance"]}
    paid = 0.0 if instrument.calibration is None else instrument.calibration.epsilon
    spread = float(found["spread"])
    return _prospect(own, spread, paid), _prospect(still, spread, 0.0)


def _prospect(row: dict[str, Any], spread: float, epsilon: float) -> Prospect | None:
    loss, distance = row.get("loss"), row.get("distance")
    if loss is None or distance is None:
        return None
    return Prospect(loss, Worth.of_all(distance, spread, epsilon))
