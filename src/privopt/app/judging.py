"""Does a simulation refute what is claimed of the limits?

A claim is refuted when even the lower end of the interval lies above what is allowed. The interval
is wider than the one that is shown: many rows (and, of a policy, many vertices of the domain) are
looked at, and the worst of them counts, so 1 - confidence is divided among them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privopt.arrays import Vector
from privopt.claims.estimate import Estimate
from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms
from privopt.errors import InputError
from privopt.feasibility import Feasibility
from privopt.mechanisms.verify import Verification

__all__ = ["Verdict", "judge"]

_DOUBT = 0.01
_VERTICES = 20  # of the domain, at most, that a policy is looked at


@dataclass(frozen=True, repr=False)
class Verdict:
    """Whether the claim is refuted, and in words. Private, if it is about a plan.

    Attributes
    ----------
    allowed
        The chance of violation that is allowed: of all rows together, or (the largest) of each;
        None where it is not known.
    """

    refuted: bool
    words: str
    allowed: float | None = None


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
        low = Estimate.of(count, samples, 1 - _DOUBT / _VERTICES).interval[0]
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
