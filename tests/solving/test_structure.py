"""Gains that are diagonal plus low rank: as private and as feasible, at some cost."""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po

NOISE = po.Laplace(epsilon=1.0, alpha=0.1)
UNIMODAL = po.Analytic(eta=0.05, margin="unimodal")


def test_more_directions_cost_less_and_never_less_than_a_full_gain() -> None:
    one = po.experiments.instance("14_ieee", 0)
    parts = one.program, one.query, NOISE, UNIMODAL
    full = po.design(*parts, domain=one.domain)
    costs = []
    for rank in (0, 8):
        policy = po.design(*parts, domain=one.domain, structure=po.Shared(rank))
        assert policy.residual <= 1e-8
        assert policy.guarantee.privacy.provenance is po.Provenance.PROVEN
        assert np.abs(policy.program.G @ policy.gain - np.eye(policy.gain.shape[1])).max() <= 1e-9
        costs.append(policy.cost)
    assert full.cost <= costs[1] * (1 + 1e-9)
    assert costs[1] <= costs[0] * (1 + 1e-9)
    assert costs[0] <= 1.01 * full.cost


def test_what_makes_no_sense_is_refused() -> None:
    one = po.experiments.instance("5_pjm", 0)
    gaussian = po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1)
    with pytest.raises(po.errors.CombinationError, match="Laplace"):
        po.design(
            one.program, one.query, gaussian, UNIMODAL, domain=one.domain, structure=po.Shared(2)
        )
    with pytest.raises(po.errors.InputError, match="Shared"):
        po.design(
            one.program, one.query, NOISE, UNIMODAL, domain=one.domain,
            structure=3,  # pyright: ignore[reportArgumentType]
        )  # fmt: skip
    with pytest.raises(po.errors.InputError, match="rank"):
        po.Shared(-1)
