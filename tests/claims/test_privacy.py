"""The privacy claims of plans and baselines are as good as their grounds."""

from __future__ import annotations

import privopt as po
from privopt.claims.guarantee import Provenance, Scope
from privopt.claims.privacy import input_claim, privacy_claim


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
