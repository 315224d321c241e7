"""Verification of a job: simulated, and compared with what is claimed."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass

from privopt.app.job import Job
from privopt.app.judging import Verdict, judge
from privopt.app.preparing import Status, chosen
from privopt.claims.guarantee import Guarantee
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.policy import Policy
from privopt.mechanisms.verify import Verification

__all__ = ["Simulated", "simulate"]


@dataclass(frozen=True, repr=False)
class Simulated:
    """What a simulation saw, what is claimed, and whether that is refuted; `private` of a plan."""

    found: Verification
    guarantee: Guarantee
    verdict: Verdict
    private: bool


def simulate(
    job: Job,
    saved: Policy | None = None,
    *,
    plan: bool = False,
    samples: int = 10_000,
    seed: int = 0,
    status: Status = nullcontext,
) -> Simulated:
    """Simulate releases of a plan, or of a policy where its domain is worst."""
    made = chosen(job, saved, plan=plan, status=status)
    with status(f"simulating {samples} releases"):
        found = made.verify(samples, seed)
    # What one draw in several keeps is not what was asked of one.
    asked = None if job.repeat is not None else job.feasibility
    asked = None if asked is None else asked.fitted(made.program.rows)
    verdict = judge(found, made.guarantee.feasibility, asked)
    return Simulated(found, made.guarantee, verdict, isinstance(made, Plan))
