"""The numbers of claims: in full precision, in the sentence and beside it."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms, PrivacyTerms, read_terms
from privopt.noise.calibration import Privacy
from privopt.noise.registry import FAMILIES

steady = settings(deadline=None, max_examples=50, derandomize=True)
sizes = st.floats(1e-9, 1e9)


def claimed(terms: PrivacyTerms | FeasibilityTerms) -> Claim:
    return Claim.of(terms, Provenance.PROVEN, "so", Scope.JOINT)


@steady
@given(epsilon=sizes, delta=st.floats(1e-15, 0.5), alpha=sizes)
def test_the_sentence_of_a_privacy_claim_reads_back_to_its_numbers(
    epsilon: float, delta: float, alpha: float
) -> None:
    claim = claimed(PrivacyTerms(epsilon, delta, alpha, "gaussian"))
    assert (claim.epsilon, claim.delta, claim.alpha) == (epsilon, delta, alpha)
    pair, _, by = claim.statement.partition(")-differential privacy (Gaussian) for data that ")
    assert [float(text) for text in pair[1:].split(", ")] == [epsilon, delta]
    assert float(by.rpartition(" ")[2]) == alpha
    assert claim.eta is None
    assert claim.probability is None


def test_a_little_more_than_one_is_not_one() -> None:
    claim = claimed(PrivacyTerms(1.0000049, 0.0, 1.0000049))
    assert claim.statement.startswith("1.0000049-differential privacy for data")
    assert claim.statement.endswith("by at most 1.0000049")


@steady
@given(eta=st.floats(1e-300, 0.5))
def test_a_probability_is_one_minus_eta_and_never_one(eta: float) -> None:
    claim = claimed(FeasibilityTerms(3, eta))
    assert claim.eta == eta
    assert claim.probability is not None
    assert claim.probability < 1
    assert abs(Decimal(claim.probability) - (1 - Decimal(repr(eta)))) <= Decimal(2) ** -53
    assert claim.epsilon is None


def test_what_always_holds_and_what_says_nothing() -> None:
    assert claimed(FeasibilityTerms(3, 0.0)).probability == 1.0
    assert claimed(FeasibilityTerms(3, 0.025)).probability == 0.975
    spread = claimed(FeasibilityTerms(None, 0.01, each=True, most=0.2))
    assert (spread.eta, spread.probability) == (0.2, 0.8)
    drawn = claimed(FeasibilityTerms(3, None, draws=100))
    assert (drawn.eta, drawn.probability) == (None, None)
    words = Claim("anything", Provenance.ASSUMED, "so", Scope.NONE)
    assert (words.epsilon, words.delta, words.alpha, words.eta) == (None,) * 4


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_family_has_its_words(family: type[Privacy]) -> None:
    terms = PrivacyTerms(1.0, 0.0, 0.1, family.name)
    assert terms.promise == f"1-differential privacy ({family.words})"
    assert read_terms(terms.to_dict()) == terms


@pytest.mark.parametrize("family", ["Laplace", "unheard", None, 0, [], {}])
def test_a_family_that_nobody_knows_is_refused(family: object) -> None:
    data = PrivacyTerms(1.0, 0.0, 0.1).to_dict() | {"family": family}
    with pytest.raises((ValueError, TypeError)):
        read_terms(data)
