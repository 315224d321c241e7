"""Does a simulation refute what is claimed of the limits?

A claim is refuted when even the lower end of the interval lies above what is allowed. The interval
is wider than the one that is shown: many rows (and, of a policy, many vertices of the domain) are
looked at, and the worst of them counts, so 1 - confidence is divided among them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privopt.arrays import Vector
from privopt.errors import InputError
from privopt.estimate import Estimate
from privopt.feasibility import Analytic, Feasibility
from privopt.guarantee import Claim, Scope
from privopt.verify import Verification

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
    """Compare shares with what is allowed; without a feasibility, that is not known."""
    if feasibility is None or claim.scope is Scope.NONE:
        return Verdict(False, "Not compared with what is allowed: give the job too.")
    samples = found.violation.samples
    if claim.scope is Scope.ROW and isinstance(feasibility, Analytic):
        try:
            eta = feasibility.row_eta(len(found.names))
        except InputError:
            return Verdict(False, "Not compared: eta is of other rows.")
        shares: Vector = found.rows.value
        counts = np.round(shares * samples)
        low = Estimate.of(counts, samples, 1 - _DOUBT / max(len(counts), 1)).interval[0]
        refuted, allowed = bool((low > eta).any()), float(eta.max(initial=0.0))
        each = "each limit"
    else:
        allowed = feasibility.total_eta or 0.0
        count = round(float(found.violation.value) * samples)
        low = Estimate.of(count, samples, 1 - _DOUBT / _VERTICES).interval[0]
        refuted, each = bool(low > allowed), "all limits together"
    words = f"{100 * allowed:.3g}% is allowed, of {each}"
    if refuted:
        return Verdict(True, f"Refuted: {words}, and more was seen.", allowed)
    return Verdict(False, f"Not refuted: {words}.", allowed)
