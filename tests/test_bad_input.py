"""Whatever is passed to solve: an error of ours with got, needed and remedy, or an answer."""

from __future__ import annotations

import contextlib
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.cases import toy

import privopt as po

JUNK: list[Any] = [
    None, "one", [1.0], np.array([0.1]), 1j, 10**400, -(10**400), float("nan"), float("inf"),
    -1.0, 0, True, {}, object(),
]  # fmt: skip


@pytest.mark.parametrize("value", JUNK, ids=range(len(JUNK)))
@pytest.mark.parametrize(
    "make",
    [
        lambda v: po.Laplace(epsilon=v, alpha=0.1),
        lambda v: po.Laplace(epsilon=1.0, alpha=[v]),
        lambda v: po.Laplace(epsilon=1.0, alpha=0.1, sensitivity=v),
        lambda v: po.Gaussian(epsilon=1.0, delta=v, alpha=0.1),
        lambda v: po.TruncatedLaplace(epsilon=1.0, delta=v, alpha=0.1),
        lambda v: po.Assumed(v),
        lambda v: po.ExactBox(eta=v),
        lambda v: po.SampledBox(eta=0.1, beta=v),
        lambda v: po.Joint(eta=v, beta=0.1),
        lambda v: po.Scenario(eta=v, beta=0.1),
        lambda v: po.Repeat(mu=v),
        lambda v: po.Settings(tolerance=v),
    ],
)
def test_numbers_out_of_range_or_kind_are_refused(make: Any, value: Any) -> None:
    with pytest.raises(po.errors.InputError) as caught:
        make(value)
    assert caught.value.needed
    assert caught.value.remedy


@pytest.mark.parametrize(
    "value", [np.float32(0.25), np.float64(0.25), Fraction(1, 4), Decimal("0.25"), 0.25]
)
def test_any_real_number_will_do(value: Any) -> None:
    assert po.Laplace(epsilon=value, alpha=value).epsilon == 0.25
    assert po.ExactBox(eta=value).eta == 0.25
    noise = po.Laplace(epsilon=value, alpha=value)
    assert (
        po.solve(toy(), po.Identity(["x"]), noise, po.Analytic(eta=value)).release().epsilon <= 0.25
    )


@pytest.mark.parametrize(
    "bad",
    [
        {"program": None},
        {"query": [0]},
        {"query": po.Identity},
        {"privacy": po.Laplace},
        {"privacy": 1.0},
        {"feasibility": "Analytic"},
        {"feasibility": 0.05},
        {"objective": "cost"},
        {"repeat": 0.1},
        {"settings": {"tolerance": 1e-6}},
        {"rng": "seed"},
        {"rng": -3},
        {"rng": 1.5},
    ],
)
def test_arguments_of_another_kind_are_refused(bad: dict[str, Any]) -> None:
    good: dict[str, Any] = {
        "program": toy(), "query": po.Identity(["x"]),
        "privacy": po.Laplace(epsilon=1.0, alpha=0.1), "feasibility": po.Analytic(eta=0.05),
    }  # fmt: skip
    with pytest.raises(po.errors.InputError):
        po.solve(**(good | bad))


@pytest.mark.parametrize("samples", [0, -1, 1.5, "many", None])
def test_counts_must_be_whole(samples: Any) -> None:
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    plan = po.solve(toy(), po.Identity(["x"]), noise, po.Analytic(eta=0.05))
    with pytest.raises(po.errors.InputError):
        plan.verify(samples)
    if samples is not None:
        with pytest.raises(po.errors.InputError):
            po.Scenario(eta=0.1, beta=0.1, samples=samples)
        with pytest.raises(po.errors.InputError):
            po.Joint(eta=0.1, beta=0.1, draws=samples)


def test_extreme_requests_end_in_our_errors_or_in_a_plan() -> None:
    for make in (
        lambda: po.Laplace(epsilon=1e-9, alpha=1e-100),
        lambda: po.Laplace(epsilon=1e9, alpha=1e100),
        lambda: po.Gaussian(epsilon=1e4, delta=0.1, alpha=0.1),
        lambda: po.Gaussian(epsilon=1e-9, delta=1e-12, alpha=0.1),
        lambda: po.TruncatedLaplace(epsilon=1e4, delta=0.5, alpha=0.1),
    ):
        with contextlib.suppress(po.errors.PrivoptError):  # anything else fails this test
            po.solve(toy(), po.Identity(["x"]), make(), po.ExactBox(eta=0.05)).release()


def test_too_many_draws_are_refused_before_they_are_made() -> None:
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    for feasibility in (po.Joint(eta=1e-8, beta=0.1), po.SampledBox(eta=1e-8, beta=0.1)):
        with pytest.raises(po.errors.CombinationError, match="draws"):
            po.solve(toy(), po.Identity(["x"]), noise, feasibility, rng=0)
