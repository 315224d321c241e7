"""Rows about what is proven: each says why it has no answer, and means compare like with like."""

from __future__ import annotations

from typing import Any

import pytest

import privopt as po
from privopt.errors import NotCertifiedError
from privopt.experiments import CertifiedTable, policies
from privopt.experiments.decisions import decisions
from privopt.experiments.policies import Case, summarise_policies
from privopt.experiments.study import Row, Unit, streams


def test_what_is_not_certified_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise NotCertifiedError("it is not certified: too many pieces. 9 seen.", "", "", 9, 2.0)

    for pieces, reason in ((50, "it is not certified: too many pieces"), (0, "not tried")):
        monkeypatch.setattr(policies, "certify", refuse)
        row = measured("PIQ-a recalibrated", pieces=pieces)
        assert row["status"] == "not certified"
        assert row["reason"].startswith(reason)
        assert row["loss"] is row["factor"] is row["privacy"] is None


def small(**changes: Any) -> Case:
    """The smallest network of the paper."""
    drawn = po.experiments.instance("3_lmbd", 0)
    asked = {"epsilon": 1.0, "alpha": 0.1, "eta": 0.025, "delta": 1e-5, "tries": 30, "pieces": 50}
    parts: Any = {"program": drawn.program, "query": drawn.query, "domain": drawn.domain}
    return Case(**parts, **asked | changes)


def measured(algorithm: str, **changes: Any) -> Row:
    study = CertifiedTable(networks=("3_lmbd",), samples=200)
    return study.measured(Unit("3_lmbd", 0, algorithm), small(**changes))


def test_an_infeasible_design_is_counted_with_its_reason() -> None:
    both = [
        {"network": "3_lmbd", "run": 0, "algorithm": name, **measured(name, alpha=5.0)}
        for name in ("PIQ-a", "certified s=1")
    ]
    assert [row["status"] for row in both] == ["infeasible"] * 2
    printed, floor = summarise_policies(both, ("3_lmbd",), ("PIQ-a", "certified s=1"), 1.0)
    assert printed["infeasible_runs"] == floor["infeasible_runs"] == 1
    assert floor["loss_mean"] is floor["piqa_mean"] is None
    assert "no affine policy" in floor["reasons"][0]["reason"]


def test_the_printed_loss_beside_is_over_the_same_runs() -> None:
    base = measured_none()
    made = [
        {**base, "network": "a", "run": k, "algorithm": name, "loss": loss, "status": status}
        for name, losses in (("PIQ-a", (1.0, 3.0)), ("certified", (None, 2.0)))
        for k, loss in enumerate(losses)
        for status in ("solved" if loss else "infeasible",)
    ]
    printed, ours = summarise_policies(made, ("a",), ("PIQ-a", "certified"), 1.0)
    assert (printed["loss_mean"], printed["piqa_mean"]) == (2.0, 2.0)
    assert (ours["loss_mean"], ours["piqa_mean"]) == (2.0, 3.0)


def measured_none() -> Row:
    names = ("loss", *policies.MEANS, "constant", "epsilon", "privacy", "guarantee", "reason")
    return dict.fromkeys(names)


def test_rows_of_earlier_journals_have_no_completed_loss_and_are_of_the_affine_solution() -> None:
    made = {**measured_none(), "network": "a", "run": 0, "algorithm": "PIQ-a", "loss": 1.0}
    old = {key: value for key, value in made.items() if key not in ("completed", "undecided")}
    (row,) = summarise_policies([old | {"status": "solved"}], ("a",), ("PIQ-a",), 1.0)
    assert (row["loss_mean"], row["loss_of"]) == (1.0, "affine solution")
    assert row["completed_mean"] is row["undecided_mean"] is None


def test_the_affine_rule_follows_the_total_and_has_both_losses() -> None:
    case, row = small(), measured("affine rule")
    program, query, noise, kept = case.printed
    total = {"total": list(program.private_names)}
    policy = po.design(program, query, noise, kept, domain=case.domain, measure=total)
    assert row["loss"] == pytest.approx(100 * policy.loss)
    assert row["completed"] == pytest.approx(100 * policy.completed_loss.value)
    assert (row["loss_of"], row["privacy"]) == ("affine solution", "PROVEN")
    assert row["level"] is None
    assert row["row_violation"] <= 2.5


def test_a_decision_has_the_loss_after_completion_alone() -> None:
    case, row = small(), measured("measured")
    program, query, noise, _ = case.printed
    rng = streams(0, "3_lmbd", 0)[2]
    found = decisions(program, query, noise, po.ExactBox(eta=case.eta), domain=case.domain, rng=rng)
    assert row["loss"] == row["completed"] == pytest.approx(100 * found.loss.value)
    assert (row["loss_of"], row["privacy"]) == ("completion", "PROVEN")
    assert row["distance"] == pytest.approx(found.distance)
    assert row["joint_violation"] == row["undecided"] == 0.0
    assert row["level"] is row["row_violation"] is None
    assert row["constant"] is False


def test_an_epsilon_beyond_the_claim_refutes_and_the_worst_one_is_the_witness() -> None:
    base = measured_none()
    found = [
        {**base, "network": "a", "run": k, "algorithm": "lower bound", "status": "solved",
         "epsilon": epsilon, "entry": f"d[{k}]", "step": 0.1, "moved": epsilon / 10}
        for k, epsilon in enumerate((0.9, 1.0 + 1e-9, 1.7, 1.2))
    ]  # fmt: skip
    (row,) = summarise_policies(found, ("a",), ("lower bound",), 1.0)
    assert (row["epsilon_max"], row["beyond_runs"]) == (1.7, 2)
    assert row["epsilon_mean"] == pytest.approx(1.2, abs=1e-6)
    assert row["witness"] == {"run": 2, "entry": "d[2]", "step": 0.1, "moved": 1.7 / 10}


def test_a_search_and_a_plan_are_as_the_library_has_them() -> None:
    case = small()
    row = measured("PIQ-a")
    plan = po.solve(*case.printed, rng=streams(0, "3_lmbd", 0)[1])
    assert row["loss"] == pytest.approx(100 * plan.loss)
    off = plan.S @ (plan.expected - plan.optimum.z)
    noise = plan.S.shape[0] * plan.calibration.deviation**2
    assert row["distance"] ** 2 == pytest.approx(float(off @ off) + noise)
    assert (row["level"], row["constant"], row["privacy"]) == (1.0, False, "ASSUMED")
    searched = measured("lower bound")
    assert searched["moved"] == pytest.approx(searched["factor"] * case.alpha, rel=1e-6)
    assert searched["loss"] is None
