"""The privacy claim of a policy: made from its noise and its charge, and from nothing else.

The same for a policy that was just designed and for one from a file, whose own words are not read.
"""

from __future__ import annotations

from dataclasses import replace

from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.claims.terms import PrivacyTerms
from privopt.digits import up
from privopt.noise.calibration import Calibration, Privacy

__all__ = ["policy_claim"]


def policy_claim(privacy: Privacy, noise: Calibration | None) -> Claim:
    """PROVEN: the map is public and affine, evaluated in exact integers."""
    if noise is None:
        return Claim.of(
            PrivacyTerms(0.0, 0.0, privacy.alpha),
            Provenance.PROVEN,
            "the release is a constant made from public data",
            Scope.NEIGHBOURS,
        )
    terms = replace(
        PrivacyTerms.of(privacy),
        epsilon=max(privacy.epsilon, noise.epsilon),
        delta=max(privacy.delta, noise.delta),
    )
    Delta = up(noise.sensitivity, 10)
    made = "which the noise was calibrated to"
    if noise.made_for is not None:
        made = f"which is charged; the noise was calibrated to {up(noise.made_for, 10)}"
    return Claim.of(
        terms,
        Provenance.PROVEN,
        "the release is a public affine map of d, clamped to the domain and evaluated in exact "
        f"integers, plus noise: neighbours move it by at most max_j ||S K e_j||_{privacy.order} "
        "times alpha, what rounding moves (of d to floats too, as far from zero as the domain "
        f"goes) included <= {Delta}, {made}",
        Scope.NEIGHBOURS,
    )
