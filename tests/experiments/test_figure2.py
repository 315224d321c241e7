"""Figure 2 as a study: less variance for more expected cost, point by point."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path

import pytest

import privopt as po
from privopt.experiments import Figure2, run
from privopt.experiments.figure2 import PHIS
from privopt.experiments.study import streams


def test_variance_falls_and_loss_grows_with_phi(tmp_path: Path) -> None:
    figure = run(Figure2(networks=("14_ieee",), sums=2, cbars=(10.0,), runs=2), tmp_path)
    for panel, variance in (("cost", "cost_variance"), ("solution", "solution_variance")):
        rows = [row for row in figure.summary if row["panel"] == panel]
        values = [row[variance] for row in rows]
        losses = [row["loss"] for row in rows]
        assert all(b <= a + 1e-5 * (1 + a) for a, b in pairwise(values))
        assert all(b >= a - 1e-5 * (1 + a) for a, b in pairwise(losses))
    content = json.loads((tmp_path / "figure2.json").read_text(encoding="utf-8"))
    assert content["settings"]["noise_variance"] == pytest.approx(2 * 2 * 0.25, rel=1e-6)


def test_no_plan_beats_another_at_its_own_phi_and_the_variance_falls_to_zero(
    tmp_path: Path,
) -> None:
    """Every solution is feasible for every phi."""
    figure = run(Figure2(networks=("14_ieee",), sums=2, cbars=(10.0,), runs=1), tmp_path)
    rows = [row for row in figure.summary if row["panel"] == "cost"]
    assert rows[-1]["cost_variance"] < 1e-4 * rows[0]["cost_variance"]
    for phi in (row["phi"] for row in rows):
        values = {
            row["phi"]: (1 - phi) * (1 + row["loss"] / 100)
            + phi * math.sqrt(row["loss_variance"]) / 100
            for row in rows
        }
        assert values[phi] <= min(values.values()) + 1e-6


def test_units_follow_each_other_so_that_a_plan_starts_from_the_one_before() -> None:
    study = Figure2(networks=("14_ieee",), sums=2, cbars=(10.0, 20.0), runs=2)
    units = study.units()
    assert len(units) == len({unit.key for unit in units}) == 2 * 2 * 14
    assert [unit.run for unit in units] == sorted(unit.run for unit in units)
    for panel, phis in PHIS.items():
        seen = [dict(unit.parameters) for unit in units if ("panel", panel) in unit.parameters]
        assert tuple(one["phi"] for one in seen[: len(phis)]) == phis == tuple(sorted(phis))


def test_at_phi_zero_both_panels_are_the_plan_of_the_expected_cost() -> None:
    """Against `solve` itself, on the same instance."""
    study = Figure2(networks=("14_ieee",), sums=2, cbars=(10.0,), runs=1, samples=50)
    first, second, _ = streams(0, "14_ieee", 0)
    drawn = po.experiments.instance("14_ieee", first, linear=(1.0, 10.0), quadratic=None)
    plan = po.solve(
        drawn.program, drawn.sums(2), po.Laplace(epsilon=1.0, alpha=0.5),
        po.Analytic(eta=0.025, margin="unimodal"), rng=second,
    )  # fmt: skip
    starts = [unit for unit in study.units() if ("phi", 0.0) in unit.parameters]
    rows = [study.work(unit) for unit in starts]
    assert len(rows) == 2
    for row in rows:
        assert row["loss"] == pytest.approx(100 * plan.loss, abs=1e-9)
        assert row["noise_variance"] == pytest.approx(2 * plan.calibration.deviation**2)
        assert row["loss_variance"] == pytest.approx(
            row["cost_variance"] * (100 / plan.optimum.cost) ** 2
        )
