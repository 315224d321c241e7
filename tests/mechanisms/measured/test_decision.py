"""Decisions as files, and what `check` sees of damage."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.measured import cases

import privopt as po
from privopt.errors import InputError
from privopt.kernel import wire

TOLERANCE = 1e-12

STATED = " as stated in its file"  # what a loaded certificate is, until it is checked


def decided(seed: int) -> po.Decision:
    one, rng = cases.case(seed), np.random.default_rng(seed)
    return one.decide(one.simulated(cases.inside(one, rng), rng))


@pytest.fixture(scope="module")
def decision() -> po.Decision:
    return decided(1)


@pytest.fixture(scope="module")
def plain(decision: po.Decision) -> Any:
    return json.loads(json.dumps(decision.to_dict()))


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1, 3, 4, 6])
def test_files_keep_every_byte(seed: int, tmp_path: Path) -> None:
    found = decided(seed)
    found.save(tmp_path / "a.json")
    again = po.Decision.load(tmp_path / "a.json")
    again.save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert again.check() == found.check()
    assert str(again).replace(STATED, "") == str(found)
    assert again.release().to_dict() == found.release().to_dict()
    assert found.check().excess <= 0


@pytest.mark.parametrize("demand", [5.05, 6.0])
def test_the_optimal_cost_has_the_mean_and_the_range_of_the_posterior(demand: float) -> None:
    """Of one entry both are sums over a fine grid: V(u) exp(-|y - u| / scale) on the domain.

    The mean lies within 4 standard errors; each end has the share of the posterior below it that
    4 standard errors of a binomial allow. Draws are independent; the seed is fixed.
    """
    program = po.ConvexProgram(linear=[1, 2, 3], quadratic=[0.5] * 3, G=[[1, 1, 1]], lower=0)
    noise, domain = po.Laplace(epsilon=0.5, alpha=0.1), po.Box(5.0, 7.0)
    instrument = po.Instrument({"demand": [0]}, program=program, privacy=noise, domain=domain)
    measured = cases.measured(instrument, np.array([demand]), np.random.default_rng(3))
    found = po.decide(program, po.Identity([0]), measured, po.ExactBox(eta=0.05)).optimal_cost
    u = np.linspace(5.0, 7.0, 4001)
    assert measured.release is not None
    assert instrument.calibration is not None
    chance = np.exp(-np.abs(measured.release.values[0] - u) / instrument.calibration.scale)
    chance /= chance.sum()
    # z = (t - c) / 2 q with multiplier t = (2 q u + sum c) / 3, q = 1/2, as long as z >= 0
    costs = (0.5 * ((u[:, None] + 6) / 3 - [1, 2, 3]) ** 2).sum(axis=1)
    costs += (((u[:, None] + 6) / 3 - [1, 2, 3]) * [1, 2, 3]).sum(axis=1)
    mean = float(chance @ costs)
    deviation = float(np.sqrt(chance @ (costs - mean) ** 2))
    assert abs(found.value - mean) <= 4 * deviation / np.sqrt(found.samples)
    for end, share in zip(found.interval, (0.025, 0.975), strict=True):
        below = float(chance[costs <= end].sum())
        assert abs(below - share) <= 4 * np.sqrt(0.025 * 0.975 / found.samples)
    assert (found.samples, found.without, found.confidence) == (128, 0, 0.95)


@pytest.mark.parametrize("name", ["middle", "half", "low", "high"])
def test_a_certificate_over_less_is_refused(decision: po.Decision, plain: Any, name: str) -> None:
    data = copy.deepcopy(plain)
    numbers = data["certificate"][name]
    data["certificate"][name] = [0.5 * value for value in numbers]
    with pytest.raises(ValueError, match="^$"):
        po.Decision.from_dict(data)
    one = decision.certificate
    assert one is not None
    region = replace(one.region, **{name: 0.5 * getattr(one.region, name)})
    for changed in (replace(one, region=region), replace(one, target=0.5 * one.target)):
        with pytest.raises(InputError, match="certificate"):
            replace(decision, certificate=changed).check()


def test_a_smaller_eta_than_was_decided_for_is_refused(plain: Any) -> None:
    data = copy.deepcopy(plain)
    data["guarantee"]["feasibility"]["terms"]["eta"] = 0.01
    with pytest.raises(ValueError, match="^$"):
        po.Decision.from_dict(data)


def test_a_file_has_no_words_of_its_own_for_claims(decision: po.Decision, plain: Any) -> None:
    data = copy.deepcopy(plain)
    for claim in data["guarantee"].values():
        assert not {"statement", "because"} & claim.keys()
    assert str(po.Decision.from_dict(data).guarantee).replace(STATED, "") == str(decision.guarantee)
    data["guarantee"]["privacy"]["terms"]["epsilon"] = 0.0
    again = po.Decision.from_dict(data)  # made from the measurement, whatever stands there
    assert str(again.guarantee).replace(STATED, "") == str(decision.guarantee)
    assert not again.says({"privopt": "decision", "version": 2, **data})  # and so it is refused


def test_that_a_certificate_holds_is_what_a_file_states(
    decision: po.Decision, tmp_path: Path
) -> None:
    """Until `check` has looked at it: values that were changed in a file show nowhere else."""
    assert decision.guarantee.feasibility.label == "PROVEN"
    decision.save(tmp_path / "decision.json")
    loaded = po.Decision.load(tmp_path / "decision.json")
    assert loaded.guarantee.feasibility.label == "PROVEN as stated in its file"
    assert loaded.check() == decision.check()


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_changed_values_show(seed: int) -> None:
    found = decided(seed)
    for k in range(len(found.values)):
        values = found.values.copy()
        values[k] += 1e-3
        assert replace(found, values=values).check().off > 1e-6


@pytest.mark.parametrize("name", ["z0", "K", "m"])
def test_a_changed_certificate_shows(decision: po.Decision, name: str) -> None:
    one = decision.certificate
    assert one is not None
    before = decision.check()
    rng = np.random.default_rng(0)
    part = getattr(one, name)
    changed = replace(one, **{name: part + rng.uniform(0.5, 1, part.shape)})
    after = replace(decision, certificate=changed).check()
    assert after.excess > max(before.excess, 0) or after.off > TOLERANCE


def test_the_certificate_of_another_program_fails(decision: po.Decision) -> None:
    other = decided(22)  # of the same shape, other numbers
    with pytest.raises(InputError):
        replace(decision, certificate=other.certificate).check()
    with pytest.raises(InputError):
        replace(decision, public=other.public, measurements=other.measurements).check()
    tighter = cases.case(1).program
    rows = po.ConvexProgram(
        linear=tighter.linear, quadratic=tighter.quadratic, A=tighter.A, b=tighter.b - 1.0,
        G=tighter.G, d=None, lower=tighter.lower, upper=tighter.upper,
    )  # fmt: skip
    assert replace(decision, public=po.PublicProgram(rows)).check().excess > 1e-3


def test_verification_finds_what_the_claim_leaves(decision: po.Decision) -> None:
    seen = decision.verify(400)
    assert seen.violation.value <= 0.2
    assert seen.completion.value <= seen.violation.value
    assert (
        decision.verify(100, rng=3).violation.value == decision.verify(100, rng=3).violation.value
    )


def test_what_is_shown(decision: po.Decision) -> None:
    view = decision.view()
    assert view.title == "Decision"
    assert "expected loss" in repr(decision)
    release = decision.release()
    assert release.epsilon == decision.epsilon
    assert release.rests_on == tuple(one.digest for one in decision.measurements)


def test_a_pair_of_rows_that_contradicts_itself_shows() -> None:
    """Rows a z <= b, a z >= c with c above b by what is taken for rounding have no solution."""
    program = po.ConvexProgram(
        quadratic=[1.0, 1.0, 1.0], A=[[1, 1, 0], [-1, -1, 0]], b=[1e6, -1e6 - 5e-4], G=[[1, 0, 1]],
        lower=0.0,
    )  # fmt: skip
    nothing = po.Instrument(
        np.zeros((0, 1)), program=program, privacy=po.Laplace(epsilon=1.0, alpha=0.1),
        domain=po.Box(5.0, 6.0),
    )  # fmt: skip
    found = po.decide(program, po.Identity([2]), nothing.measure([5.5]), po.Always())
    assert found.check().holds
    (assumed,) = found.guarantee.feasibility.assumptions
    assert assumed.endswith("say the same as these: A[1]")
    again = wire.read(po.Decision, wire.text(found), "it")
    assert again.guarantee.feasibility.assumptions == (assumed,)


def test_a_certificate_over_nothing_is_refused() -> None:
    """Where y is so far out that nothing is possible, every region holds all that is."""
    program = po.ConvexProgram(quadratic=[1.0, 1.0], G=[[1, 1]], lower=0.0, upper=[1.0, 9.0])
    instrument = po.Instrument(
        [[1.0]], program=program, privacy=po.Laplace(epsilon=1.0, alpha=0.1),
        domain=po.Box(5.0, 6.0),
    )  # fmt: skip
    far = instrument.measure([5.5])
    assert far.release is not None
    far = replace(far, release=replace(far.release, values=np.array([64.0])))
    found = po.decide(program, po.Identity([0]), far, po.ExactBox(eta=0.1))
    one = found.certificate
    assert one is not None
    assert found.check().excess <= 0
    region = replace(one.region, half=np.array([-10.0]))
    gain = one.K + np.array([[0.0], [1e-3]])
    with pytest.raises(InputError, match="not of this program"):
        replace(found, certificate=replace(one, region=region, K=gain)).check()


def test_rows_of_a_pair_that_agree_are_no_assumption() -> None:
    for second, factor in ((-1e6, 1.0), (-1e6 / 3, 1 / 3), (-0.7e6, 0.7)):
        program = po.ConvexProgram(
            quadratic=[1.0, 1.0, 1.0], A=[[1, 1, 0], [-factor, -factor, 0]], b=[1e6, second],
            G=[[1, 0, 1]], lower=0.0,
        )  # fmt: skip
        assert program.contradictions == ()
