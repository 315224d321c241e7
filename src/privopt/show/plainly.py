"""What is claimed, in a sentence for someone who has never heard of differential privacy.

Epsilon is told as odds. Of two values of a private entry that are neighbours, whoever sees what is
published changes the odds between them by a factor of at most e^epsilon (rounded up), unless
something happens that has a chance of delta.
"""

from __future__ import annotations

import math

from privopt.claims.guarantee import Claim, Guarantee, Scope
from privopt.claims.terms import FeasibilityTerms, PrivacyTerms
from privopt.claims.units import UnitLabels
from privopt.digits import down, exactly, up
from privopt.show.units import counted_in

__all__ = ["odds", "plainly"]

_LARGEST = 700.0  # epsilon whose e^epsilon a float holds
_WEAK = 1000.0  # a factor that protects little
_LIMITS = {
    Scope.JOINT: "all limits hold together",
    Scope.ROW: "each limit by itself holds",
}


def odds(epsilon: float) -> str:
    """e^epsilon, rounded up, in words."""
    if epsilon > _LARGEST:
        return "more than 10^300, which protects nothing"
    factor = math.exp(epsilon)
    text = up(factor, 3) if factor < _WEAK else f"{math.ceil(factor):.3g}"
    return text if factor < _WEAK else f"{text}, which protects little"


def plainly(guarantee: Guarantee, units: UnitLabels | None = None) -> tuple[str, ...]:
    """A sentence for privacy, and one for feasibility where a probability is claimed."""
    return tuple(filter(None, (_privacy(guarantee.privacy, units), _limits(guarantee.feasibility))))


def _privacy(claim: Claim, units: UnitLabels | None) -> str:
    terms = claim.terms
    if claim.scope is Scope.NONE or not isinstance(terms, PrivacyTerms):
        return "Nothing is claimed about privacy."
    if terms.epsilon == 0 and terms.delta == 0:
        return f"{_known(claim)}: what is published is the same whatever the private data are."
    if terms.plain:
        alpha = counted_in(exactly(terms.alpha), units)
        who = "knows everything but one private entry"
        pair = f"two values of that entry that are at most {alpha} apart"
    else:
        who = "knows much already"
        pair = f"two sets of data that are neighbours ({terms.neighbours})"
    but = f", apart from a chance of {up(terms.delta, 3)}" if terms.delta > 0 else ""
    return (
        f"{_known(claim)}: whoever sees what is published, even one who {who}, changes the odds "
        f"between any {pair} by a factor of at most {odds(terms.epsilon)}{but}. A factor of 1 "
        "would tell nothing."
    )


def _limits(claim: Claim) -> str:
    words, probability = _LIMITS.get(claim.scope), claim.probability
    if words is None or probability is None:
        return ""
    sure = f", with confidence {down(claim.confidence, 6)}" if claim.confidence < 1 else ""
    if isinstance(claim.terms, FeasibilityTerms) and claim.terms.decided:
        most = up(claim.terms.chance or 0.0, 6)
        return (
            f"{_known(claim)}: values that no solution within all limits has are decided with a "
            f"probability of at most {most}{sure}."
        )
    if probability == 1:
        return f"{_known(claim)}: {words} whatever the noise is{sure}."
    return f"{_known(claim)}: {words} with a probability of at least {down(probability, 6)}{sure}."


def _known(claim: Claim) -> str:
    """How it is known, as the first word of a sentence."""
    return claim.label.capitalize()
