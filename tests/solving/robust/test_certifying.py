"""Certificates of values: excess and slope against a plain linear program in CVXPY."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from tests.solving.robust.cases import Scaled
from tests.solving.robust.test_deciding import Case, case

import privopt as po
from privopt.arrays import Vector
from privopt.solving.robust.certifying import Warrant
from privopt.solving.robust.region import Region

NEAR = 1e-4  # the weight that makes z0 and K unique
SEEDS = range(8)  # without slabs, with a total, with overlapping rows, with single entries


def least_excess(one: Case, made: Scaled, q: Vector) -> tuple[float, float]:
    """The least s with A z0 + margin <= limits + s sizes for some z0, K and multipliers.

    And how long these z0 and K are, squared.
    """
    region, small = one.region, made.small
    A, G, S = small.A.toarray(), made.scaling.independent(one.program).toarray(), made.query
    n, entries, r = A.shape[1], len(region.half), len(region.W)
    z0, K, s = cp.Variable(n), cp.Variable((n, entries)), cp.Variable(nonneg=True)
    m = cp.Variable((len(A), r)) if r else None
    margin = cp.abs(A @ K - (0 if m is None else m @ region.W)) @ region.half
    if m is not None:  # m+'high - m-'low, written so that it is seen to be convex
        centre, wide = 0.5 * (region.low + region.high), 0.5 * (region.high - region.low)
        margin = margin + m @ centre + cp.abs(m) @ wide
    model = cp.Problem(
        cp.Minimize(s),
        [
            G @ z0 == made.middle,
            G @ K == made.F,
            S.toarray() @ z0 == q,
            S.toarray() @ K == 0,
            A @ z0 + margin <= small.limits + s * small.sizes,
        ],
    )
    value = float(model.solve(solver=cp.CLARABEL))
    assert z0.value is not None
    assert K.value is not None
    length = np.square(z0.value).sum() + np.square(K.value * region.half).sum()
    return value, float(length)


def values(one: Case, made: Scaled, rng: np.random.Generator, far: float) -> Vector:
    return made.unit * (one.answer + far * rng.normal(size=len(one.answer)))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_excess_is_nearly_that_of_the_linear_program_and_not_above(seed: int) -> None:
    one, rng = case(seed), np.random.default_rng(seed)
    made = Scaled.of(one.program, one.S, one.region.middle)
    certifier = made.certifier(one.region)
    for far in (0.1, 1.0, 3.0):  # one after the other: what was found out serves the next
        q = values(one, made, rng, far)
        found = certifier.at(q)
        assert isinstance(found, Warrant)
        wanted, _ = least_excess(one, made, q)
        assert 0.8 * wanted - 2e-7 <= found.excess <= wanted + 2e-7
        assert found.holds == (wanted < 4e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_value_has_less_excess_than_the_slope_says(seed: int) -> None:
    one, rng = case(seed), np.random.default_rng(seed)
    made = Scaled.of(one.program, one.S, one.region.middle)
    q = values(one, made, rng, 1.0)
    found = made.certifier(one.region).at(q)
    assert isinstance(found, Warrant)
    for far in (0.05, 0.5, 2.0):
        other = q + far * rng.normal(size=len(q))
        said = found.excess + float(found.slope @ (other - q))
        least, length = least_excess(one, made, other)
        assert said <= least + 0.5 * NEAR * length + 1e-6


def certified(one: Case, made: Scaled, rng: np.random.Generator) -> tuple[Vector, Warrant]:
    """Values that have a certificate: nearer and nearer to the answer until some have."""
    certifier = made.certifier(one.region)
    for far in 0.8 ** np.arange(40):
        q = values(one, made, rng, float(far))
        found = certifier.at(q)
        assert isinstance(found, Warrant)
        if found.holds:
            return q, found
    pytest.fail("no values have a certificate")


@pytest.mark.parametrize("seed", SEEDS)
def test_the_certificate_is_one(seed: int) -> None:
    """Equalities, released values and rows, at the middle and for every u of the region."""
    one, rng = case(seed), np.random.default_rng(seed)
    made = Scaled.of(one.program, one.S, one.region.middle)
    q, found = certified(one, made, rng)
    small, region = made.small, one.region
    z0 = small.lift(found.x[None], made.middle[None])[0]
    K = small.lift(found.K.T, made.F.T).T
    G = made.scaling.independent(one.program)
    np.testing.assert_allclose(np.asarray(G @ z0), made.middle, atol=1e-9)
    np.testing.assert_allclose(np.asarray(G @ K), made.F, atol=1e-9)
    np.testing.assert_allclose(np.asarray(made.query @ z0), q, atol=1e-9)
    np.testing.assert_allclose(np.asarray(made.query @ K), 0, atol=1e-9)
    worst = region.support(np.asarray(small.A @ K))[0].tolist()
    over = np.asarray(small.A @ z0) + worst - small.limits
    assert (over <= (found.excess + 1e-7) * small.sizes).all()


def test_values_that_the_data_decide_cannot_be_chosen_before() -> None:
    """z_0 = d_0 is released: no K has both G K = F and S K = 0."""
    program = po.ConvexProgram(
        linear=[1.0, 1.0], G=[[1.0, 0.0], [1.0, 1.0]], d=[1.0, 3.0], lower=0, upper=9
    )
    region = Region.of(
        np.array([0.5, 2.0]), np.array([1.5, 4.0]), np.zeros((0, 2)), np.zeros(0), np.zeros(0)
    )
    assert not Scaled.of(program, np.eye(2)[:1], region.middle).certifier(region).possible
    other = Scaled.of(program, np.zeros((0, 2)), region.middle).certifier(region)
    assert other.possible


def test_the_smallest_gain_is_where_it_begins_unless_another_is_given() -> None:
    one = case(1)
    made = Scaled.of(one.program, one.S, one.region.middle)
    q = made.unit * one.answer
    first = made.certifier(one.region).at(q)
    assert isinstance(first, Warrant)
    again = made.certifier(one.region)
    again.gain = first.K
    again.__post_init__()
    second = again.at(q)
    assert isinstance(second, Warrant)
    assert second.holds == first.holds
    assert second.excess == pytest.approx(first.excess, rel=0.1, abs=1e-7)
