"""The cheapest affine rule: against the same program in plain CVXPY, with and without rank."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from tests.mechanisms.measured.cost_cases import solved
from tests.solving.robust.cost_parts import Parts, parts, true_ends

from privopt.solving.robust import cheapest
from privopt.solving.robust.region import Region


def _worst(a: Any, region: Region) -> Any:
    """The worst case of each row of a over the region: a dual with its own variables."""
    if not len(region.W):
        return cp.abs(a) @ region.half
    up, down = (cp.Variable((a.shape[0], len(region.W)), nonneg=True) for _ in range(2))
    rest = cp.abs(a - (up - down) @ region.W) @ region.half
    return rest + up @ region.high - down @ region.low


def plain(one: Parts) -> float:
    """The least worst-case cost of affine rules, for a linear cost."""
    program, region = one.program, one.region
    q = len(region.half)
    z0, K = cp.Variable(program.n), cp.Variable((program.n, q))
    A, b, G = program.rows.matrix.toarray(), program.rows.bound, program.equalities.matrix
    rows = [
        G @ z0 == one.task.data.target(region.middle), one.task.data.F.toarray() == G @ K,
        A @ z0 + _worst(A @ K, region) <= b,
    ]  # fmt: skip
    c = program.linear[None]
    worst = c @ z0 + _worst(c @ K, region)
    return program.constant + solved(cp.Problem(cp.Minimize(cp.sum(worst)), rows))


@pytest.mark.parametrize("seed", [0, 4, 12, 20])
def test_of_a_linear_cost_it_is_the_best_affine_rule(seed: int) -> None:
    one = parts(seed)
    assert not len(one.squares)
    found = one.upper(one.rule.z0, one.rule.K, one.chords)
    assert found == pytest.approx(plain(one), abs=1e-5)


@pytest.mark.parametrize("seed", [1, 2, 5, 6])
def test_of_a_quadratic_cost_it_is_near_the_true_one(seed: int) -> None:
    one = parts(seed)
    least, most = true_ends(one)
    assert one.upper(one.rule.z0, one.rule.K, one.chords) <= most + 0.08 * (most - least)


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1, 2, 6, 9])
def test_a_large_program_follows_what_was_measured(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K = K_0 + L W: dearer than all gains, and as true."""
    whole = parts(seed)
    best = whole.upper(whole.rule.z0, whole.rule.K, whole.chords)
    monkeypatch.setattr(cheapest, "FULL", 0)
    one = parts(seed)
    found = one.upper(one.rule.z0, one.rule.K, one.chords)
    assert found >= best - 1e-5 * (1 + abs(best))
    assert found >= true_ends(one)[1] - 1e-8
    assert np.isfinite(found)
