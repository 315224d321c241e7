"""What is claimed of a decision: made from its measurements and eta, never from a file's words.

privacy        that of the measurements together: the decision itself adds nothing, and is stated
               where one of them is
feasibility    every row for every u of U(y); decided and not completed with probability <= eta
"""

from __future__ import annotations

import math
from dataclasses import replace

from privopt.claims.guarantee import Claim, Guarantee, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms, PrivacyTerms
from privopt.feasibility.always import Always
from privopt.feasibility.exact_box import ExactBox
from privopt.feasibility.protocol import Feasibility
from privopt.mechanisms.measured.belief import Belief
from privopt.solving.limits import Limits

__all__ = ["eta_of", "guaranteed", "promised"]


def guaranteed(belief: Belief, limits: Limits | None, eta: float | None) -> Guarantee:
    """The claims of a decision about some limits; eta None: of a fallback."""
    claim = _unclaimed() if limits is None or eta is None else _feasibility(belief, limits, eta)
    return Guarantee(_privacy(belief), claim).stated(belief.stated)


def eta_of(feasibility: Feasibility) -> float:
    """The probability that is left: none with bounded noise."""
    return feasibility.eta if isinstance(feasibility, ExactBox) else 0.0


def promised(claim: Claim) -> Feasibility:
    """What was asked for, from a claim; ValueError if it is no claim of a decision."""
    terms = claim.terms
    if not isinstance(terms, FeasibilityTerms) or terms.eta is None or not 0 <= terms.eta < 1:
        raise ValueError
    return ExactBox(eta=terms.eta) if terms.eta else Always()


def _privacy(belief: Belief) -> Claim:
    """What is claimed of privacy: that of the measurements together."""
    made = [one for one in belief.instruments if one.calibration is not None]
    claims = [one.kernel.guarantee.privacy for one in made]
    terms = PrivacyTerms.of(belief.instruments[0].privacy)
    if not claims:
        return Claim.of(
            replace(terms, epsilon=0.0, delta=0.0, family=""),
            Provenance.PROVEN,
            "nothing was measured: the values are made from public data",
            Scope.NEIGHBOURS,
        )
    after = "the values are computed from the measurement and public data alone"
    if len(claims) == 1:
        return replace(claims[0], because=f"{after}; {claims[0].because}")
    each = [one.terms for one in claims if isinstance(one.terms, PrivacyTerms)]
    families = {one.family for one in each}
    total = replace(
        each[0],
        epsilon=math.fsum(one.epsilon for one in each),
        delta=math.fsum(one.delta for one in each),
        family=families.pop() if len(families) == 1 else "",
    )
    return Claim.of(
        total,
        Provenance.PROVEN,
        f"{after.replace('measurement', f'{len(claims)} measurements')}, whose losses add up",
        Scope.NEIGHBOURS,
    )


def _feasibility(belief: Belief, limits: Limits, eta: float) -> Claim:
    """What is claimed of feasibility."""
    measured = any(one.release is not None for one in belief.measurements)
    where = "every data that the measurement leaves possible" if measured else "all of the domain"
    sure = ", which the true data are with that probability" if measured and eta else ""
    return Claim.of(
        FeasibilityTerms(limits.count, eta if measured else 0.0, everywhere=True, decided=True),
        Provenance.PROVEN,
        f"an affine solution with these values keeps every row for {where}{sure}; check() looks at "
        "its multipliers in exact fractions",
        Scope.JOINT,
        limits.assumptions,
    )


def _unclaimed() -> Claim:
    return Claim(
        "nothing is claimed about feasibility",
        Provenance.ASSUMED,
        "no decision has a certificate at this measurement, and these are the values that were "
        "named in advance for that case",
        Scope.NONE,
    )
