"""The privacy claims of plans, baselines and measurements: what noise promises, and why.

That of a measurement is made from its noise and its charge, and from nothing else: the same for one
that was just made and for one from a file, whose own words are not read.
"""

from __future__ import annotations

from dataclasses import replace

from privopt.claims.guarantee import Claim, Guarantee, Provenance, Scope
from privopt.claims.terms import PrivacyTerms
from privopt.digits import up
from privopt.noise.calibration import Calibration, Privacy
from privopt.noise.neighbours import AS_FLOATS

__all__ = ["input_claim", "measurement_guarantee", "privacy_claim", "promises"]


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
    return Claim.of(
        PrivacyTerms.of(privacy),
        Provenance.PROVEN if bounded else Provenance.ASSUMED,
        f"{because} only; d is clamped to a public domain, and what its conversion to floats moves "
        "there was added to alpha"
        if bounded
        else f"{because}, but d has no public bounds: domain=privopt.Box(lower, upper) proves it",
        Scope.NEIGHBOURS,
        () if bounded else (AS_FLOATS,),
    )


def _measured(privacy: Privacy, noise: Calibration | None) -> Claim:
    """PROVEN: the map is public and affine, evaluated in exact integers."""
    if noise is None:
        return Claim.of(
            replace(PrivacyTerms.of(privacy), epsilon=0.0, delta=0.0, family=""),
            Provenance.PROVEN,
            "the release is a constant made from public data",
            Scope.NEIGHBOURS,
        )
    Delta = up(noise.sensitivity, 10)
    return Claim.of(
        PrivacyTerms.of(privacy),
        Provenance.PROVEN,
        "the release is a public affine map of d, clamped to the domain and evaluated in exact "
        f"integers, plus noise: neighbours move it by at most {_moved(privacy)}, what "
        "rounding moves (of d to floats too, as far from zero as the domain "
        f"goes) included <= {Delta}, which the noise was calibrated to",
        Scope.NEIGHBOURS,
    )


def measurement_guarantee(privacy: Privacy, noise: Calibration | None) -> Guarantee:
    """What is claimed of a measurement: privacy, and nothing of feasibility."""
    nothing = Claim(
        "nothing is claimed about feasibility",
        Provenance.ASSUMED,
        "a measurement has no inequalities; decisions that rest on it claim their own",
        Scope.NONE,
    )
    return Guarantee(_measured(privacy, noise), nothing)


def promises(found: Guarantee, epsilon: float, delta: float, alpha: float) -> bool:
    """Whether privacy is claimed of these numbers, and no stronger than they are."""
    claim, terms = found.privacy, found.privacy.terms
    return (
        isinstance(terms, PrivacyTerms)
        and claim.scope is Scope.NEIGHBOURS
        and terms.epsilon >= epsilon
        and terms.delta >= delta
        and terms.alpha == alpha
    )


def _moved(privacy: Privacy) -> str:
    """How far neighbours move an affine map, as a formula."""
    relation, norm, column = privacy.neighbours, f"||_{privacy.order}", "W e_j"
    if relation.plain:
        return f"max_j ||{column}{norm} times alpha"
    if relation.together == 1 or relation.change == "total":
        return f"max_j ||{column}{norm} alpha_j"
    return f"max over owners of || sum_j |{column}| alpha_j {norm}"
