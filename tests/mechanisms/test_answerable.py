"""`design(..., measure=W)`: what a rule measures, how it compares, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.certified.checks import check_feasibility, check_privacy, check_public
from tests.certified.programs import neighbours, of_instance
from tests.certified.stored import read

import privopt as po
from privopt.errors import CombinationError, InfeasibleError, InputError, NotImplementableError
from privopt.kernel.instrument import Instrument

NOISE = po.Laplace(epsilon=1.0, alpha=0.1)
CUT = po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=0.1)
BOX = po.ExactBox(eta=0.05)


def rule(name: str = "14_ieee", seed: int = 1, **more: Any) -> po.Policy:
    one = po.experiments.instance(name, seed)
    total = {"total": list(range(len(one.program.private)))}
    asked = {"privacy": NOISE, "feasibility": BOX, "measure": total, "domain": one.domain, **more}
    return po.design(one.program, one.query, **asked)


def test_one_value_of_one_entry_is_a_policy_as_before() -> None:
    """p = q = 1: noise on the entry, times T, is noise of level T on the value."""
    program = po.ConvexProgram(
        linear=[1.0, 3.0], quadratic=[0.5, 0.2], G=[[1.0, 1.0]], lower=0.0, upper=[2.5, 4.0]
    )
    asked = {"domain": po.Box(1.0, 3.0), "fidelity": 1.0}
    for kind in (BOX, po.Analytic(eta=0.05), po.Analytic(eta=0.05, margin="unimodal")):
        known = po.design(program, po.Identity([0]), NOISE, kind, **asked)
        found = po.design(program, po.Identity([0]), NOISE, kind, measure=[[1.0]], **asked)
        assert known.sensitivity > 0.1
        assert found.rule is not None
        assert found.cost == pytest.approx(known.cost, rel=1e-5)
        assert found.distance == pytest.approx(known.distance, rel=1e-3)
        assert abs(found.rule.slope[0, 0]) == pytest.approx(known.sensitivity, rel=1e-3)


def test_a_rule_on_what_a_policy_released_is_at_least_as_good() -> None:
    """W = S K of a policy: T = 1 is that policy, so the optimum is at most what it reaches."""
    one, weight = po.experiments.instance("14_ieee", 1), 30.0
    asked = {"domain": one.domain, "fidelity": weight}
    policy = po.design(one.program, one.query, NOISE, BOX, **asked)
    W = np.asarray(policy.S @ policy.gain)
    W = W[np.abs(W).max(axis=1) > 1e-6]
    found = po.design(one.program, one.query, NOISE, BOX, measure=W, **asked)

    def reached(one: po.Policy) -> float:
        return one.cost + weight * one.distance**2

    # The distance of a result is a mean over draws, that in the objective over the domain.
    assert reached(found) <= reached(policy) * (1 + 1e-4)


def test_a_total_tells_more_than_noise_on_every_value_and_costs_less() -> None:
    """39_epri, hardly congested: a tenth of the loss and a third of the error, or so."""
    one = po.experiments.instance("39_epri", 0)
    today = po.design(one.program, one.query, NOISE, BOX, domain=one.domain, fidelity=30.0)
    found = rule("39_epri", 0, fidelity=30.0)
    assert found.loss < 0.1 * today.loss
    assert found.distance < 0.35 * today.distance
    assert found.distance < 0.35 * (found.spread or 0.0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "noise", "limit"),
    [
        (po.Analytic(eta=0.1, scope="joint"), NOISE, 0.1),
        (po.ExactBox(eta=0.1), po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1), 0.1),
        (po.Joint(eta=0.1, beta=0.01), NOISE, 0.1),
        (po.SampledBox(eta=0.1, beta=0.1), NOISE, 0.1),
        (po.Scenario(eta=0.1, beta=0.1), NOISE, 0.1),
        (po.Always(), CUT, 0.0),
    ],
    ids=["rows", "box", "joint", "sampled", "scenario", "always"],
)
def test_limits_hold_at_the_worst_vertices(kind: Any, noise: Any, limit: float) -> None:
    """False alarms: 20 000 draws, four standard errors."""
    zones = {f"zone {k}": list(range(k, 14, 3)) for k in range(3)}
    policy = rule(
        seed=0, feasibility=kind, privacy=noise, measure=zones, fidelity=30.0, rng=0
    )  # fmt: skip
    assert policy.rule is not None
    seen = policy.verify(20_000)
    assert seen.violation.value <= limit + 4 * np.sqrt(limit / 20_000)
    assert seen.completion.value <= seen.violation.value
    d = np.random.default_rng(0).uniform(0.5, 1.0, 14)
    release = policy.release(d)
    done = policy.complete(d, release)
    np.testing.assert_allclose(np.asarray(policy.S @ done.z), release.values, atol=1e-6)


@pytest.mark.long
def test_distance_and_cost_are_those_of_simulated_releases() -> None:
    policy = rule(seed=0, fidelity=30.0)
    one, rng = po.experiments.instance("14_ieee", 0), np.random.default_rng(0)
    assert policy.rule is not None
    off: list[float] = []
    for _ in range(300):
        d = rng.uniform(0.5, 1.0, 14)
        xi = policy.unit.sample(rng, 1)[0]
        released = policy.rule.at(policy.kernel.map.gain @ d + xi)
        z = policy.affine.at(xi, d - 0.75)
        np.testing.assert_allclose(np.asarray(policy.S @ z), released, atol=1e-9)
        best = one.program.at(d).solve().z
        off.append(float(np.square(released - policy.S @ best).sum()))
    assert np.sqrt(np.mean(off)) == pytest.approx(policy.distance, rel=0.2)


def test_a_rule_is_made_of_public_data(tmp_path: Path) -> None:
    one = po.experiments.instance("5_pjm", 0)
    places = iter(("first", "second"))

    def make(d: np.ndarray) -> Path:
        path = tmp_path / next(places)
        program = one.program.at(d)
        po.design(
            program, one.query, NOISE, BOX, domain=one.domain, measure=np.ones((1, 5)),
            fidelity=10.0,
        ).save(path)  # fmt: skip
        return path

    check_public(make, np.full(5, 0.5), np.linspace(0.6, 1.0, 5))


def test_neighbours_of_a_network_are_within_the_charge(tmp_path: Path) -> None:
    one = po.experiments.instance("14_ieee", 0)
    W = np.random.default_rng(0).normal(size=(3, 14))
    case = of_instance(one, CUT, po.Always(), fidelity=30.0, measure=W)
    case.design().save(tmp_path / "rule.json")
    pairs = neighbours(read(tmp_path / "rule.json"), np.random.default_rng(1))
    assert check_privacy(tmp_path / "rule.json", pairs) > 1 - 1e-9
    check_feasibility(tmp_path / "rule.json", case)


def test_an_instrument_is_measured_as_it_is() -> None:
    one = po.experiments.instance("14_ieee", 1)
    instrument = Instrument(
        {"total": list(range(14))}, program=one.program, privacy=NOISE, domain=one.domain
    )
    found, known = rule(measure=instrument), rule()
    assert found.to_dict() == known.to_dict()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"privacy": po.Laplace(epsilon=0.5, alpha=0.1)}, "other noise"),
        ({"domain": po.Box(0.4, 1.0)}, "another domain"),
    ],
)
def test_an_instrument_of_another_design_is_refused(change: dict[str, Any], words: str) -> None:
    one = po.experiments.instance("14_ieee", 1)
    instrument = Instrument(
        {"total": list(range(14))}, program=one.program, privacy=NOISE, domain=one.domain
    )
    with pytest.raises(CombinationError, match=words):
        rule(measure=instrument, **change)


@pytest.mark.parametrize(
    ("W", "words"),
    [
        ({"a": ["nobody"]}, "nobody"),
        ({"a": []}, "no entry"),
        ({"a": [0, 0]}, "twice"),
        (np.ones((1, 13)), "13 columns"),
        (np.zeros((1, 14)), "no entry"),
        (np.full((1, 14), np.nan), "NaN|finite|number"),
        ("total", "W|matrix"),
    ],
)
def test_a_measure_that_is_none_is_refused(W: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        rule(measure=W)


@pytest.mark.parametrize("more", [{"floor": 1.0}, {"structure": po.Shared(2)}])
def test_a_level_and_a_structure_make_no_sense_beside_it(more: dict[str, Any]) -> None:
    with pytest.raises(CombinationError, match="measure="):
        rule(**more)


@pytest.mark.parametrize("W", [{}, np.zeros((0, 14))])
def test_a_measure_without_sums_leads_to_a_constant(W: Any) -> None:
    policy = rule(measure=W)
    assert policy.rule is None
    assert policy.calibration is None
    assert policy.release(np.full(14, 0.7)).epsilon == 0.0


def test_a_sum_that_tells_nothing_is_not_charged() -> None:
    """What is released does not depend on the second entry: the rule is a constant, and free."""
    program = po.ConvexProgram(
        linear=[1.0, 1.0, 1.0, 1.0], quadratic=[1.0, 1.0, 1.0, 1.0],
        G=[[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]], lower=-9.0, upper=9.0,
    )  # fmt: skip
    asked = {"domain": po.Box(1.0, 2.0), "fidelity": 10.0}
    blind = po.design(program, po.Identity([0]), NOISE, BOX, measure=[[0.0, 1.0]], **asked)
    seeing = po.design(program, po.Identity([0]), NOISE, BOX, measure=[[1.0, 0.0]], **asked)
    assert blind.calibration is None
    assert seeing.calibration is not None


def test_values_without_room_for_noise_of_their_own() -> None:
    """z0 + z1 is fixed by public data: both cannot carry noise, and need not."""
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 1.0, 0.5], quadratic=[1.0, 0.5, 1.0, 0.3],
        G=[[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 1.0]], d=[3.0, 0.0], private=[1],
        lower=-9.0, upper=9.0,
    )  # fmt: skip
    query, asked = po.Identity([0, 1]), {"domain": po.Box(1.0, 2.0), "fidelity": 10.0}
    with pytest.raises(NotImplementableError):
        po.design(program, query, NOISE, BOX, **asked)
    policy = po.design(program, query, NOISE, BOX, measure=[[1.0]], **asked)
    assert policy.rule is not None
    np.testing.assert_allclose(policy.rule.slope[0], -policy.rule.slope[1], rtol=1e-9)
    release = policy.release([3.0, 1.5])
    assert release.values.sum() == pytest.approx(3.0, abs=1e-9)
    done = policy.complete([3.0, 1.5], release)
    np.testing.assert_allclose(done.z[:2], release.values, atol=1e-6)


def test_a_value_that_the_data_fix_is_refused() -> None:
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 1.0], quadratic=[1.0, 0.5, 1.0], G=[[1.0, 1.0, 0.0]],
        lower=-9.0, upper=9.0,
    )  # fmt: skip
    with pytest.raises(NotImplementableError, match="fix") as error:
        po.design(
            program, po.Sum({"both": [0, 1], "other": [2]}), NOISE, BOX, domain=po.Box(1.0, 2.0),
            measure=[[1.0]],
        )  # fmt: skip
    assert "both" in str(error.value)
    assert "other" not in error.value.released


@pytest.mark.long
def test_a_distance_can_be_asked_for() -> None:
    cheap = rule("39_epri", 0)
    near = rule("39_epri", 0, fidelity=po.Within(0.8 * cheap.distance))
    assert 0.7 * cheap.distance < near.distance <= 0.8 * cheap.distance
    assert near.loss >= cheap.loss - 1e-9


def test_a_front_of_rules() -> None:
    one = po.experiments.instance("14_ieee", 0)
    total = {"total": list(range(14))}
    front = po.pareto(
        one.program, one.query, NOISE, BOX, domain=one.domain, measure=total, points=4
    )
    assert len(front) > 1
    assert all(policy.rule is not None for policy in front.policies)
    with pytest.raises(CombinationError, match="measure="):
        po.pareto(one.program, one.query, NOISE, BOX, domain=one.domain, measure=total, floor=1.0)


def test_what_would_do_where_there_is_no_rule() -> None:
    program = po.ConvexProgram(
        linear=[1.0, 1.0], quadratic=[1.0, 1.0], G=[[1.0, 1.0]], lower=0.0, upper=[1.2, 0.9]
    )
    asked = {"domain": po.Box(1.0, 2.0), "measure": [[1.0]]}
    # 1.1 <= z0 where the total is 2, z0 <= 1 where it is 1: no constant will do.
    query = po.Identity([0])
    with pytest.raises(InfeasibleError, match="epsilon="):
        po.design(program, query, po.Laplace(epsilon=0.05, alpha=1.0), BOX, **asked)
