"""The report of all charges together, and what stands for the loss of each."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from tests.ledger.requests import open_ledger, request

import privopt as po
from privopt.errors import InputError
from privopt.ledger import Budget, Ledger, Request, compose, loss
from privopt.ledger.composition import Composition
from privopt.ledger.loss import distance, loss_of
from privopt.noise.calibration import Privacy

LAPLACE = po.Laplace(epsilon=0.1, alpha=0.1)
GAUSSIAN = po.Gaussian(epsilon=0.5, delta=1e-6, alpha=0.1)
TRUNCATED = po.TruncatedLaplace(epsilon=0.2, delta=1e-6, alpha=0.1)


def of(privacy: Privacy, size: int = 5, tries: int = 1, provenance: str = "PROVEN") -> Request:
    calibration = privacy.calibrate(size, 0.3, bound=10.0, tries=tries)
    return Request.of(
        privacy, calibration, mechanism="policy", provenance=provenance,
        private=["north", "south"], subject="", query="",
    )  # fmt: skip


def filled(folder: Path, *requests: Request) -> Ledger:
    ledger = open_ledger(folder, 1000, 0.1)
    for one in requests:
        ledger.charge(one, lambda _: b"")
    return ledger


def test_an_empty_ledger_has_lost_nothing(folder: Path) -> None:
    found = compose(open_ledger(folder, 1, 1e-6))
    assert (found.epsilon, found.tight, found.basic, found.delta) == (0, 0, 0, 1e-6)
    assert found.events == {}
    assert "charges  none" in found.summary()


def test_constants_cost_nothing(folder: Path) -> None:
    constant = Request.of(
        LAPLACE, None, mechanism="policy", provenance="PROVEN", private=["north", "south"],
        subject="", query="",
    )  # fmt: skip
    found = compose(filled(folder, constant, constant), 1e-6)
    assert (found.epsilon, found.events) == (0, {"without cost": 2})
    mixed = compose(filled(folder, of(LAPLACE)), 1e-6)
    assert mixed.events == {"Laplace": 1, "without cost": 2}
    assert 0 < mixed.epsilon <= 0.1


def test_one_laplace_release_is_the_closed_form(folder: Path) -> None:
    found = compose(filled(folder, of(LAPLACE)), 1e-3)
    assert found.tight == pytest.approx(0.1 + 2 * math.log1p(-1e-3), abs=1e-5)
    assert found.epsilon == found.tight < found.basic == 0.1


def test_many_laplace_releases(folder: Path) -> None:
    found = compose(filled(folder, *[of(LAPLACE)] * 200), 1e-6)
    assert found.basic == 20
    # Between the worst case of 0.1-privacy and a Gaussian of the same variance, roughly.
    assert 5 < found.tight < loss.epsilon({loss.PairLoss(0.1, 0.0): 200}, 1e-6) < 10


def test_gaussian_releases_are_the_analytic_one(folder: Path) -> None:
    asked = of(GAUSSIAN)
    found = compose(filled(folder, *[asked] * 9), 1e-5)
    mu = 3 * asked.sensitivity / asked.scale
    e = found.tight
    exact = norm.cdf(mu / 2 - e / mu) - math.exp(e) * norm.cdf(-mu / 2 - e / mu)
    assert 0.99 * 1e-5 < exact <= 1e-5
    assert found.basic == 4.5
    assert found.epsilon == e < 2
    assert any("Gaussian" in sentence for sentence in found.assumptions)


def test_below_the_sum_of_deltas_only_the_distributions_speak(folder: Path) -> None:
    found = compose(filled(folder, *[of(GAUSSIAN)] * 4), 1e-8)
    assert found.basic == math.inf
    assert found.epsilon == found.tight < math.inf
    assert found.to_dict()["basic"] is None
    assert re.search(r"by adding up +none\n", found.summary())
    assert found.to_pandas()["epsilon"]["by adding up"] == math.inf


def test_what_is_not_understood_counts_as_charged(folder: Path) -> None:
    odd = of(LAPLACE).to_dict() | {"exponent": -8}
    asked = [
        of(TRUNCATED), of(TRUNCATED), of(LAPLACE, tries=3), request("0.3", 1e-7),
        request("0.1", noise="Cauchy", scale=1.0, sensitivity=0.1, size=1), Request(**odd),
    ]  # fmt: skip
    found = compose(filled(folder, *asked), 1e-5)
    assert found.events == {
        "Cauchy (as charged)": 1,
        "Laplace (as charged)": 1,
        "Laplace, 3 tries (as charged)": 1,
        "TruncatedLaplace (as charged)": 2,
        "unknown noise (as charged)": 1,
    }
    assert found.basic == 1.0
    # Only pairs: exactly what (epsilon, delta) allows, so little is won from so few.
    assert 0.9 < found.epsilon <= 1.0


@pytest.mark.parametrize("delta", [None, 0.0, 1e-13, 1e-9, 1e-6, 0.01])
def test_the_report_is_never_above_the_sum(folder: Path, delta: float | None) -> None:
    found = compose(filled(folder, of(LAPLACE), of(TRUNCATED), request(3)), delta)
    assert found.epsilon <= found.basic
    assert found.epsilon == min(found.tight, found.basic)
    if not delta:
        assert found.delta == (0.1 if delta is None else 0)
    if delta in (0.0, 1e-13):
        assert found.tight == math.inf


def test_burnt_charges_count_like_the_others(folder: Path) -> None:
    ledger = filled(folder, *[of(LAPLACE)] * 3)
    before = compose(ledger, 1e-6)
    with pytest.raises(ZeroDivisionError):
        ledger.charge(of(LAPLACE), lambda _: bytes(1 // 0))
    after = compose(ledger, 1e-6)
    assert (before.unfinished, after.unfinished) == (0, 1)
    assert after.events == {"Laplace": 4}
    assert after.epsilon > before.epsilon


def test_a_mixed_ledger_and_what_is_assumed(folder: Path) -> None:
    ledger = filled(
        folder, *[of(LAPLACE)] * 10, *[of(GAUSSIAN, provenance="ASSUMED")] * 2, of(TRUNCATED)
    )
    found = compose(ledger, 1e-5)
    assert found.events == {"Gaussian": 2, "Laplace": 10, "TruncatedLaplace (as charged)": 1}
    assert max(0.5, 0.2) < found.epsilon < found.basic == pytest.approx(2.2)
    text = " ".join(found.assumptions)
    for part in ("2 of 13 charges", "not proven", "neither limit nor charges", "same neighbours"):
        assert part in text
    assert ledger.spent == found.spent  # nothing changed
    assert ledger.limit == Budget(1000, 0.1)


def test_real_releases_are_understood(folder: Path) -> None:
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0], quadratic=[0.1] * 3, G=[[1, 1, 1]], d=[6.0], lower=0, upper=4
    )
    ledger = open_ledger(folder, 100, 0.1)
    margins = po.Analytic(eta=0.1, margin="unimodal")
    for privacy in (LAPLACE, GAUSSIAN, TRUNCATED):
        small = dataclasses.replace(privacy, alpha=0.001)
        plan = po.solve(program, po.Identity([0]), small, margins)
        for _ in range(3):
            plan.release(ledger)
    found = compose(ledger, 1e-5)
    assert found.events == {"Gaussian": 3, "Laplace": 3, "TruncatedLaplace (as charged)": 3}
    assert "9 of 9 charges are as private as claimed" in " ".join(found.assumptions)
    assert 1 < found.epsilon < found.basic == pytest.approx(2.4)


def test_nothing_is_said_of_assumed_privacy_if_all_is_proven(folder: Path) -> None:
    assert "not proven" not in " ".join(compose(filled(folder, of(LAPLACE))).assumptions)


def test_the_report_shows_itself(folder: Path) -> None:
    found = compose(filled(folder, *[of(LAPLACE)] * 10), 1e-6)
    assert repr(found).startswith("Composition('loads', 10 charges: epsilon 0.99")
    assert "by privacy loss distributions" in found.summary()
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["epsilon"] == found.epsilon
    assert data["spent"] == {"epsilon": "1", "delta": "0"}
    assert data["assumptions"] == list(found.assumptions)


def test_a_ledger_that_may_only_be_read_will_do(folder: Path) -> None:
    ledger = filled(folder, of(LAPLACE))
    ledger.close()
    seen = compose(Ledger(ledger.path, read_only=True), 1e-6)
    assert isinstance(seen, Composition)


@pytest.mark.parametrize("delta", [-1e-9, 1, 1.5, math.nan, "x", True])
def test_a_delta_that_is_none_is_refused(folder: Path, delta: Any) -> None:
    with pytest.raises(InputError, match="delta is .* from 0 to below 1"):
        compose(filled(folder), delta)


def test_what_is_no_ledger_is_refused() -> None:
    with pytest.raises(InputError, match="ledger is a str"):
        compose("loads.ledger")


def test_without_the_package_the_remedy_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = filled(folder, of(LAPLACE))
    monkeypatch.setitem(sys.modules, "dp_accounting.pld.privacy_loss_distribution", None)
    with pytest.raises(InputError, match=r"pip install '[./].*\[accounting\]'"):
        compose(ledger, 1e-6)


def test_what_stands_for_a_loss_is_no_smaller_than_the_charge(folder: Path) -> None:
    ledger = filled(folder, of(LAPLACE), of(GAUSSIAN), request("0.123456789"))
    laplace, gaussian, pair = (loss_of(event) for event in ledger.events[1:])
    assert isinstance(laplace, loss.LaplaceLoss)
    assert (of(LAPLACE).own_epsilon or 1) <= laplace.a < 0.1 + 1e-6
    assert isinstance(gaussian, loss.GaussianLoss)
    ratio = of(GAUSSIAN).sensitivity / of(GAUSSIAN).scale
    assert ratio < gaussian.mu < ratio * (1 + 1e-6)
    assert isinstance(pair, loss.PairLoss)
    assert 0.123456789 < pair.e < 0.12345681
    assert 0 < distance(ledger.events[2]) < 1e-20


def hockey_stick(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    return float(np.maximum(0.0, p - math.exp(epsilon) * q).sum())


@pytest.mark.parametrize("split", [(12,), (6, 6), (11, 1), (8, 4), (4, 4, 4), (6, 5, 1)])
def test_one_coordinate_is_the_worst_case_of_vector_laplace_noise(split: tuple[int, ...]) -> None:
    """Discrete Laplace noise with the shift split over coordinates, outcomes enumerated."""
    grain = 0.2  # grid over scale
    at = np.arange(-60, 73)  # what lies outside has less than 1e-4 of the mass
    p = q = np.ones(1)
    for shift in split:
        p = np.outer(p, math.tanh(grain / 2) * np.exp(-grain * abs(at))).ravel()
        q = np.outer(q, math.tanh(grain / 2) * np.exp(-grain * abs(at - shift))).ravel()
    assert p.sum() > 1 - 1e-4
    one = grain * sum(split)
    for epsilon in np.linspace(0, one, 40):
        found = hockey_stick(p, q, epsilon)
        assert found <= 1 - math.exp((epsilon - one - 2 * grain) / 2) + 1e-12
        if len(split) > 1 and 0 < epsilon < one - 2 * grain:
            assert found < 1 - math.exp((epsilon - one) / 2)


@pytest.mark.parametrize("grain", [0.5, 0.1, 0.01])
def test_the_distance_of_gaussian_noise_on_a_grid(grain: float) -> None:
    at = np.arange(-round(12 / grain), round(12 / grain) + 1)
    exact = np.exp(-0.5 * (grain * at) ** 2)
    rounded = norm.cdf(grain * (at + 0.5)) - norm.cdf(grain * (at - 0.5))
    apart = 0.5 * np.abs(exact / exact.sum() - rounded).sum()
    assert 0.4 * grain**2 / 24 < apart <= grain**2 / 24


def test_what_is_shown_is_never_below_what_is_lost(folder: Path) -> None:
    asked = po.Laplace(epsilon=1.0000049, alpha=0.1)
    found = compose(filled(folder, of(asked)), 1e-7)
    assert found.basic == pytest.approx(1.0000049, rel=1e-12)
    shown = re.findall(r"epsilon (\S+) at delta=1e-07", repr(found))
    assert float(shown[0]) >= found.epsilon
    assert "1.00001" in found.summary()
