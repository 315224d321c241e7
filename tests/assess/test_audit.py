"""Audits: no more false alarms than the confidence allows, and what leaks is found."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, norm
from tests.assess.drawing import Draw, one_by_one
from tests.cases import toy
from tests.report.plots.reading import drawn, of_class, texts

import privopt as po
from privopt.arrays import Vector
from privopt.assess import Audit, audit
from privopt.errors import InputError
from privopt.noise import secure

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)


KEPT = po.Analytic(eta=0.025, margin="unimodal")


SURE = 1 - 1e-9  # where the noise takes no seed: such a test fails once in 10^9 runs


def coin(rng: np.random.Generator) -> Draw:
    """Randomised response: the truth with probability e / (1 + e), epsilon 1."""
    return lambda d, n: np.where(rng.random(n) < math.e / (1 + math.e), d, 1 - d)


def geometric(rng: np.random.Generator) -> Draw:
    """Discrete Laplace noise, the difference of two geometric ones: epsilon 1 for 0 and 1."""
    return lambda d, n: d + rng.geometric(1 - 1 / math.e, n) - rng.geometric(1 - 1 / math.e, n)


def on_a_grid(rng: np.random.Generator) -> Draw:
    """Laplace noise on a grid that holds 0 and 1: no bit tells them apart."""
    return lambda d, n: d + np.round(np.ldexp(rng.laplace(size=n), 20)) / 2**20


def vector(rng: np.random.Generator) -> Draw:
    """Four values, each moved by a quarter: epsilon 1 in all."""
    return lambda d, n: d / 4 + np.round(np.ldexp(rng.laplace(size=(n, 4)), 20)) / 2**20


def same(rng: np.random.Generator) -> Draw:
    """Whatever d is: epsilon 0."""
    return lambda d, n: rng.normal(size=n)


@pytest.mark.long
@pytest.mark.parametrize(
    ("make", "true"), [(coin, 1.0), (geometric, 1.0), (on_a_grid, 1.0), (vector, 1.0), (same, 0.0)]
)
def test_false_alarms_are_as_rare_as_promised(make: Any, true: float) -> None:
    # 200 audits at confidence 90%: more alarms than this have probability 1e-3 if 10% is the truth.
    allowed = int(binom.ppf(1 - 1e-3, 200, 0.1))
    release = one_by_one(make(np.random.default_rng(1)))
    found = [audit(release, 0.0, 1.0, samples=400, confidence=0.9).epsilon for _ in range(200)]
    assert sum(epsilon > true + 1e-9 for epsilon in found) <= allowed < 40


def test_gaussian_noise_stays_below_its_own_curve() -> None:
    def excess(epsilon: float) -> float:
        return norm.cdf(0.5 - epsilon) - math.exp(epsilon) * norm.cdf(-0.5 - epsilon) - 0.01

    true = float(brentq(excess, 0, 10))
    rng = np.random.default_rng(3)
    release = one_by_one(lambda d, n: d + np.round(np.ldexp(rng.normal(size=n), 20)) / 2**20)
    found = audit(release, 0.0, 1.0, samples=40_000, delta=0.01)
    assert 0.75 * true < found.epsilon <= true
    less, more = (audit(release, 0.0, 1.0, samples=40_000, delta=x).epsilon for x in (0.2, 0.0))
    assert less < found.epsilon < more


@pytest.mark.long
@pytest.mark.parametrize(("make", "least"), [(on_a_grid, 0.95), (geometric, 0.95), (coin, 0.96)])
def test_the_bound_comes_near_the_truth(make: Any, least: float) -> None:
    found = audit(one_by_one(make(np.random.default_rng(4))), 0.0, 1.0, samples=100_000)
    assert least < found.epsilon <= 1.0


def test_more_releases_show_more() -> None:
    release = one_by_one(on_a_grid(np.random.default_rng(5)))
    found = [audit(release, 0.0, 1.0, samples=n).epsilon for n in (200, 2000, 20_000)]
    assert found == sorted(found)


def test_a_score_sees_what_no_coordinate_shows() -> None:
    rng = np.random.default_rng(6)
    release = one_by_one(
        lambda d, n: d / 8 + np.round(np.ldexp(rng.laplace(size=(n, 20)), 20)) / 2**20
    )
    found = audit(release, 0.0, 1.0, samples=20_000)
    assert 0.6 < found.epsilon <= 2.5  # a coordinate alone has 0.125
    assert "score of the vector" in found.event


@pytest.mark.long
@pytest.mark.parametrize(("low", "high", "scale"), [(0.0, 1.0, 1.0), (0.0, 0.1, 0.1)])
def test_noise_in_floating_point_is_caught_by_its_low_bits(
    low: float, high: float, scale: float
) -> None:
    rng = np.random.default_rng(7)
    naive = one_by_one(lambda d, n: d + rng.laplace(scale=scale, size=n))
    found = audit(naive, low, high, samples=40_000, claimed=1.0)
    assert found.epsilon > 6
    assert found.refuted
    assert "not a multiple of 2^-" in found.event
    assert found.at_d_prime.value == 0
    k = secure.grid_exponent(scale, None)
    sound = one_by_one(lambda d, n: secure.laplace(np.full(n, d), scale, k))
    charge = secure.laplace_charge(1, scale, k, high - low)
    kept = audit(sound, low, high, samples=40_000, claimed=charge, confidence=SURE)
    assert 0.7 < kept.epsilon <= charge
    assert not kept.refuted
    assert "confidence 99.9999999%" in repr(kept)


def witness() -> tuple[Any, po.assess.Witness]:
    drawn = po.experiments.instance("3_lmbd", 2)
    found = po.assess.lower_bound(
        drawn.program, drawn.query, LAPLACE, KEPT, domain=drawn.domain, tries=30
    )
    return drawn, found.witness


@pytest.mark.long
def test_the_paper_is_refuted_and_a_measurement_is_not() -> None:
    drawn, pair = witness()
    solved = 0

    def paper(d: Vector) -> po.Plan:
        nonlocal solved
        solved += 1
        return po.solve(drawn.program.at(d), drawn.query, LAPLACE, KEPT)

    found = audit(paper, pair.d, pair.neighbour, samples=8_000, confidence=SURE)
    assert solved == 2
    assert found.refuted
    assert found.claimed == pytest.approx(1.0)
    assert found.epsilon < 1.7
    assert "p[1]" in found.event
    sums = {"total": drawn.program.private_names}
    instrument = po.Instrument(sums, program=drawn.program, privacy=LAPLACE, domain=drawn.domain)
    assert instrument.calibration is not None
    kept = audit(instrument, pair.d, pair.neighbour, samples=8_000, confidence=SURE)
    assert kept.claimed == instrument.calibration.epsilon
    assert 0.3 < kept.epsilon < instrument.calibration.epsilon
    assert not kept.refuted


def test_a_constant_is_not_refuted() -> None:
    found = audit(lambda _: 3.0, [0.5] * 5, [0.6, *[0.5] * 4], samples=100, claimed=0.0)
    assert (found.epsilon, found.claimed, found.refuted) == (0.0, 0.0, False)
    found.plot()


def test_whoever_publishes_the_answer_now_and_then_is_caught() -> None:
    rng = np.random.default_rng(9)
    release = one_by_one(
        lambda d, n: np.where(rng.random(n) < 0.1, d, np.round(rng.normal(size=n), 9))
    )
    found = audit(release, 0.25, 0.26, samples=10_000)
    assert found.epsilon > 3
    assert found.event in ("y = 0.25", "y = 0.26")
    at = audit(release, 0.25, 0.26, samples=10_000, delta=0.12)
    assert at.epsilon < 0.1


def test_what_the_releases_claim() -> None:
    noise = po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1)
    plan = po.solve(toy(), po.Identity(["x"]), noise, po.Analytic(eta=0.05))
    claimed = plan.calibration.epsilon
    found = audit(lambda d: plan.release(), 0, 1, samples=100)
    assert (found.delta, found.claimed) == (1e-5, claimed)
    assert audit(lambda d: plan.release(), 0, 1, samples=100, delta=1e-4).claimed == claimed
    strict = audit(lambda d: plan.release(), 0, 1, samples=100, delta=0)
    assert (strict.delta, strict.claimed, strict.refuted) == (0.0, None, False)
    assert "Nothing is claimed" in strict.verdict
    assert audit(lambda d: plan.release(), 0, 1, samples=100, claimed=3).claimed == 3


def shown(samples: int = 2000) -> Audit:
    return audit(one_by_one(coin(np.random.default_rng(0))), 0.0, 1.0, samples=samples, claimed=0.1)


def test_the_bound_is_that_of_the_two_intervals() -> None:
    found = shown()
    pair = (found.at_d, found.at_d_prime)
    first, second = pair if found.direction == "d" else pair[::-1]
    assert found.epsilon == math.log(first.interval[0] / second.interval[1])
    assert found.at_d.samples == 1000
    assert found.at_d.confidence == 0.99


def test_an_audit_says_what_it_can_and_cannot() -> None:
    found = shown()
    assert found.refuted
    assert "REFUTED" in repr(found)
    for text in (repr(found), found.summary()):
        assert "n audit can refute a claim, never prove one" in text
    assert found.event in found.summary()
    plain = json.loads(json.dumps(found.to_dict()))
    assert (plain["epsilon"], plain["refuted"]) == (found.epsilon, True)
    assert plain["at_d"]["value"] == found.at_d.value
    calm = audit(lambda d: 3.0, 0, 1, samples=100, claimed=1)
    assert "NOT REFUTED" in calm.summary()
    assert "not refuted" in repr(calm)


def test_the_repr_holds_nothing_of_the_data() -> None:
    rng = np.random.default_rng(0)
    found = audit(lambda d: d + rng.laplace(), 731.25, 732.25, samples=1000)
    assert "73" not in repr(found)


@pytest.mark.parametrize("make", [coin, on_a_grid, vector, same])
def test_a_picture_of_both(make: Any) -> None:
    found = audit(one_by_one(make(np.random.default_rng(1))), 0.0, 1.0, samples=4000)
    assert len(of_class(drawn(found.plot()), "shares")) == 2
    bars, region = found.histograms, found.histograms.region
    assert all(0.95 < shares.sum() <= 1.00001 for shares in (bars.shares, bars.others))
    assert region[0] < region[1]
    middles = 0.5 * (bars.edges[1:] + bars.edges[:-1])
    inside = (region[0] < middles) & (middles < region[1])
    assert bars.shares[inside].sum() == pytest.approx(found.at_d.value, abs=0.01)
    assert bars.others[inside].sum() == pytest.approx(found.at_d_prime.value, abs=0.01)


def test_a_picture_of_low_bits() -> None:
    rng = np.random.default_rng(0)
    found = audit(lambda d: d + rng.laplace(), 0.0, 1.0, samples=10_000)
    bars = found.histograms
    assert bars.label == "last bit of y"
    assert "2⁻⁵³" in bars.ticks
    inside = bars.edges[1:] <= bars.region[1]
    assert bars.shares[inside].sum() == pytest.approx(found.at_d.value)
    written = texts(drawn(found.plot()))
    assert "the event" in written
    assert "last bit of y, where" in " ".join(written)


@pytest.mark.parametrize("values", [[0.0, 1e-300], [1e59, -1e59], [0.0, 5e-324], [1.0, 1.0]])
def test_numbers_of_any_size(values: list[float]) -> None:
    rng = np.random.default_rng(0)
    found = audit(lambda d: rng.choice(values, size=3) * (1 - d), 0.0, 1.0, samples=400)
    assert math.isfinite(found.epsilon)
    assert "nan" not in found.plot().svg


def test_heavy_tails_and_many_values() -> None:
    rng = np.random.default_rng(0)
    heavy = one_by_one(lambda d, n: (d + rng.standard_cauchy(n)) ** 15)
    assert audit(heavy, 0.0, 9.0, samples=4000).epsilon > 1
    wide = audit(lambda d: d + rng.normal(size=300), 0.0, 0.5, samples=400)
    assert wide.epsilon > 1
    wide.plot()


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    audit(lambda d: 0.0, 0, 1, samples=1200, progress=lambda *now: told.append(now))
    assert told == sorted(told)
    assert told[-1] == (2400, 2400)


@pytest.mark.parametrize(
    "bad",
    [
        {"samples": 99}, {"samples": 1e4}, {"samples": "many"}, {"confidence": 1.0},
        {"confidence": 0}, {"confidence": None}, {"delta": -0.1}, {"delta": 1.0}, {"claimed": -1},
        {"claimed": math.nan},
    ],
)  # fmt: skip
def test_bad_numbers_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        audit(lambda d: d, 0.0, 1.0, **bad)
    assert next(iter(bad)) in caught.value.got


def test_what_only_the_choosing_half_shows_counts_for_nothing() -> None:
    """Data that are told apart by their first 500 releases, and by none of the others."""
    made = {0.0: 0, 1.0: 0}

    def mechanism(d: float) -> float:
        made[d] += 1
        return d if made[d] <= 500 else 0.0

    found = po.audit(mechanism, 0.0, 1.0, samples=1000, claimed=0.0)
    assert found.epsilon == 0.0
    assert not found.refuted
