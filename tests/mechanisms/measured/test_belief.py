"""Where the data lie after a measurement: the promise itself, counted.

Counts are compared by Clopper and Pearson at a level of 1e-6: with these fixed seeds a test that is
right fails by chance less than once in 10^4 versions of itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.stats as st
from tests.mechanisms.measured import cases
from tests.mechanisms.measured.cases import Case, measured

import privopt as po
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.task import DecisionTask
from privopt.solving.problem import Outcome

LEVEL = 1e-6


def data(one: Case, rng: np.random.Generator) -> list[np.ndarray]:
    """Points of the domain: two vertices of its box (within its rows) and one at random."""
    lower, upper = one.domain.ends(len(one.program.private))
    W, low, high = one.domain.slabs(one.program.private_names)
    found = [cases.inside(one, rng)]
    for _ in range(200):
        u = np.where(rng.random(len(lower)) < 0.5, lower, upper)
        if (W @ u >= low).all() and (W @ u <= high).all():
            found.append(u)
        if len(found) == 3:
            break
    return found


def outside(one: Case, u: np.ndarray, count: int, rng: np.random.Generator) -> int:
    """How many simulated measurements leave u out of U(y): the slabs of one, moved along."""
    instruments = one.instruments
    start = [instrument.W @ u for instrument in instruments]
    base = Belief(tuple(instruments), tuple(start)).region(one.feasibility)
    assert base.holds(u[None])[0]
    left = np.zeros(count, dtype=bool)
    belief = Belief(tuple(instruments), tuple(start))
    for instrument, half in zip(instruments, belief.half_widths(one.feasibility), strict=True):
        noise = instrument.calibration
        if noise is not None:
            drawn = noise.scale * noise.law.sample(rng, (count, len(instrument.W)))
            left |= (np.abs(drawn) > half).any(axis=1)
    return int(left.sum())


@pytest.mark.parametrize(
    ("seeds", "count"),
    [(range(1, 7), 10_000), pytest.param(range(7, 21), 100_000, marks=pytest.mark.slow)],
)
def test_the_data_are_left_out_no_more_often_than_eta(seeds: range, count: int) -> None:
    for seed in seeds:
        one, rng = cases.case(seed), np.random.default_rng(seed)
        eta = getattr(one.feasibility, "eta", 0.0)
        for u in data(one, rng):
            bad = outside(one, u, count, rng)
            assert eta or not bad
            assert st.binom.sf(bad - 1, count, eta) > LEVEL if bad else True


def test_the_noise_does_leave_its_box_at_times() -> None:
    """So that the count says something: eta is nearly used up by one sum."""
    one, rng = cases.case(1), np.random.default_rng(1)
    bad = outside(one, cases.inside(one, rng), 10_000, rng)
    assert st.binom.cdf(bad, 10_000, one.feasibility.eta) > LEVEL


def test_real_measurements_hold_the_data_exactly_with_bounded_noise() -> None:
    """Rounding on grids included: secure noise, data anywhere, also beyond the box (clamped)."""
    rng = np.random.default_rng(0)
    one = replace(
        cases.case(3), privacy=po.TruncatedLaplace(epsilon=1.0, delta=0.3, alpha=1e-7),
        feasibility=po.Always(),
    )  # fmt: skip
    instrument = one.instruments[0]
    lower, upper = instrument.domain
    for _ in range(200):
        d = one.program.d.copy()
        u = rng.uniform(lower - 0.2, upper + 0.2)
        d[one.program.private] = u
        belief = Belief.of(instrument.measure(d), one.program)
        assert belief.region(po.Always()).holds(np.clip(u, lower, upper)[None])[0]


def test_half_widths_hold_what_rounding_moves() -> None:
    one = cases.case(3)
    for instrument in one.instruments:
        noise = instrument.calibration
        assert noise is not None
        (half,) = Belief((instrument,), (np.zeros(len(instrument.W)),)).half_widths(po.Always())
        assert (half >= noise.law.bound * noise.scale + instrument.rounding).all()
        assert (instrument.rounding > 0).all()


@pytest.mark.long
@pytest.mark.parametrize(
    ("seeds", "count"), [((3, 10), 15), pytest.param((17, 24, 31), 340, marks=pytest.mark.slow)]
)
def test_decisions_on_bounded_noise_can_always_be_completed(seeds: Any, count: int) -> None:
    """Secure noise, a real decision, and a completion by Clarabel through CVXPY."""
    for seed in seeds:
        one = replace(
            cases.case(seed), privacy=po.TruncatedLaplace(epsilon=1.0, delta=0.01, alpha=0.02),
            feasibility=po.Always(), fidelity=0.0,
        )  # fmt: skip
        rng, made = np.random.default_rng(seed), 0
        ends = one.domain.ends(len(one.program.private))
        belief = Belief(tuple(one.instruments), tuple(np.zeros(len(W)) for W in one.sums))
        task = DecisionTask(one.program, one.query, belief.everywhere, ends, po.Settings())
        for _ in range(count):
            d, points = one.program.d.copy(), data(one, rng)
            d[one.program.private] = points[int(rng.integers(len(points)))]
            belief = Belief.of([each.measure(d) for each in one.instruments], one.program)
            region = belief.region(one.feasibility)
            found = task.decided(region, task.draws(belief, 40, rng, within=region), 0.0)
            if isinstance(found, Outcome):
                continue
            made += 1
            known = cases.Plain(0.0, None, region, d[:, None])
            cases.objective(one, found[0], known)  # raises where there is no completion
        assert made


def test_an_empty_region_is_enlarged_by_y_alone() -> None:
    one = cases.case(1)
    instrument = one.instruments[0]
    middle = 0.5 * sum(instrument.domain)
    far = Belief((instrument,), (instrument.W @ middle + 50.0,))
    region = far.region(one.feasibility)
    assert not region.empty
    assert far.covered_by(region, one.feasibility)
    draws = far.draws(50, np.random.default_rng(0), within=region)
    assert len(draws) == 50
    assert region.holds(draws).mean() > 0.9


def test_a_region_that_leaves_something_out_is_no_cover() -> None:
    one, rng = cases.case(1), np.random.default_rng(1)
    measurements = one.simulated(cases.inside(one, rng), rng)
    belief = Belief.of(measurements, one.program)
    region = belief.region(one.feasibility)
    assert belief.covered_by(region, one.feasibility)
    assert not belief.covered_by(region, po.ExactBox(eta=0.05))
    assert not belief.covered_by(replace(region, half=0.999 * region.half), one.feasibility)
    assert not belief.covered_by(replace(region, high=region.high - 1e-9), one.feasibility)
    assert measured(one.instruments[0], cases.inside(one, rng), rng).values.shape == (1,)


def test_the_same_y_as_if_less_were_possible() -> None:
    """A larger epsilon, or a narrower domain about the same middle."""
    one = cases.case(6)  # several measurements
    belief = Belief.of(
        one.simulated(cases.inside(one, np.random.default_rng(0)), np.random.default_rng(1)),
        one.program,
    )
    sharper, narrower = belief.with_epsilon(2 * belief.epsilon), belief.narrowed(0.5)
    assert belief.epsilon == pytest.approx(3.0)
    assert [kind.privacy.epsilon for kind in sharper.instruments] == [2.0] * 3
    for mine, theirs in zip(
        belief.half_widths(one.feasibility), sharper.half_widths(one.feasibility), strict=True
    ):
        np.testing.assert_allclose(theirs, 0.5 * mine, rtol=1e-6)
    lower, upper = belief.domain
    np.testing.assert_allclose(narrower.domain[1] - narrower.domain[0], 0.5 * (upper - lower))
    np.testing.assert_allclose(sum(narrower.domain), lower + upper)
    assert (narrower.everywhere.half <= 0.5 * (upper - lower)).all()
    for other in (sharper, narrower):
        assert all(np.array_equal(a, b) for a, b in zip(other.values, belief.values, strict=True))
        assert other.measurements == ()  # no file may rest on it
