"""What a policy says of itself: that it tells nothing, or less than a constant would."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.mechanisms.policies import made

import privopt as po
from privopt.mechanisms.policy_view import noise_of, warnings_of


def test_a_constant_with_noise_says_that_it_tells_nothing() -> None:
    """The paper's instance 1 of 14_ieee: with the paper's noise, no released value follows d."""
    drawn = po.experiments.instance("14_ieee", 1)
    limits = po.Analytic(eta=0.025, margin="unimodal")
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    still = po.design(drawn.program, drawn.query, noise, limits, domain=drawn.domain, floor=1.0)
    assert still.calibration is not None
    assert not still.follows
    for text in (repr(still), " ".join(still.summary().split())):
        assert "do NOT follow d" in text
    less = po.Laplace(epsilon=1.0, alpha=0.01)
    told = po.design(drawn.program, drawn.query, less, limits, domain=drawn.domain, floor=1.0)
    assert told.follows
    assert "NOT follow" not in repr(told)
    lower, upper = told.domain
    corner = np.where(np.asarray(told.S @ told.gain)[1] > 0, upper, lower)
    moved = np.asarray(told.S @ told.gain) @ (corner - 0.5 * (lower + upper))
    assert moved[1] == pytest.approx(told.reach[1])


def test_values_that_a_constant_would_beat_are_named_and_no_others() -> None:
    policy, _ = made("laplace", "14_ieee")
    assert policy.moving.any()
    assert not policy.moving.all()  # of those that stand still something else is said
    spreads = np.ones(len(policy.names))
    for beaten in (policy.moving, np.ones(len(spreads), dtype=bool), ~policy.moving):
        assert policy.worth is not None
        worth = replace(policy.worth, errors=np.where(beaten, 1.5, 0.5), spreads=spreads)
        kernel = replace(policy.kernel, worth=worth)
        told = [
            text for text in warnings_of(replace(policy, kernel=kernel)) if "farther off" in text
        ]
        named = [name for name in policy.names if any(name in text for text in told)]
        assert named == [policy.names[i] for i in np.flatnonzero(policy.moving & beaten)]


def test_the_table_and_the_picture_reach_as_far_as_values_and_noise_do() -> None:
    policy, _ = made("laplace", "14_ieee")
    assert policy.calibration is not None
    S, (lower, upper) = policy.S, policy.domain
    corners = np.where(np.random.default_rng(0).random((4000, len(lower))) < 0.5, lower, upper)
    values = S @ (policy.offset[:, None] + policy.gain @ (corners - 0.5 * (lower + upper)).T)
    table = policy.to_pandas()
    assert (table["highest"].to_numpy() + 1e-9 >= values.T).all()
    assert (table["lowest"].to_numpy() - 1e-9 <= values.T).all()
    draws = policy.calibration.scale * np.random.default_rng(1).laplace(size=20_000)
    within = np.abs(draws) <= table["noise (95%)"].iloc[0]
    assert within.mean() == pytest.approx(0.95, abs=0.01)
    assert f"{policy.calibration.scale:.4g}" in noise_of(policy)
