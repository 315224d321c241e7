"""Decisions about the cost as files: what `check` proves of them, whatever was changed."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.measured import cases
from tests.mechanisms.measured.cost_cases import Plain, corners
from tests.model.curved import both

import privopt as po
from privopt.errors import InputError, PrivoptError
from privopt.mechanisms.measured import costing

STATED = " as stated in its file"  # what a loaded interval is, until it is checked
REFUSED = (ValueError, KeyError, TypeError, AttributeError, PrivoptError)


def decided(seed: int) -> po.CostDecision:
    one, rng = cases.case(seed), np.random.default_rng(seed)
    return po.decide_cost(one.program, one.simulated(cases.inside(one, rng), rng), one.feasibility)


@pytest.fixture(scope="module")
def decision() -> po.CostDecision:
    return decided(1)


@pytest.fixture(scope="module")
def plain(decision: po.CostDecision) -> Any:
    return json.loads(json.dumps(decision.to_dict()))


@pytest.fixture(scope="module")
def truth(decision: po.CostDecision) -> tuple[float, float]:
    """The least and the largest optimal cost over U(y), in plain CVXPY."""
    program, region = cases.case(1).program, decision.certificate.rule.region
    model = Plain.of(program)
    return model.least(program, region), float(model.values(program, corners(region)).max())


@pytest.mark.parametrize("seed", [0, 1, 3, 6])
def test_files_keep_every_byte(seed: int, tmp_path: Path) -> None:
    found = decided(seed)
    found.save(tmp_path / "a.json")
    again = po.CostDecision.load(tmp_path / "a.json")
    again.save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert again.check() == found.check()
    assert str(again).replace(STATED, "") == str(found)
    assert STATED in str(again)
    assert again.release().to_dict() == found.release().to_dict()
    assert again.value == found.value
    assert again.data == found.data


@pytest.mark.long
def test_a_curved_program_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costing, "DRAWS", 4)
    one = both(3, ("exp",), (2,), n=4, k=2)
    d = one.program.d
    instrument = po.Instrument(
        np.zeros((0, 2)), program=one.program, privacy=po.Laplace(epsilon=1.0, alpha=0.1),
        domain=po.Box(d - 0.05, d + 0.05),
    )  # fmt: skip
    found = po.decide_cost(one.program, instrument.measure(d), po.ExactBox(eta=0.1))
    found.save(tmp_path / "a.json")
    again = po.CostDecision.load(tmp_path / "a.json")
    assert again.check() == found.check()
    forged = found.certificate
    cones = forged.multipliers.cones.copy()
    cones[:3] = -1.0
    wrong = replace(forged, multipliers=replace(forged.multipliers, cones=cones))
    assert replace(found, certificate=wrong).check()[0] == -np.inf
    wide = tuple(2 * np.eye(3)[[0, 1, 2, 0]] for _ in forged.rule.polygons)
    wrong = replace(forged, rule=replace(forged.rule, polygons=wide))
    assert replace(found, certificate=wrong).check() == (-np.inf, np.inf)


@pytest.mark.long
@pytest.mark.parametrize("value", [None, "x", [], [[1.0]], {}, True, float("inf")])
def test_a_damaged_field_is_refused(plain: Any, value: Any) -> None:
    paths: list[tuple[str, ...]] = [(key,) for key in plain if not key.startswith("privopt")]
    paths += [("certificate", key) for key in plain["certificate"]]
    paths += [("certificate", "rule", key) for key in plain["certificate"]["rule"]]
    for path in paths:
        data = copy.deepcopy(plain)
        at = data
        for key in path[:-1]:
            at = at[key]
        if at[path[-1]] == value:
            continue  # multipliers of no cones
        at[path[-1]] = value
        with pytest.raises(REFUSED):
            po.CostDecision.from_dict(data)
        del at[path[-1]]
        if path == ("worth",):
            continue
        with pytest.raises(REFUSED):
            po.CostDecision.from_dict(data)


def test_an_interval_that_is_too_narrow_is_seen(plain: Any, truth: tuple[float, float]) -> None:
    data = copy.deepcopy(plain)
    low, high = data["interval"]
    middle = 0.5 * (low + high)
    data["interval"] = [middle - 0.1 * (high - low), middle + 0.1 * (high - low)]
    lower, upper = po.CostDecision.from_dict(data).check()
    assert lower < data["interval"][0]
    assert upper > data["interval"][1]
    assert lower <= truth[0] + 1e-7
    assert upper >= truth[1] - 1e-7


def test_forged_numbers_never_prove_a_narrower_interval(
    plain: Any, truth: tuple[float, float]
) -> None:
    """Any number of the certificate, changed by a little or by much: true ends, or a refusal."""
    rng = np.random.default_rng(0)
    names = [name for name in plain["certificate"] if name not in ("rule", "squares")]
    fields = [("certificate", name) for name in names]
    fields += [
        ("certificate", "rule", name)
        for name in ("solution", "gain", "multipliers", "target", "middle", "half", "low", "high")
    ]
    checked = 0
    for k in range(36):
        data = copy.deepcopy(plain)
        at = data
        path = fields[k % len(fields)]
        for key in path[:-1]:
            at = at[key]
        numbers = np.array(at[path[-1]])
        size = 10.0 ** rng.uniform(-10, 0)
        at[path[-1]] = (numbers * (1 + size * rng.normal(size=numbers.shape))).tolist()
        try:
            lower, upper = po.CostDecision.from_dict(data).check()
        except REFUSED:
            continue
        checked += 1
        assert lower <= truth[0] + 1e-7
        assert upper >= truth[1] - 1e-7
    assert checked > 10


@pytest.mark.parametrize("name", ["middle", "half", "low", "high", "target"])
def test_a_certificate_over_less_is_refused(decision: po.CostDecision, name: str) -> None:
    one = decision.certificate
    if name == "target":
        rule = replace(one.rule, target=0.5 * one.rule.target)
    else:
        region = one.rule.region
        rule = replace(one.rule, region=replace(region, **{name: 0.5 * getattr(region, name)}))
    changed = replace(decision, certificate=replace(one, rule=rule))
    with pytest.raises(InputError, match="certificate"):
        changed.check()
    with pytest.raises(ValueError, match="^$"):
        po.CostDecision.from_dict(changed.to_dict())


def test_a_smaller_eta_than_was_decided_for_is_refused(plain: Any) -> None:
    data = copy.deepcopy(plain)
    data["guarantee"]["feasibility"]["terms"]["eta"] = 0.01
    with pytest.raises(ValueError, match="^$"):
        po.CostDecision.from_dict(data)


@pytest.mark.parametrize("change", ["linear", "b", "G", "quadratic"])
def test_a_certificate_of_another_program_proves_only_what_is_true(
    decision: po.CostDecision, change: str
) -> None:
    """The same shapes with other numbers: both ends hold for that program, or are infinite."""
    one, rng = cases.case(1).program, np.random.default_rng(0)
    given: dict[str, Any] = {
        "linear": one.linear, "quadratic": one.quadratic.toarray(), "A": one.A.toarray(),
        "b": one.b, "G": one.G.toarray(), "lower": one.lower, "upper": one.upper,
    }  # fmt: skip
    factor = 1.3 if change == "quadratic" else 1 + 0.3 * rng.random(given[change].shape)
    other = po.ConvexProgram(**{**given, change: given[change] * factor})
    lower, upper = replace(decision, program=other).check()
    region = decision.certificate.rule.region
    model = Plain.of(other)
    try:
        values = model.values(other, corners(region))
        least = model.least(other, region)
    except ValueError:  # it has no solution at some data
        assert upper == np.inf
        return
    assert lower <= least + 1e-7
    assert upper >= values.max() - 1e-7
    assert (lower, upper) != decision.check()


def test_another_kind_of_file_is_none(decision: po.CostDecision, tmp_path: Path) -> None:
    decision.save(tmp_path / "a.json")
    with pytest.raises(InputError, match="not a decision"):
        po.Decision.load(tmp_path / "a.json")
    decision.release().save(tmp_path / "r.json")
    with pytest.raises(InputError, match="not a cost decision"):
        po.CostDecision.load(tmp_path / "r.json")


def test_claims_are_made_from_numbers(plain: Any, decision: po.CostDecision) -> None:
    data = copy.deepcopy(plain)
    for claim in data["guarantee"].values():
        claim["statement"], claim["because"] = "0-differential privacy", "trust me"
    again = po.CostDecision.from_dict(data)
    assert "trust me" not in str(again)
    assert again.guarantee.privacy.statement == decision.guarantee.privacy.statement


def test_the_release_says_what_it_rests_on(decision: po.CostDecision) -> None:
    release = decision.release()
    assert release.values.tolist() == [decision.value]
    assert release.names == ("cost",)
    assert release.mechanism == "cost decision"
    assert release.guarantee.feasibility.scope == "cost"
    terms: Any = release.guarantee.feasibility.terms
    assert (terms.lower, terms.upper) == decision.interval
    assert po.Release.from_dict(release.to_dict()).to_dict() == release.to_dict()
