"""Verification of a job: simulated, and compared with what is claimed; the limits that are near."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np

from privopt.app.job import Job
from privopt.app.judging import Verdict, judge
from privopt.app.preparing import Status, chosen
from privopt.claims.guarantee import Guarantee
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.policy import Policy
from privopt.mechanisms.verify import Verification
from privopt.show.view import Table, View

__all__ = ["Simulated", "simulate", "tightest"]


@dataclass(frozen=True, repr=False)
class Simulated:
    """What a simulation saw, what is claimed, and whether that is refuted; `private` of a plan."""

    found: Verification
    guarantee: Guarantee
    verdict: Verdict
    private: bool

    @property
    def view(self) -> View:
        """What was seen beside what is claimed. That of a policy is public."""
        what = "a plan" if self.private else "a policy, where its domain is worst"
        return replace(
            self.found.view(),
            title=f"Verification of {what}",
            guarantee=self.guarantee,
            private=self.private,
        )


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


def tightest(plan: Plan, most: int = 5) -> Table:
    """The limits with the least room for noise, in standard deviations of the row. Private."""
    rows = plan.program.rows
    room = rows.bound - np.asarray(rows.matrix @ plan.expected)
    moved = np.linalg.norm(plan.recourse.under(rows.matrix), axis=1)
    deviation = plan.calibration.deviation * moved
    size = np.abs(rows.bound) + np.asarray(abs(rows.matrix) @ np.abs(plan.expected))
    moving = np.flatnonzero(deviation > 1e-9 * np.maximum(size, 1e-300))
    ratio = room[moving] / deviation[moving]
    order = np.argsort(ratio, kind="stable")[:most]
    kept = moving[order]
    columns = {"room": room[kept], "deviation": deviation[kept], "ratio": ratio[order]}
    return Table("limit", [rows.names[i] for i in kept], columns, "Limits with the least room")
