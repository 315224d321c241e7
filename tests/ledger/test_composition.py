"""All charges together: against closed forms, and honest about what is not known."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.signal import fftconvolve
from scipy.stats import binom, norm
from tests.ledger.requests import open_ledger, request

import privopt as po
from privopt.errors import InputError
from privopt.ledger import Ledger, Request, compose
from privopt.noise.calibration import Privacy

LAPLACE = po.Laplace(epsilon=0.1, alpha=0.1)
GAUSSIAN = po.Gaussian(epsilon=0.5, delta=1e-6, alpha=0.1)
TRUNCATED = po.TruncatedLaplace(epsilon=0.2, delta=1e-6, alpha=0.1)


def of(privacy: Privacy, size: int = 5, tries: int = 1, provenance: str = "PROVEN") -> Request:
    calibration = privacy.calibrate(size, 0.3, bound=10.0, tries=tries)
    return Request.of(
        privacy, calibration, mechanism="measurement", provenance=provenance,
        private=["north", "south"], subject="", query="",
    )  # fmt: skip


def noise(kind: str, moved: float, epsilon: float = 1.0, delta: float = 0.0) -> Request:
    """One value, on a grid that is as good as none."""
    return request(
        str(epsilon), delta, noise=kind, scale=1.0, sensitivity=moved, size=1, exponent=-1000
    )


def filled(folder: Path, *requests: Request) -> Ledger:
    ledger = open_ledger(folder, 10**9, 0.1)
    for one in requests:
        ledger.charge(one, lambda _: b"")
    return ledger


def gaussian_delta(mu: float, e: float) -> float:
    """Balle and Wang 2018."""
    return norm.cdf(mu / 2 - e / mu) - math.exp(e + norm.logcdf(-mu / 2 - e / mu))


def pairs_delta(e: float, times: int, at: float) -> float:
    """Exactly, by the binomial law: the loss is e (2j - n) with j of n heads (Kairouz 2015)."""
    j = np.arange(times + 1)
    mass = binom.pmf(j, times, 1 / (1 + math.exp(-e)))
    return float(mass @ np.maximum(0.0, -np.expm1(at - e * (2 * j - times))))


def laplace_below(a: float, times: int, delta: float, h: float) -> float:
    """An epsilon below the true one: every loss rounded down to a grid, with other means."""
    n = round(2 * a / h)
    mass = np.zeros(n + 1)
    cuts = -a + h * np.arange(n + 1)
    mass[:-1] = [0.5 * (math.exp(-(a - y) / 2) - math.exp(-(a - x) / 2)) for x, y in pairwise(cuts)]
    mass[-1] += 0.5  # noise below zero: the whole loss a
    mass[0] += 0.5 * math.exp(-a)  # beyond the shift: -a
    assert mass.sum() == pytest.approx(1, abs=1e-12)
    total = mass
    for _ in range(times - 1):
        total = fftconvolve(total, mass)
    at = -times * a + h * np.arange(len(total))
    return float(
        brentq(lambda e: total @ np.maximum(0.0, -np.expm1(e - at)) - delta, 0, times * a + 1)
    )


@pytest.mark.parametrize("a", [1e-4, 0.1, 1.0, 5.0, 60.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-3])
def test_one_laplace_release(folder: Path, a: float, delta: float) -> None:
    exact = max(0.0, a + 2 * math.log1p(-delta))  # from 1 - exp((e - a) / 2) = delta
    found = compose(filled(folder, noise("Laplace", a, epsilon=2 * a)), delta)
    assert found.tight
    assert exact <= found.epsilon <= exact + 1e-4 * a


@pytest.mark.parametrize(("mu", "times"), [(0.01, 7), (0.3, 7), (1.0, 1), (1.0, 100), (4.0, 2)])
@pytest.mark.parametrize("delta", [1e-10, 1e-6, 1e-3])
def test_gaussian_releases_are_one_of_less_noise(
    folder: Path, mu: float, times: int, delta: float
) -> None:
    asked = [noise("Gaussian", mu / math.sqrt(times), 1000.0)] * times
    found = compose(filled(folder, *asked), delta).epsilon
    assert gaussian_delta(mu, found) <= delta
    assert gaussian_delta(mu, found * 0.998 - 1e-6) > delta


@pytest.mark.parametrize(("e", "times"), [(1.0, 1), (0.1, 10), (0.03, 300), (3.0, 4)])
def test_what_is_as_charged_loses_all_that_its_epsilon_allows(
    folder: Path, e: float, times: int
) -> None:
    ledger = filled(folder, *[request(str(e))] * times)
    for delta in (1e-8, 1e-6, 1e-2):
        found = compose(ledger, delta).epsilon
        assert pairs_delta(e, times, found) <= delta
        assert pairs_delta(e, times, found * 0.99 - 1e-5) > delta


@pytest.mark.parametrize(("a", "times"), [(0.1, 10), (0.5, 20), (1.0, 3), (0.05, 60)])
def test_laplace_releases_lie_between_rounding_down_and_the_worst_case(
    folder: Path, a: float, times: int
) -> None:
    (folder / "as charged").mkdir()
    ledger = filled(folder, *[noise("Laplace", a, a)] * times)
    worst = filled(folder / "as charged", *[request(str(a))] * times)
    for delta in (1e-6, 1e-3):
        below = laplace_below(a, times, delta, a / 1000)
        found = compose(ledger, delta).epsilon
        assert below <= found <= below + times * a / 1000 + 1e-3
        assert found <= compose(worst, delta).epsilon + 1e-9


def test_deltas_compose(folder: Path) -> None:
    ledger = filled(folder, *[request("0.1", 1e-7)] * 5, request("0.2"))
    reached = 1 - (1 - 1e-7) ** 5
    assert compose(ledger, reached * 0.999).epsilon == math.inf
    assert compose(ledger, reached + 1e-11).epsilon == pytest.approx(0.7, rel=1e-3)


def test_kinds_compose_with_each_other(folder: Path) -> None:
    """Gaussian kinds of any mixture are one Gaussian; a hair of another kind changes little."""
    ledger = filled(
        folder, *[noise("Gaussian", 0.3, 9.0)] * 4, *[noise("Gaussian", 0.4, 9.0)] * 4,
        *[noise("Laplace", 1e-6, 1e-6)] * 3, *[request("1e-6", 1e-13)] * 3,
    )  # fmt: skip
    found = compose(ledger, 1e-6).epsilon
    assert gaussian_delta(1.0, found) <= 1e-6 < gaussian_delta(1.0, found * 0.998)


@pytest.mark.parametrize(
    "asked",
    [
        request("1e6"), noise("Gaussian", 1e3, 7e5), noise("Gaussian", 1e300), request("0", 1e-9),
        request("1", noise="Laplace", scale=1e-300, sensitivity=1e300, size=1, exponent=-5000),
    ],
)  # fmt: skip
def test_what_is_too_large_for_it_counts_as_the_sum(folder: Path, asked: Request) -> None:
    found = compose(filled(folder, asked), 1e-6)
    assert (found.epsilon, found.tight) == (float(asked.epsilon), False)
    assert "by adding up" in str(found)


def test_an_empty_ledger_has_lost_nothing(folder: Path) -> None:
    found = compose(open_ledger(folder, 1, 1e-6), 1e-6)
    assert (found.epsilon, found.delta, found.charges) == (0, 1e-6, {})
    assert "All charges together (none): epsilon 0" in str(found)


def test_constants_cost_nothing(folder: Path) -> None:
    constant = Request.of(
        LAPLACE, None, mechanism="measurement", provenance="PROVEN", private=["north", "south"],
        subject="", query="",
    )  # fmt: skip
    found = compose(filled(folder, constant, constant), 1e-6)
    assert (found.epsilon, found.charges) == (0, {"without cost": 2})
    mixed = compose(filled(folder, of(LAPLACE)), 1e-6)
    assert mixed.charges == {"Laplace": 1, "without cost": 2}
    assert 0 < mixed.epsilon <= 0.1


def test_gaussian_releases_below_the_sum_of_their_deltas(folder: Path) -> None:
    ledger = filled(folder, *[of(GAUSSIAN)] * 9)
    assert compose(ledger, 1e-5).epsilon < compose(ledger, 1e-8).epsilon < 2
    assert ledger.spent.epsilon == 4.5
    assert compose(ledger, 0.0).epsilon == math.inf
    assert compose(ledger, 0.0).to_dict()["epsilon"] is None
    assert "epsilon unknown at delta = 0" in str(compose(ledger, 0.0))


def test_what_is_not_understood_counts_as_charged(folder: Path) -> None:
    odd = of(LAPLACE).to_dict() | {"exponent": 5000}
    asked = [
        of(TRUNCATED), of(TRUNCATED), of(LAPLACE, tries=3), request("0.3", 1e-7),
        request("0.1", noise="Cauchy", scale=1.0, sensitivity=0.1, size=1), Request(**odd),
    ]  # fmt: skip
    ledger = filled(folder, *asked)
    found = compose(ledger, 1e-5)
    assert found.charges == {
        "Cauchy (as charged)": 1,
        "Laplace (as charged)": 1,
        "Laplace, 3 tries (as charged)": 1,
        "TruncatedLaplace (as charged)": 2,
        "unknown noise (as charged)": 1,
    }
    # Only pairs: exactly what (epsilon, delta) allows, so little is won from so few.
    assert 0.9 < found.epsilon <= ledger.spent.epsilon == 1.0


@pytest.mark.parametrize("delta", [0.0, 1e-13, 1e-9, 1e-6, 0.01])
def test_the_report_is_never_above_the_sum(folder: Path, delta: float) -> None:
    ledger = filled(folder, *[of(LAPLACE)] * 20, request(3))
    found = compose(ledger, delta)
    assert found.epsilon <= ledger.spent.epsilon
    assert found.tight == (found.epsilon < ledger.spent.epsilon) == (delta > 1e-12)


def test_burnt_charges_count_like_the_others(folder: Path) -> None:
    ledger = filled(folder, *[of(LAPLACE)] * 3)
    before = compose(ledger, 1e-6)
    with pytest.raises(ZeroDivisionError):
        ledger.charge(of(LAPLACE), lambda _: bytes(1 // 0))
    after = compose(ledger, 1e-6)
    assert after.charges == {"Laplace": 4}
    assert after.epsilon > before.epsilon


def test_a_mixed_ledger_and_what_is_assumed(folder: Path) -> None:
    ledger = filled(
        folder, *[of(LAPLACE)] * 10, *[of(GAUSSIAN, provenance="ASSUMED")] * 2, of(TRUNCATED)
    )
    limit, spent = ledger.limit, ledger.spent
    found = compose(ledger, 1e-5)
    assert found.charges == {"Gaussian": 2, "Laplace": 10, "TruncatedLaplace (as charged)": 1}
    assert max(0.5, 0.2) < found.epsilon < 2.2
    for part in ("2 of 13 charges", "not proven", "neither limit nor charges", "same neighbours"):
        assert part in str(found)
    assert (ledger.spent, ledger.limit) == (spent, limit)  # nothing changed


def test_nothing_is_said_of_assumed_privacy_if_all_is_proven(folder: Path) -> None:
    assert "not proven" not in str(compose(filled(folder, of(LAPLACE)), 1e-6))


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
    assert found.charges == {"Gaussian": 3, "Laplace": 3, "TruncatedLaplace (as charged)": 3}
    assert "9 of 9 charges are as private as claimed" in str(found)
    assert 1 < found.epsilon < ledger.spent.epsilon == pytest.approx(2.4)


def test_the_report_as_data_and_of_a_ledger_that_may_only_be_read(folder: Path) -> None:
    ledger = filled(folder, *[of(LAPLACE)] * 10)
    ledger.close()
    found = compose(Ledger(ledger.path, read_only=True), 1e-6)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data == found.to_dict()
    assert data["charges"] == {"Laplace": 10}
    assert data["assumptions"] == list(found.assumptions)


@pytest.mark.parametrize("delta", [-1e-9, 1, 1.5, math.nan, "x", True])
def test_a_delta_that_is_none_is_refused(folder: Path, delta: Any) -> None:
    with pytest.raises(InputError, match="delta is .* from 0 to below 1"):
        compose(filled(folder), delta)


def test_what_is_no_ledger_is_refused() -> None:
    with pytest.raises(InputError, match="ledger is a str"):
        compose("loads.ledger", 1e-6)  # pyright: ignore[reportArgumentType]


def test_without_the_package_the_remedy_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = filled(folder, of(LAPLACE))
    monkeypatch.setitem(sys.modules, "dp_accounting.pld.privacy_loss_distribution", None)
    with pytest.raises(InputError, match=r"pip install '[./].*\[accounting\]'"):
        compose(ledger, 1e-6)


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
    found = compose(filled(folder, of(asked)), 1e-13)
    shown = re.findall(r"epsilon (\S+) at delta = 1e-13", str(found))
    assert float(shown[0]) >= found.epsilon == pytest.approx(1.0000049, rel=1e-12)
    assert shown == ["1.00001"]
