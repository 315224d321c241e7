"""A row says how its solve ended and what the plan itself says."""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po
from privopt.errors import InfeasibleError, InputError, SolverError
from privopt.experiments.instance import instance
from privopt.experiments.measure import attempt, measure
from privopt.experiments.study import Row


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
    drawn = instance("14_ieee", 3)
    privacy = po.Laplace(epsilon=1.0, alpha=0.1)
    rows = {
        name: measure(
            drawn.program, drawn.query, name, privacy=privacy, boxes=True, eta=0.025, beta=0.01,
            samples=500, solver=np.random.default_rng(1), draws=np.random.default_rng(2),
        )
        for name in ("OP", "exact margins")
    }  # fmt: skip
    plan = po.solve(drawn.program, drawn.query, privacy, po.Analytic(eta=0.025))
    found = plan.verify(500, np.random.default_rng(2))
    ours = rows["exact margins"]
    assert ours["loss"] == pytest.approx(100 * plan.loss)
    assert ours["violation"] == pytest.approx(100 * found.completion.value)
    assert ours["affine_violation"] == pytest.approx(100 * found.violation.value)
    assert ours["guarantee"].endswith("[PROVEN, row]")
    baseline = po.output_perturbation(drawn.program, drawn.query, privacy)
    expected = baseline.verify(500, np.random.default_rng(2)).completion.value
    assert rows["OP"]["violation"] == pytest.approx(100 * expected)
    assert rows["OP"]["loss"] is rows["OP"]["affine_violation"] is None
    assert rows["OP"]["guarantee"].endswith("[NO CLAIM]")
