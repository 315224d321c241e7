"""A policy: exact, private releases; files; completion."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.mechanisms.policies import KINDS, NOISE, made

import privopt as po


def test_density_ratio_of_the_release() -> None:
    """The law of a Laplace release on its grid is known: its ratio at neighbours is at most e."""
    policy, one = made("laplace", "3_lmbd")
    found = policy.calibration
    assert found is not None
    lower, upper = policy.domain
    rng = np.random.default_rng(1)
    for _ in range(50):
        d = rng.uniform(lower, upper)
        other = d.copy()
        other[int(rng.integers(len(d)))] += 0.1
        y, z = (policy.map.on_grid(one_of, found.exponent) for one_of in (d, other))
        # P(y + noise = v) is proportional to exp(-|v - y|_1 / scale): the worst ratio is at v = y.
        assert float(np.abs(y - z).sum()) / found.scale <= policy.privacy.epsilon * (1 + 1e-12)
    del one


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_is_on_the_grid_around_the_map(kind: str) -> None:
    policy, one = made(kind)
    found = policy.calibration
    assert found is not None
    private = np.array(one.program.d)[one.program.private]
    center = policy.map.on_grid(private, found.exponent)
    values = np.array([policy.release(one.program.d).values for _ in range(400)])
    steps = np.ldexp(values, -found.exponent)
    assert (steps == np.rint(steps)).all()
    noise = (values - center) / found.scale
    assert np.abs(noise).max() <= found.law.bound
    spread = np.sqrt(found.law.variance)
    # Mean of 400 draws within five standard errors: a false alarm in 1.7 million values.
    assert np.abs(noise.mean(axis=0)).max() <= 5 * spread / 20


def test_data_outside_the_domain_are_clamped_and_nothing_is_said() -> None:
    policy, one = made()
    far = np.array(one.program.d) * 1000
    assert policy.release(far).names == policy.names
    for bad in (np.full(len(far), np.nan), far[:-1], "d", None):
        with pytest.raises(
            po.errors.InputError, match="finite numbers|has length [14]|d is a"
        ) as error:
            policy.release(bad)
        assert "nan" not in str(error.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_and_back(kind: str, tmp_path: Path) -> None:
    policy, one = made(kind)
    policy.save(tmp_path / "policy.json")
    again = po.Policy.load(tmp_path / "policy.json")
    assert repr(again).replace(" as stated in its file", "") == repr(policy)
    assert (again.gain == policy.gain).all()
    assert again.map.to_dict() == policy.map.to_dict()
    assert again.calibration is not None
    assert policy.calibration is not None
    assert again.calibration.scale == policy.calibration.scale
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "policy.json").read_bytes()
    assert again.release(one.program.d).epsilon == policy.calibration.epsilon
    assert again.verify(500, 0).violation.value == policy.verify(500, 0).violation.value


def test_no_private_number_is_in_the_file(tmp_path: Path) -> None:
    policy, one = made()
    policy.save(tmp_path / "policy.json")
    text = (tmp_path / "policy.json").read_text()
    for value in np.array(one.program.d).tolist():
        assert repr(value) not in text


def enlarge(data: Any) -> None:
    """A map that moves three times as far as the noise covers; nothing else is changed."""
    gain = 3 * data["calibration"]["sensitivity"] / data["noise"]["alpha"]
    data["map"]["matrix"][0][0] = int(gain * 2.0 ** data["map"]["fine"])


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["calibration"].update(scale=data["calibration"]["scale"] / 2),
        lambda data: data["calibration"].update(sensitivity=data["calibration"]["sensitivity"] / 2),
        lambda data: data["calibration"].update(epsilon=0.5),
        lambda data: data.update(calibration=None),
        lambda data: data["map"]["matrix"][0].__setitem__(0, 2**200),
        lambda data: enlarge(data),
        lambda data: data.pop("gain"),
        lambda data: data["noise"].update(kind="None"),
        # scipy would write beyond its arrays.
        lambda data: data["program"]["A"]["indices"].__setitem__(0, 10**9),
        lambda data: data["query"]["indptr"].__setitem__(0, -5),
        # These would never end, or take all memory.
        lambda data: data["map"].update(fine=10**9),
        lambda data: data["map"].update(coarse=-(10**9)),
        lambda data: data["calibration"].update(exponent=10**9),
        lambda data: data["program"]["G"].update(shape=[10**12, 10**12]),
        lambda data: data["program"].update(linear=1.0),
        # A width beyond 64 bits would count as negative, and the map as one that does not move.
        lambda data: data["map"]["low"].__setitem__(0, -(2**63)),
        lambda data: data["map"].update(low=data["map"]["high"], high=data["map"]["low"]),
        lambda data: data["calibration"].update(size=data["calibration"]["size"] + 1),
        lambda data: data["names"].pop(),
        lambda data: data.update(cost="1.0"),
        lambda data: data["guarantee"]["privacy"].update(confidence=2),
    ],
)
def test_a_file_that_does_not_prove_its_claim_is_refused(change: Any, tmp_path: Path) -> None:
    policy, _ = made()
    policy.save(tmp_path / "policy.json")
    data = json.loads((tmp_path / "policy.json").read_text())
    change(data)
    (tmp_path / "policy.json").write_text(json.dumps(data))
    with pytest.raises(po.errors.InputError, match="not a whole policy"):
        po.Policy.load(tmp_path / "policy.json")


def test_completion_is_the_best_with_the_released_values() -> None:
    policy, one = made()
    S = one.query.matrix(one.program)
    for _ in range(5):
        release = policy.release(one.program.d)
        try:
            found = policy.complete(one.program.d, release)
        except po.errors.InfeasibleError:
            continue
        assert np.asarray(S @ found.z) == pytest.approx(release.values, abs=1e-8)
        assert np.asarray(one.program.G @ found.z) == pytest.approx(one.program.d, abs=1e-8)
        xi = (release.values - np.asarray(S @ policy.offset)) / policy.sensitivity
        private = np.array(one.program.d)[one.program.private]
        u = private - sum(policy.domain) / 2
        xi = xi - np.asarray(S @ policy.gain) @ u / policy.sensitivity
        own = policy.affine.at(xi, u)
        if (one.program.rows.matrix @ own <= one.program.rows.bound + 1e-9).all():
            assert found.cost <= one.program.cost(own) + 1e-6
        break
    plan_release = po.solve(one.program, one.query, NOISE, po.Analytic(eta=0.05)).release()
    assert plan_release.names == policy.names  # the same names will do: values are what count
    with pytest.raises(po.errors.InputError, match="no release of this policy"):
        policy.complete(one.program.d, "y")  # type: ignore[arg-type]


def test_a_policy_without_inequalities_or_costs_is_saved_too(tmp_path: Path) -> None:
    program = po.ConvexProgram(quadratic=[1.0, 1.0], G=[[1, 1]])
    noise, kept = po.Laplace(epsilon=1.0, alpha=0.1), po.Analytic(eta=0.05)
    policy = po.design(program, po.Identity([0]), noise, kept, domain=po.Box(-0.0, 0.0), floor=1.0)
    assert policy.loss == pytest.approx(policy.cost / 2)  # two variables of size one
    policy = replace(policy, loss=np.nan)  # as version 0.1.0 had it
    policy.save(tmp_path / "policy")
    again = po.Policy.load(tmp_path / "policy")
    assert np.isnan(again.loss)
    assert again.residual == policy.residual == -np.inf
    assert again.to_dict() == policy.to_dict()


@pytest.mark.parametrize("text", ["NaN", "1e400", "[" * 900 + "]" * 900])
def test_a_file_with_what_no_policy_holds_is_refused(text: str, tmp_path: Path) -> None:
    policy, _ = made()
    policy.save(tmp_path / "policy.json")
    data = json.loads((tmp_path / "policy.json").read_text())
    data["distance"] = "here"
    (tmp_path / "policy.json").write_text(json.dumps(data).replace('"here"', text))
    with pytest.raises(po.errors.InputError, match="could not be read|not a whole policy"):
        po.Policy.load(tmp_path / "policy.json")


def test_a_file_of_version_1_is_read_and_is_the_same_subject_of_a_ledger(tmp_path: Path) -> None:
    policy, _ = made()
    policy.save(tmp_path / "new.json")
    data = json.loads((tmp_path / "new.json").read_text())
    assert data["version"] == 2
    del data["errors"], data["spreads"]
    data["version"] = 1
    (tmp_path / "old.json").write_text(json.dumps(data))
    old = po.Policy.load(tmp_path / "old.json")
    assert old.spread is None
    assert "off by" not in old.to_pandas()
    written = old.to_dict()
    assert {**written, "privopt": "policy", "version": 1} == data
    old.save(tmp_path / "again.json")
    assert po.Policy.load(tmp_path / "again.json").to_dict() == written


@pytest.mark.parametrize("bad", [{"a": 1.0}, None, "6.0", b"6", {1.0}, 6.0, np.float64(6.0), [1.0]])
def test_what_is_no_vector_is_refused_before_the_charge(bad: Any, tmp_path: Path) -> None:
    policy, _ = made()
    assert len(policy.program.data_names) > 1
    with po.Ledger(tmp_path / "a.ledger", po.Budget(2)) as ledger:
        for data in (bad, pd.DataFrame({"d": policy.domain[0]})):
            with pytest.raises(po.errors.InputError, match="d (is|has|do not|does not)"):
                policy.release(data, ledger, key="may")
        assert ledger.spent == po.Budget(0)
