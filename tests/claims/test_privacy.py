"""The privacy claims of plans, baselines and measurements are as good as their grounds."""

from __future__ import annotations

import pytest

import privopt as po
from privopt.claims.guarantee import Provenance, Scope
from privopt.claims.privacy import input_claim, measurement_guarantee, privacy_claim
from privopt.claims.terms import PrivacyTerms


def test_the_claim_of_a_plan_is_as_good_as_its_sensitivity() -> None:
    claim = privacy_claim(po.Laplace(epsilon=0.5, alpha=0.1), unique=True)
    assert claim.provenance is Provenance.ASSUMED
    assert claim.scope is Scope.NEIGHBOURS
    assert "0.5-differential privacy" in claim.statement
    assert "0.1" in claim.statement
    assert not any("unique" in item for item in claim.assumptions)
    assert any("correlated" in item for item in claim.assumptions)
    assert any("feasible" in item for item in claim.assumptions)
    unsure = privacy_claim(po.Laplace(epsilon=0.5, alpha=0.1), unique=False)
    assert any("unique" in item for item in unsure.assumptions)
    assert set(claim.assumptions) < set(unsure.assumptions)


def test_noise_on_the_data_itself_is_proven() -> None:
    noise = po.Gaussian(epsilon=0.5, delta=1e-6, alpha=0.1)
    claim = input_claim(noise, bounded=True)
    assert claim.provenance is Provenance.PROVEN
    assert "(0.5, 1e-06)-differential privacy" in claim.statement
    assert claim.assumptions == ()


def test_noise_on_data_without_public_bounds_is_assumed() -> None:
    claim = input_claim(po.Gaussian(epsilon=0.5, delta=1e-6, alpha=0.1), bounded=False)
    assert claim.provenance is Provenance.ASSUMED
    assert "Box" in claim.because
    assert any("floating-point" in item for item in claim.assumptions)


NOISES = [
    po.Laplace(epsilon=0.5, alpha=0.02),
    po.Gaussian(epsilon=0.5, delta=1e-6, alpha=0.02),
    po.TruncatedLaplace(epsilon=0.5, delta=1e-3, alpha=0.02),
]


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.name)
def test_a_measurement_is_proven_for_what_was_asked(noise: po.Laplace) -> None:
    calibration = noise.calibrate(2, 1 / 3)
    claim = measurement_guarantee(noise, calibration).privacy
    assert claim.provenance is po.Provenance.PROVEN
    terms = claim.terms
    assert isinstance(terms, PrivacyTerms)
    assert (terms.epsilon, terms.delta, terms.alpha) == (noise.epsilon, noise.delta, noise.alpha)
    assert calibration.epsilon <= terms.epsilon
    assert calibration.delta <= terms.delta
    assert f"||W e_j||_{noise.order}" in claim.because  # the norm, and the bound rounded up
    assert "<= 0.3333333334" in claim.because


def test_a_measurement_claims_nothing_of_limits() -> None:
    claim = measurement_guarantee(NOISES[0], NOISES[0].calibrate(2, 0.02)).feasibility
    assert claim.scope is Scope.NONE


def test_a_constant_tells_nothing() -> None:
    claim = measurement_guarantee(NOISES[0], None).privacy
    assert isinstance(claim.terms, PrivacyTerms)
    assert (claim.terms.epsilon, claim.terms.delta) == (0.0, 0.0)
    assert "constant" in claim.because
