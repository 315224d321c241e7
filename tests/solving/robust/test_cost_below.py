"""The lower end: the least cost over a region, and never more, whatever the multipliers are."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.solving.robust.cost_parts import parts, true_ends

import privopt as po
from privopt.solving.robust.cost_below import Multipliers, lower_end
from privopt.solving.robust.region import Region
from privopt.solving.robust.squares import Squares

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


def test_equalities_that_follow_from_others_have_no_price() -> None:
    """x + y = u twice, 1e-12 apart: a large multiplier of the difference would prove anything."""
    program = po.ConvexProgram(
        linear=[1.0, 2.0], G=[[1.0, 1.0], [1.0, 1.0]], private=[0], lower=-5.0, upper=5.0
    )
    (follows,) = np.setdiff1d([0, 1], program.independent)
    region = Region.of(np.zeros(1), np.ones(1), np.zeros((0, 1)), np.zeros(0), np.zeros(0))
    target, F = region.middle[0] + np.array([0.0, 1e-12]), sp.csr_array(np.ones((2, 1)))
    squares, none = Squares.of(program.quadratic), np.zeros(0)

    def lower(n: Any) -> float:
        found = Multipliers(np.zeros(4), np.array(n), none, none, none)
        return lower_end(program, 0.0, squares, target, F, region, found, 50.0)

    one = np.eye(2)[1 - follows]
    assert lower(one) == pytest.approx(-5.0)  # x + y + y >= 0 - 5
    assert lower(one + 1e16 * np.array([-1.0, 1.0])) == -np.inf
    assert lower(one + 1e16 * np.array([1.0, -1.0])) == -np.inf


def test_slabs_taken_for_equalities_are_used_as_rows() -> None:
    """min 1e9 (x - y) with x - y from 1 to 1 + 1e-10 is 1e9, not 1e9 + 0.1: both signs of it."""
    for sign, value in ((1.0, 1e9), (-1.0, -1e9 - 0.1)):
        program = po.ConvexProgram(
            linear=[sign * 1e9, -sign * 1e9, 0], A=[[1.0, -1, 0], [-2, 2, 0]],
            b=[1 + 1e-10, -2.0], G=[[0, 0, 1.0]], lower=-9.0, upper=9.0,
        )  # fmt: skip
        region = Region.of(np.zeros(1), np.ones(1), np.zeros((0, 1)), np.zeros(0), np.zeros(0))
        target = np.array([region.middle[0], 1 + 1e-10])
        F, none = sp.csr_array(np.array([[1.0], [0.0]])), np.zeros(0)
        found = Multipliers(np.zeros(6), np.array([0.0, sign * 1e9]), none, none, none)
        squares = Squares.of(program.quadratic)
        lower = lower_end(program, 0.0, squares, target, F, region, found, 1e10)
        assert lower <= value
        assert lower == pytest.approx(value, abs=1e-5)
