"""What a policy claims comes from its noise and its charge: never less than either says."""

from __future__ import annotations

from dataclasses import replace

import pytest

import privopt as po
from privopt.claims.terms import PrivacyTerms
from privopt.kernel.claim import policy_claim

NOISES = [
    po.Laplace(epsilon=0.5, alpha=0.02),
    po.Gaussian(epsilon=0.5, delta=1e-6, alpha=0.02),
    po.TruncatedLaplace(epsilon=0.5, delta=1e-3, alpha=0.02),
]


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.name)
def test_it_is_proven_for_what_was_asked_and_charged(noise: po.Laplace) -> None:
    calibration = noise.calibrate(2, 0.02)
    claim = policy_claim(noise, calibration)
    assert claim.provenance is po.Provenance.PROVEN
    terms = claim.terms
    assert isinstance(terms, PrivacyTerms)
    assert terms.alpha == noise.alpha
    assert terms.epsilon == max(noise.epsilon, calibration.epsilon)
    assert terms.delta == max(noise.delta, calibration.delta)
    dearer = replace(calibration, epsilon=0.75)
    charged = policy_claim(noise, dearer).terms
    assert isinstance(charged, PrivacyTerms)
    assert charged.epsilon == 0.75


def test_a_constant_tells_nothing() -> None:
    claim = policy_claim(NOISES[0], None)
    assert isinstance(claim.terms, PrivacyTerms)
    assert (claim.terms.epsilon, claim.terms.delta) == (0.0, 0.0)
    assert "constant" in claim.because


def test_the_norm_and_the_sensitivity_are_named_rounded_up() -> None:
    laplace, gaussian = (policy_claim(one, one.calibrate(1, 1 / 3)) for one in NOISES[:2])
    assert "||S K e_j||_1" in laplace.because
    assert "||S K e_j||_2" in gaussian.because
    assert "<= 0.3333333334" in laplace.because
    older = replace(NOISES[0].calibrate(1, 0.5), made_for=0.25)
    assert "calibrated to 0.25" in policy_claim(NOISES[0], older).because
