"""Verification of a plan: simulated, and compared with what is claimed; the limits that are near.

A claim is refuted when even the lower end of the interval lies above what is allowed. The interval
is wider than the one that is shown: of many rows the worst counts, so 1 - confidence is divided
among them.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from privopt.app.job import Job
from privopt.app.making import solved
from privopt.app.preparing import Status
from privopt.arrays import Vector
from privopt.claims.estimate import Estimate, estimate_to_dict
from privopt.claims.guarantee import Claim, Guarantee, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms
from privopt.errors import InputError
from privopt.feasibility import Feasibility
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.verify import Verification
from privopt.show.view import Table, View

__all__ = ["Simulated", "Verdict", "judge", "simulate", "tightest"]

_DOUBT = 0.01  # 1 - confidence, divided among the rows
_DOUBT_OF_ALL = 0.0005  # of all limits together


@dataclass(frozen=True, repr=False)
class Verdict:
    """Whether the claim is refuted, and in words. Private.

    `allowed` is the chance of violation that is: of all rows together, or (the largest) of each;
    None where it is not known.
    """

    refuted: bool
    words: str
    allowed: float | None = None


@dataclass(frozen=True, repr=False)
class Simulated:
    """What a simulation of a plan saw, what is claimed, and whether that is refuted. Private."""

    found: Verification
    guarantee: Guarantee
    verdict: Verdict

    @property
    def view(self) -> View:
        """What was seen beside what is claimed."""
        view = self.found.view()
        return replace(
            view,
            notes=view.notes[:1],
            title="Verification of a plan",
            guarantee=self.guarantee,
            private=True,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; of the rows those that broke."""
        found, claim = self.found, self.guarantee.feasibility
        shares = zip(found.names, found.rows.value, strict=True)
        return {
            "private": True,
            "violation": estimate_to_dict(found.violation),
            "completion": estimate_to_dict(found.completion),
            "rows": {name: float(share) for name, share in shares if share > 0},
            "tolerance": found.tolerance,
            "claim": {**claim.to_dict(), "stated": claim.stated},
            "allowed": self.verdict.allowed,
            "refuted": self.verdict.refuted,
        }


def simulate(
    job: Job,
    *,
    plan: bool = False,
    samples: int = 10_000,
    seed: int = 0,
    status: Status = nullcontext,
) -> Simulated:
    """Simulate releases of a plan."""
    if job.made_by(plan=plan) == "measured":
        raise InputError(
            "the job measures and decides: what it releases depends on a measurement.",
            "a plan, or a decision that was made.",
            "look at a decision with --decision FILE, or say --plan.",
        )
    with status("solving"):
        made = solved(job)
    with status(f"simulating {samples} releases"):
        found = made.verify(samples, seed)
    # What one draw in several keeps is not what was asked of one.
    asked = None if job.repeat is not None else job.feasibility
    asked = None if asked is None else asked.fitted(made.program.rows)
    verdict = judge(found, made.guarantee.feasibility, asked)
    return Simulated(found, made.guarantee, verdict)


def judge(found: Verification, claim: Claim, feasibility: Feasibility | None) -> Verdict:
    """Compare shares with what is allowed: by a feasibility, or else by what the claim states."""
    if claim.scope is Scope.NONE:
        return Verdict(False, "Not compared: nothing is claimed of the limits.")
    by_row = claim.scope is Scope.ROW
    try:
        allowed = _stated(claim)
        if feasibility is not None:
            rows = feasibility.row_eta(len(found.names)) if by_row else None
            by_row = rows is not None
            allowed = feasibility.total_eta or 0.0 if rows is None else rows
    except InputError:
        return Verdict(False, "Not compared: eta is of other rows.")
    if allowed is None:
        return Verdict(
            False,
            "Not compared: the claim states no probability that holds for every limit; give the "
            "job, or --feasibility with --eta, to compare with that.",
        )
    samples = found.violation.samples
    if by_row:
        shares: Vector = found.rows.value
        counts = np.round(shares * samples)
        low = Estimate.of(counts, samples, 1 - _DOUBT / max(len(counts), 1)).interval[0]
        refuted, each = bool((low > allowed).any()), "each limit"
    else:
        count = round(float(found.violation.value) * samples)
        low = Estimate.of(count, samples, 1 - _DOUBT_OF_ALL).interval[0]
        refuted, each = bool(low > allowed), "all limits together"
    most = float(np.max(allowed, initial=0.0))
    words = f"{100 * most:.3g}% is allowed, of {each}"
    if refuted:
        return Verdict(True, f"Refuted: {words}, and more was seen.", most)
    return Verdict(False, f"Not refuted: {words}.", most)


def _stated(claim: Claim) -> float | None:
    """What a claim allows; None where it gives no one number for all rows."""
    if claim.provenance is not Provenance.PROVEN or not isinstance(claim.terms, FeasibilityTerms):
        return None
    return claim.terms.allowed


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
