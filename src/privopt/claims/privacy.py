"""The privacy claims of plans and baselines: what noise promises, as good as its grounds."""

from __future__ import annotations

from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.claims.terms import PrivacyTerms
from privopt.noise.calibration import Privacy
from privopt.noise.neighbours import AS_FLOATS

__all__ = ["input_claim", "privacy_claim"]


def privacy_claim(privacy: Privacy, *, unique: bool) -> Claim:
    """The privacy claim of a plan: as good as the sensitivity it was given."""
    sensitivity = privacy.sensitivity
    return Claim.of(
        PrivacyTerms.of(privacy),
        sensitivity.provenance,
        f"noise independent of d is added to the released values, and {sensitivity.because}"
        "; only the released values are covered: status, run time and cost of the solve are not",
        Scope.NEIGHBOURS,
        sensitivity.assumptions(unique=unique),
    )


def input_claim(privacy: Privacy, *, bounded: bool) -> Claim:
    """The privacy claim of noise added to d itself: for every neighbour, if d is clamped.

    Without a public domain nothing bounds what the conversion of d to floats moves.
    """
    because = "noise is added to d, whose own sensitivity is alpha; what follows reads the noisy d"
    if not bounded:
        return Claim.of(
            PrivacyTerms.of(privacy),
            Provenance.ASSUMED,
            f"{because}, but d has no public bounds: domain=privopt.Box(lower, upper) proves it",
            Scope.NEIGHBOURS,
            (AS_FLOATS,),
        )
    return Claim.of(
        PrivacyTerms.of(privacy),
        Provenance.PROVEN,
        f"{because} only; d is clamped to a public domain, and what its conversion to floats moves "
        "there was added to alpha",
        Scope.NEIGHBOURS,
    )
