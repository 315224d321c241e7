"""Rows as they were written: numbers that do not exist are none, claims come from numbers."""

from __future__ import annotations

import json
import math

import pytest

from privopt.claims.guarantee import Claim, Guarantee, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms, PrivacyTerms
from privopt.report.methods import Promise, promise
from privopt.report.records import (
    CurvePoint,
    Edge,
    Mean,
    Run,
    Timing,
    different,
    mean,
    number,
    read_claims,
)  # fmt: skip


def test_claims_are_read_from_numbers_whatever_the_words_say() -> None:
    limits = FeasibilityTerms(84, 0.025, each=True)
    claims = Guarantee(
        Claim.of(PrivacyTerms(1.0, 0.0, 0.1), Provenance.ASSUMED, "so", Scope.NEIGHBOURS),
        Claim.of(limits, Provenance.PROVEN, "so", Scope.ROW),
    )
    words = "0-differential privacy [PROVEN, neighbours]; all hold together [PROVEN, joint]"
    plain = json.loads(json.dumps(claims.to_dict()))
    plain["feasibility"]["statement"] = "all hold"
    found = read_claims({"guarantee": words, "claims": plain})
    assert [one.ground for one in found] == ["ASSUMED", "PROVEN each"]
    assert found[0].text.startswith("1-differential privacy for data")
    assert found[1].text == "each inequality is violated with probability ≤ 0.025"
    assert promise("PIQ-s", found) is Promise.EACH
    assert different([found, found, ()]) == found
    assert read_claims({}) == ()
    for broken in ({}, {"privacy": 1}, "x", {**plain, "feasibility": plain["privacy"]}):
        with pytest.raises((LookupError, TypeError, ValueError)):
            read_claims({"claims": broken})


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf])
def test_a_number_that_does_not_exist_is_none(value: float | None) -> None:
    assert number(value) is None
    assert Timing.read({"network": "a", "algorithm": "b", "seconds_mean": value}).mean is None


def test_a_mean_is_over_the_runs_with_an_answer() -> None:
    row = {"runs": 10, "infeasible_runs": 3, "failed_runs": 2,
           "loss_mean": 1.5, "loss_std": math.nan}  # fmt: skip
    assert mean(row, "loss") == Mean(1.5, None, 5)
    assert mean(row | {"infeasible_runs": 8}, "loss") is None
    assert mean(row | {"loss_mean": None}, "loss") is None


def test_fields_are_found_under_the_names_of_the_file() -> None:
    edge = Edge.read({"from": 3, "to": 4, "loading": 0.5, "deviation": None})
    assert edge == Edge("3", "4", 0.5, 0.0)
    run = {"network": "118_ieee", "algorithm": "OP", "run": 2, "status": "solved"}
    assert Run.read(run).case == "118_ieee"
    assert Run.read(run | {"sums": 1}).case == "118_ieee, 1 sum"
    assert Run.read(run | {"sums": 3}).case == "118_ieee, 3 sums"
    with pytest.raises(KeyError):
        Edge.read({"from": 3, "loading": 0.5, "deviation": 0.1})


def test_the_variance_of_a_point_is_that_of_its_panel() -> None:
    row = {"network": "a", "cbar": 10, "phi": 0.5, "loss": 1.0, "loss_variance": 2.0,
           "solution_variance": 3.0, "infeasible_runs": 1, "failed_runs": 2}  # fmt: skip
    for panel, variance in (("cost", 2.0), ("solution", 3.0)):
        point = CurvePoint.read(row | {"panel": panel})
        assert (point.variance, point.infeasible) == (variance, 3)
