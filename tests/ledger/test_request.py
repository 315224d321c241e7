"""A request is public parameters; its charge is the asked decimal or the noise's own, exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.ledger.requests import request

import privopt as po
from privopt.errors import InputError
from privopt.ledger import Budget, Request, digest
from privopt.ledger.request import private_set


def test_the_asked_decimal_is_charged_if_the_noise_stays_within_it() -> None:
    assert request(0.1, own_epsilon=0.09999999999999999).charge == Budget("0.1")


def test_a_noise_above_the_asked_decimal_is_charged_exactly() -> None:
    # The float 0.1 is a little above one tenth.
    own = request(0.1, own_epsilon=0.1).charge.exact[0]
    assert own == Fraction(0.1) > Fraction(1, 10)
    assert request(0.1, own_epsilon=0.1).charge.charge.epsilon > Budget("0.1").charge.epsilon


def test_delta_is_charged_by_the_same_rule() -> None:
    assert request(1, 1e-6, own_delta=5e-7).charge == Budget(1, "1e-6")
    assert request(1, 1e-6, own_delta=2e-6).charge.exact[1] == Fraction(2e-6)


@pytest.mark.parametrize("epsilon", [0.1, 0.01, 0.3, 1.0])
def test_ten_calibrated_laplace_releases_cost_ten_times_what_was_asked(epsilon: float) -> None:
    privacy = po.Laplace(epsilon=epsilon, alpha=0.1)
    made = Request.of(
        privacy, privacy.calibrate(35, 0.1, bound=100.0), mechanism="policy", provenance="PROVEN",
        private=["a"], subject=digest("program"), query=digest("query"),
    )  # fmt: skip
    assert made.charge == Budget(epsilon)
    assert (made.noise, made.size, made.provenance) == ("Laplace", 35, "PROVEN")


def test_a_constant_costs_nothing() -> None:
    made = Request.of(
        po.Laplace(epsilon=1, alpha=0.1), None, mechanism="policy", provenance="PROVEN",
        private=["a"], subject="", query="",
    )  # fmt: skip
    assert made.charge == Budget(0)


def test_the_text_reads_back() -> None:
    made = request(Fraction(1, 3), 1e-6, own_epsilon=0.1, scale=0.1 + 0.2, size=3)
    assert Request.read(made.text) == made
    assert Request.read(made.text).charge == made.charge


def test_differences_are_named() -> None:
    assert request(1, size=3).differences(request(2, size=4)) == ("epsilon", "size")
    assert request(0.1).differences(request("0.10")) == ()


@pytest.mark.parametrize(
    "wrong",
    [{"alpha": 0}, {"alpha": -1}, {"epsilon": "x"}, {"delta": 2}, {"scale": float("nan")},
     {"own_epsilon": float("inf")}, {"own_epsilon": -1.0}, {"subject": np.zeros(2)}],
)  # fmt: skip
def test_what_is_no_parameter_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        request(**wrong)


def test_the_private_set_has_no_order() -> None:
    assert private_set(["b", "a", "a"]) == private_set(("a", "b")) != private_set(["a"])
    with pytest.raises(InputError, match="private is empty"):
        private_set([])
