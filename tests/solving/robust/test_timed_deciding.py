"""Values for a horizon: what is found holds at every corner that is looked at."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solving.robust import timed_cases
from tests.solving.robust.timed_cases import Horizon

from privopt.solving.problem import Outcome
from privopt.solving.robust.timed_deciding import TimedDecided, timed_decided


def corners(one: Horizon, count: int = 400) -> np.ndarray:
    """Points of the region, many at its edges."""
    rng, region = np.random.default_rng(0), one.region
    u = region.half * np.sign(rng.normal(size=(count, len(region.half))))
    for _ in range(50):  # towards the slabs, which corners of the box may lie outside of
        off = np.clip(u @ region.W.T, region.low, region.high) - u @ region.W.T
        u = u + off @ (region.W / (region.W**2).sum(axis=1)[:, None])
        u = np.clip(u, -region.half, region.half)
    return u[region.holds(region.middle + 0.999999 * u)]


def decided(one: Horizon) -> TimedDecided:
    found = timed_decided(one.choice, one.gains, one.region)
    assert isinstance(found, TimedDecided)
    return found


@pytest.mark.parametrize("which", ["network", "inventory"])
def test_the_certificate_holds_all_over_the_region(which: str) -> None:
    one: Horizon = getattr(timed_cases, which)()
    found, program, gains = decided(one), one.choice, one.gains
    u = corners(one)
    assert len(u) > 20
    z = found.choice.z + np.asarray(found.K @ u.T).T
    targets = one.targets(one.region.middle + u)
    np.testing.assert_allclose(np.asarray(gains.G @ z.T).T, targets, atol=1e-7)
    released, q = np.asarray(gains.S @ z.T).T, np.tile(found.choice.q, (len(u), 1))
    np.testing.assert_allclose(released, q, atol=1e-7)
    over = np.asarray(program.A @ z.T).T - program.limits
    assert over.max() <= 1e-7
    slopes = (gains.A @ found.K).toarray()
    np.testing.assert_allclose(one.region.bound(slopes, found.m), found.margin, atol=1e-9)


def test_a_stock_that_must_follow_is_found() -> None:
    one = timed_cases.inventory()
    K = decided(one).K.toarray()
    timed = one.gains.timed
    assert np.abs(K[timed.variables == -1]).max() > 0.1


def test_without_enough_room_there_is_none() -> None:
    one = timed_cases.inventory(room=0.5)
    assert timed_decided(one.choice, one.gains, one.region) is Outcome.INFEASIBLE


def test_more_room_costs_less() -> None:
    """A region inside another one leaves more room for values, so they cost no more."""
    wide, narrow = (timed_cases.network(3, share=share, width=4 * share) for share in (0.1, 0.02))
    draws = narrow.draws
    costs: list[float] = []
    for one in (wide, narrow):
        same = Horizon(one.program, one.S, one.region, draws)
        costs.append(decided(same).choice.value)
    assert costs[1] <= costs[0] + 1e-6


def test_another_gain_is_tried_where_it_may_save_something() -> None:
    one = timed_cases.network(3, share=0.1, width=0.4)
    found = decided(one)
    assert found.gains >= 1
    assert found.open >= -1e-9
