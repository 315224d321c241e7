"""The lower end: the least cost over a region, and never more, whatever the multipliers are."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from tests.solving.robust.cost_parts import parts, true_ends

SEEDS = (0, 1, 2, 4, 5, 7)  # no cost is curved in 0 and 4; others have a dense C2


@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_the_least_cost_over_the_region(seed: int) -> None:
    one = parts(seed)
    least, most = true_ends(one)
    found = one.lower(one.multipliers, most + 1.0)
    assert found <= least + 1e-8
    assert found == pytest.approx(least, abs=1e-6 * (1 + most - least))


@pytest.mark.parametrize("seed", SEEDS)
def test_no_multipliers_prove_too_much(seed: int) -> None:
    """Changed at random, some of them, by little or by much: never above the least cost."""
    one, rng = parts(seed), np.random.default_rng(seed)
    least, most = true_ends(one)
    names = [field.name for field in fields(one.multipliers)]
    proven = 0
    for _ in range(24):
        changed = one.multipliers
        for name in rng.choice(names, 2, replace=False):
            value = getattr(changed, name)
            step = 10.0 ** rng.uniform(-9, 1) * rng.normal(size=len(value))
            changed = replace(changed, **{name: value + step})
        found = one.lower(changed, most + 1.0)
        assert found <= least + 1e-8
        proven += found > -np.inf
    assert proven > 2


def test_what_is_no_multiplier_proves_nothing() -> None:
    one = parts(1)
    cap = true_ends(one)[1] + 1.0
    good = one.multipliers
    below = good.rows.copy()
    below[0] = -1e-300
    for bad in (
        replace(good, rows=below),
        replace(good, equalities=np.full_like(good.equalities, np.nan)),
        replace(good, tangents=np.full_like(good.tangents, np.inf)),
    ):
        assert one.lower(bad, cap) == -np.inf
    assert np.isfinite(one.lower(good, cap))


def test_without_a_cap_what_is_bounded_is_enough() -> None:
    """These variables have bounds of their own: the cap is not needed."""
    one = parts(2)
    least, most = true_ends(one)
    assert one.lower(one.multipliers, np.inf) == pytest.approx(least, abs=1e-5 * (1 + most - least))
