"""A request is public parameters; its charge is the asked decimal or the noise's own, exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.ledger.requests import request

import privopt as po
from privopt.errors import InputError
from privopt.ledger import Budget, Request, digest
from privopt.ledger.request import private_set, relation_of, words_of
from privopt.noise.neighbours import Neighbours


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
        privacy, privacy.calibrate(35, 0.1, bound=100.0), mechanism="measurement",
        provenance="PROVEN", private=["a"], subject=digest("program"), query=digest("query"),
    )  # fmt: skip
    assert made.charge == Budget(epsilon)
    assert (made.noise, made.size, made.provenance) == ("Laplace", 35, "PROVEN")


def test_a_constant_costs_nothing() -> None:
    made = Request.of(
        po.Laplace(epsilon=1, alpha=0.1), None, mechanism="measurement", provenance="PROVEN",
        private=["a"], subject="", query="",
    )  # fmt: skip
    assert made.charge == Budget(0)


def test_the_text_reads_back() -> None:
    made = request(Fraction(1, 3), 1e-6, own_epsilon=0.1, scale=0.1 + 0.2, size=3)
    assert Request.read(made.text) == made
    assert Request.read(made.text).charge == made.charge


def test_differences_are_named() -> None:
    assert request(1, size=3).differences(request(2, size=4)) == ("epsilon", "size")
    assert request(1, scale=3).told_apart(request(2, scale=4)) == "epsilon"
    assert request(1, scale=3).told_apart(request(1, scale=4)) == "scale"
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


def test_the_text_of_a_plain_request() -> None:
    """Word for word: the digests of ledgers and the keys of releases are made of it."""
    made = Request(mechanism="plan", epsilon="0.5", alpha=0.1, private=private_set(["a", "b"]))
    assert made.text == (
        '{"alpha":0.1,"delta":"0","epsilon":"0.5","exponent":null,"mechanism":"plan","noise":"",'
        '"own_delta":null,"own_epsilon":null,"private":"2:'
        '0473ef2dc0d324ab659d3580c1134e9d812035905c4781fdd6d529b0c6860e13","provenance":"ASSUMED",'
        '"query":"","scale":0.0,"sensitivity":0.0,"size":0,"subject":"","tries":1}'
    )


def test_neighbours_are_part_of_a_request() -> None:
    noise = po.Laplace(epsilon=1.0, alpha={"a": 0.1, "b": 0.2, "c": 0.1}, owners=["x", "y", "x"])
    names = ["c", "a", "b"]  # the order of a program
    made = Request.of(
        noise.aligned(names), None, mechanism="measurement", provenance="PROVEN", private=names,
        subject="", query="",
    )  # fmt: skip
    assert made.alpha == 0.2
    assert made.relation.startswith("each:2:0.1:")
    assert Request.read(made.text) == made
    plain = request(alpha=0.2, private=made.private)
    assert "relation" in plain.differences(made)
    assert "at most 2), each by at most its alpha (0.1 to 0.2)" in words_of(made.relation, 0.2)
    assert words_of("", 0.2) == Neighbours(0.2).words


def test_neither_order_nor_labels_matter_in_a_relation() -> None:
    one = Neighbours.of((0.1, 0.2, 0.3), ("x", "y", "x"), "each")
    other = Neighbours.of((0.3, 0.1, 0.2), (5, 5, 1), "each")
    assert relation_of(one, ["a", "b", "c"]) == relation_of(other, ["c", "a", "b"])
    assert relation_of(one, ["a", "b", "c"]) != relation_of(other, ["a", "b", "c"])
    assert relation_of(Neighbours(0.1), ["a", "b"]) == ""


@pytest.mark.parametrize(
    "relation",
    [3, None, "plain", "each:1:0.1:", "each:x:0.1:" + "0" * 64, "each:1:1e+-.:" + "0" * 64],
)
def test_what_is_no_relation_is_refused(relation: object) -> None:
    with pytest.raises(InputError, match="relation of the request"):
        request(relation=relation)
