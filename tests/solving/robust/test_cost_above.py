"""The upper end: never below the largest optimal cost, whatever the rule and its chords are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.measured.cost_cases import corners
from tests.solving.robust.cost_parts import Parts, parts, true_ends

SEEDS = (0, 1, 2, 4, 5, 7)


def proven(one: Parts) -> float:
    return one.upper(one.rule.z0, one.rule.K, one.chords)


@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_the_worst_case_of_the_rule_at_most(seed: int) -> None:
    """Not below V anywhere, and not far above the cost of the rule itself at some corner."""
    one = parts(seed)
    least, most = true_ends(one)
    found = proven(one)
    assert found >= most - 1e-8
    assert found <= most + 0.1 * (most - least)
    z = one.rule.solutions(corners(one.region))
    C2 = one.program.quadratic
    costs = one.program.constant + z @ one.program.linear + (z * np.asarray(z @ C2)).sum(axis=1)
    assert found >= costs.max() - 1e-9
    if not len(one.squares):  # nothing is lost to chords
        assert found == pytest.approx(costs.max(), abs=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_changed_rules_prove_nothing_false(seed: int) -> None:
    one, rng = parts(seed), np.random.default_rng(seed)
    _, most = true_ends(one)
    shown = 0
    for k in range(24):
        size = 10.0 ** rng.uniform(-14, -1)
        z0 = one.rule.z0 + size * rng.normal(size=len(one.rule.z0)) * (k % 2)
        K = one.rule.K + size * rng.normal(size=one.rule.K.shape) * (k % 3 > 0)
        found = one.upper(z0, K, one.chords)
        assert found >= most - 1e-8
        shown += found < np.inf
    assert 0 < shown < 24


@pytest.mark.parametrize("seed", [1, 2, 5])
def test_chords_that_are_too_short_prove_nothing(seed: int) -> None:
    one = parts(seed)
    good = one.chords
    for k in range(len(good.low)):
        wide = good.high[k] - good.low[k]
        for name, sign in (("low", 1), ("high", -1)):
            ends = getattr(good, name).copy()
            ends[k] += sign * (1e-3 * wide + 1e-9)
            changed: Any = replace(good, **{name: ends})
            assert one.upper(one.rule.z0, one.rule.K, changed) == np.inf


def test_other_multipliers_make_it_larger_or_infinite() -> None:
    one, rng = parts(1), np.random.default_rng(0)
    good, found = one.chords, proven(one)
    for _ in range(10):
        price: Any = good.price + rng.normal(size=len(good.price))
        assert one.upper(one.rule.z0, one.rule.K, replace(good, price=price)) >= found
    wild = one.rule.m + 10 * rng.normal(size=one.rule.m.shape)
    assert one.upper(one.rule.z0, one.rule.K, good, wild) == np.inf
    nan = np.full_like(one.rule.m, np.nan)
    assert one.upper(one.rule.z0, one.rule.K, good, nan) == np.inf
