"""A row says how its solve ended and what the plan itself says."""

from __future__ import annotations

import pytest

import privopt as po
from privopt.errors import InfeasibleError, InputError, SolverError
from privopt.experiments.decisions import decisions
from privopt.experiments.instance import instance
from privopt.experiments.measure import attempt
from privopt.experiments.study import Row, Unit, streams
from privopt.experiments.table1 import Table1


@pytest.mark.parametrize(
    ("error", "status"),
    [(None, "solved"), (InfeasibleError, "infeasible"), (SolverError, "failed")],
)
def test_how_it_ended(error: type[Exception] | None, status: str) -> None:
    row: Row = {"loss": None}
    with attempt(row):
        if error is not None:
            raise error("got", "needed", "remedy")
        row["loss"] = 1.0
    assert row["status"] == status
    assert row["seconds"] >= 0
    assert (row["loss"] is None) == (error is not None)


def test_other_errors_are_not_swallowed() -> None:
    with pytest.raises(InputError), attempt({}):
        raise InputError("got", "needed", "remedy")


def test_the_numbers_are_the_plans_in_percent() -> None:
    drawn, study = instance("14_ieee", 3), Table1(networks=("14_ieee",), samples=500)
    privacy = po.Laplace(epsilon=1.0, alpha=0.1)
    rows = {
        name: study.measured(
            Unit("14_ieee", 0, name), drawn.program, drawn.query, boxes=True, domain=drawn.domain
        )
        for name in ("OP", "exact margins")
    }
    plan = po.solve(drawn.program, drawn.query, privacy, po.Analytic(eta=0.025))
    found = plan.verify(500, streams(0, "14_ieee", 0)[2])
    ours = rows["exact margins"]
    assert ours["loss"] == pytest.approx(100 * plan.loss)
    assert ours["violation"] == pytest.approx(100 * found.completion.value)
    assert ours["affine_violation"] == pytest.approx(100 * found.violation.value)
    assert ours["guarantee"].endswith("[PROVEN, row]")
    baseline = po.output_perturbation(drawn.program, drawn.query, privacy)
    expected = baseline.verify(500, streams(0, "14_ieee", 0)[2]).completion.value
    assert rows["OP"]["violation"] == pytest.approx(100 * expected)
    assert rows["OP"]["loss"] is rows["OP"]["affine_violation"] is None
    assert rows["OP"]["guarantee"].endswith("[NO CLAIM]")
    assert ours["loss_of"] == "affine solution"
    assert ours["undecided"] is None


def test_what_is_measured_is_judged_by_the_same_test_and_its_loss_is_one_after_completion() -> None:
    drawn, study = instance("3_lmbd", 2), Table1(networks=("3_lmbd",), samples=2)
    asked = Unit("3_lmbd", 0, "measured")
    row = study.measured(asked, drawn.program, drawn.query, boxes=True, domain=drawn.domain)
    privacy, kept = po.Laplace(epsilon=1.0, alpha=0.1), po.ExactBox(eta=0.025)
    rng = streams(0, "3_lmbd", 0)[2]
    found = decisions(
        drawn.program, drawn.query, privacy, kept, domain=drawn.domain, rng=rng, count=2
    )
    assert (row["status"], row["loss_of"]) == ("solved", "completion")
    assert row["loss"] == pytest.approx(100 * found.loss.value)
    assert row["violation"] == row["undecided"] == 0.0
    assert row["affine_violation"] is None
    assert row["guarantee"].count("PROVEN") == 2
    assert row["guarantee"].endswith("[PROVEN, joint]")
