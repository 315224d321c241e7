"""Affine rules: what is made of a measurement, in releases and in files."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.errors import InputError
from privopt.kernel.instrument import Instrument
from privopt.kernel.policy import PolicyKernel

NOISE = po.Laplace(epsilon=1.0, alpha=0.1)


@pytest.fixture(scope="module")
def policy() -> po.Policy:
    one = po.experiments.instance("14_ieee", 1)
    zones = {"odd": list(range(0, 14, 2)), "even": list(range(1, 14, 2))}
    return po.design(
        one.program, one.query, NOISE, po.ExactBox(eta=0.05), domain=one.domain, fidelity=30.0,
        measure=zones,
    )  # fmt: skip


def without_noise(policy: po.Policy) -> po.Policy:
    noise = policy.calibration
    assert noise is not None
    still = dataclasses.replace(noise, draw=lambda values: values)
    return dataclasses.replace(policy, kernel=dataclasses.replace(policy.kernel, calibration=still))


def test_values_are_those_of_the_rule_at_the_sums(policy: po.Policy) -> None:
    assert policy.rule is not None
    d = np.random.default_rng(0).uniform(0.5, 1.0, 14)
    y = [sum(Fraction(float(v)) for v in d[first::2]) for first in (0, 1)]
    known = [
        Fraction(float(start)) + sum(Fraction(float(t)) * v for t, v in zip(row, y, strict=True))
        for start, row in zip(policy.rule.offset, policy.rule.slope, strict=True)
    ]
    found = without_noise(policy).release(d)
    np.testing.assert_allclose(found.values, np.array(known, dtype=float), rtol=0, atol=1e-9)
    assert found.exponent is None  # they lie on no grid
    assert policy.calibration is not None
    assert (found.scale, found.epsilon) == (policy.calibration.scale, policy.calibration.epsilon)
    assert "not on the values" in found.summary()


def test_data_with_the_same_sums_leave_the_same_release(policy: po.Policy) -> None:
    quiet = without_noise(policy)
    first = np.full(14, 0.75)
    second = first.copy()
    second[[0, 2]], second[[1, 5]] = [0.5, 1.0], [0.875, 0.625]
    assert json.dumps(quiet.release(first).to_dict()) == json.dumps(quiet.release(second).to_dict())


def test_the_noise_of_a_value_is_its_share_of_that_of_the_sums(policy: po.Policy) -> None:
    """2000 releases; a mean of squares is off by its own 5 standard errors in one of 10^6 runs."""
    assert policy.rule is not None
    assert policy.calibration is not None
    d, count = np.full(14, 0.7), 2000
    still = without_noise(policy).release(d).values
    drawn = np.array([policy.release(d).values - still for _ in range(count)])
    variance = policy.calibration.deviation**2 * np.square(policy.rule.slope).sum(axis=1)
    # The kurtosis of Laplace noise is 6, of a sum of it less.
    assert (np.abs(np.square(drawn).mean(axis=0) / variance - 1) < 5 * np.sqrt(5 / count)).all()


def test_its_charge_is_that_of_an_instrument(policy: po.Policy) -> None:
    one = po.experiments.instance("14_ieee", 1)
    assert policy.rule is not None
    instrument = Instrument(
        policy.kernel.map.gain, program=one.program, privacy=NOISE, domain=one.domain,
        names=policy.rule.sums,
    )  # fmt: skip
    assert policy.calibration == dataclasses.replace(
        policy.calibration, **{name: getattr(instrument.calibration, name) for name in _NUMBERS}
    )
    assert policy.guarantee.privacy.label == "PROVEN"
    assert "measurement" in policy.guarantee.privacy.because


_NUMBERS = ("size", "sensitivity", "scale", "exponent", "epsilon", "delta")


def test_its_file_is_of_a_version_that_earlier_ones_refuse(
    policy: po.Policy, tmp_path: Path
) -> None:
    """They would release the sums themselves; a policy without a rule they read as before."""
    policy.save(tmp_path / "rule.json")
    data = json.loads((tmp_path / "rule.json").read_text())
    assert data["version"] == 3
    assert data["rule"]["sums"] == ["odd", "even"]
    one = po.experiments.instance("5_pjm", 0)
    plain = po.design(one.program, one.query, NOISE, po.ExactBox(eta=0.05), domain=one.domain)
    plain.save(tmp_path / "plain.json")
    data = json.loads((tmp_path / "plain.json").read_text())
    assert data["version"] == 2
    assert "rule" not in data


def test_a_file_gives_the_same_policy(policy: po.Policy, tmp_path: Path) -> None:
    policy.save(tmp_path / "first.json")
    again = po.Policy.load(tmp_path / "first.json")
    again.save(tmp_path / "second.json")
    assert (tmp_path / "first.json").read_bytes() == (tmp_path / "second.json").read_bytes()
    d = np.full(14, 0.6)
    kernel = PolicyKernel.load(tmp_path / "first.json")
    assert kernel.guarantee.to_dict() == policy.guarantee.to_dict()
    kernel = dataclasses.replace(kernel, calibration=without_noise(policy).calibration)
    values = without_noise(policy).release(d).values
    assert (without_noise(again).release(d).values == values).all()
    assert (kernel.release(d).values == values).all()


def test_a_ledger_knows_it_by_its_file(policy: po.Policy, tmp_path: Path) -> None:
    policy.save(tmp_path / "rule.json")
    d = np.full(14, 0.6)
    with po.Ledger(tmp_path / "ledger", limit=po.Budget(1)) as ledger:
        first = policy.release(d, ledger, "today")
        again = PolicyKernel.load(tmp_path / "rule.json").release(d, ledger, "today")
        assert again.replayed
        assert (again.values == first.values).all()
        with pytest.raises(po.errors.BudgetExceededError):
            policy.release(d, ledger, "tomorrow")


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data["rule"].update(slope=data["rule"]["slope"][:-1]),
        lambda data: data["rule"].update(slope=[row[:1] for row in data["rule"]["slope"]]),
        lambda data: data["rule"].update(offset=data["rule"]["offset"][:-1]),
        lambda data: data["rule"].update(offset=["a"] * len(data["names"])),
        lambda data: data["rule"].update(sums=["odd"]),
        lambda data: data["rule"].update(sums=["odd", "odd"]),
        lambda data: data["rule"].update(sums=[]),
        lambda data: data.update(rule=None),
        lambda data: data.update(calibration=None),
        lambda data: data["calibration"].update(scale=0.01),
        lambda data: data["map"].update(matrix=[[2 * v for v in r] for r in data["map"]["matrix"]]),
        lambda data: data.pop("rule"),
    ],
)
def test_a_damaged_rule_is_refused(
    policy: po.Policy, tmp_path: Path, damage: Callable[[dict[str, Any]], None]
) -> None:
    path = tmp_path / "rule.json"
    policy.save(path)
    data = json.loads(path.read_text())
    damage(data)
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match="not a whole policy"):
        PolicyKernel.load(path)
    with pytest.raises(InputError, match="not a whole policy"):
        po.Policy.load(path)
