"""What is claimed, for a layman: the odds are those of epsilon, rounded up."""

from __future__ import annotations

import math

import pytest

from privopt.claims.guarantee import Claim, Guarantee, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms, PrivacyTerms
from privopt.claims.units import UnitLabels
from privopt.show.plainly import odds, plainly

NONE = Claim("nothing", Provenance.ASSUMED, "", Scope.NONE)


def privacy(
    epsilon: float, delta: float = 0.0, provenance: Provenance = Provenance.PROVEN, **more: object
) -> Claim:
    terms = PrivacyTerms(epsilon, delta, 0.5, **more)  # pyright: ignore[reportArgumentType]
    return Claim.of(terms, provenance, "why", Scope.NEIGHBOURS)


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 1.0, 2.5, 6.9])
def test_odds_are_not_understated(epsilon: float) -> None:
    assert math.exp(epsilon) <= float(odds(epsilon)) <= 1.01 * math.exp(epsilon)


def test_large_ones_say_that_they_protect_little() -> None:
    assert "protects little" in odds(8.0)
    assert "protects nothing" in odds(1e6)


def test_one_sentence_says_what_is_known_and_how() -> None:
    (said,) = plainly(Guarantee(privacy(1.0), NONE), UnitLabels("MW"))
    assert said.startswith("Proven: ")
    assert "at most 0.5 MW apart" in said
    assert "a factor of at most 2.72." in said
    (assumed,) = plainly(Guarantee(privacy(1.0, 1e-6, Provenance.ASSUMED), NONE))
    assert assumed.startswith("Assumed: ")
    assert "apart from a chance of 1e-06" in assumed
    (several,) = plainly(Guarantee(privacy(1.0, together=3), NONE))
    assert "neighbours" in several


def test_a_constant_and_no_claim() -> None:
    (still,) = plainly(Guarantee(privacy(0.0), NONE))
    assert "the same whatever the private data are" in still
    assert plainly(Guarantee(NONE, NONE)) == ("Nothing is claimed about privacy.",)


@pytest.mark.parametrize(
    ("terms", "scope", "words"),
    [
        (FeasibilityTerms(3, 0.05), Scope.JOINT, "all limits hold together with a probability of "
         "at least 0.95."),
        (FeasibilityTerms(3, 0.05, each=True), Scope.ROW, "each limit by itself holds with"),
        (FeasibilityTerms(3, 0.0), Scope.JOINT, "hold together whatever the noise is."),
        (FeasibilityTerms(3, 0.05, decided=True), Scope.JOINT, "of at most 0.05."),
    ],
)  # fmt: skip
def test_limits_hold_with_a_probability(terms: FeasibilityTerms, scope: Scope, words: str) -> None:
    claim = Claim.of(terms, Provenance.PROVEN, "why", scope)
    _, said = plainly(Guarantee(privacy(1.0), claim))
    assert words in said


def test_draws_alone_claim_no_probability_and_confidence_is_said() -> None:
    drawn = Claim.of(FeasibilityTerms(3, None, draws=9), Provenance.SAMPLED, "why", Scope.JOINT)
    assert len(plainly(Guarantee(privacy(1.0), drawn))) == 1
    sure = Claim.of(FeasibilityTerms(3, 0.1), Provenance.SAMPLED, "w", Scope.JOINT, (), 0.99)
    assert "with confidence 0.99" in plainly(Guarantee(privacy(1.0), sure))[1]
