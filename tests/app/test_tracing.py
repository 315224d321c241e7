"""Frontiers: each point is what the library gives at that value; what has no solution is marked."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.app.job import Job, read_job
from privopt.app.tracing import frontier, spaced
from privopt.errors import InputError


@pytest.fixture
def job(tmp_path: Path) -> Job:
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0], quadratic=[0.1] * 3, G=[[1, 1, 1]], lower=0, upper=4
    )
    po.PublicProgram(program).save(tmp_path / "program.json")
    (tmp_path / "d.json").write_text("[6.0]")
    return read_job(
        flags={
            "program": str(tmp_path / "program.json"), "data": str(tmp_path / "d.json"),
            "identity": "1", "epsilon": "1", "alpha": "0.05", "feasibility": "exact-box",
            "eta": "0.05", "lower": "5", "upper": "7",
        }
    )  # fmt: skip


def test_points_are_the_plans_of_the_library(job: Job) -> None:
    seen: list[tuple[int, int]] = []
    found = frontier(
        job, "epsilon", [2.0, 0.5, 0.001], policies=False, progress=lambda *k: seen.append(k)
    )
    assert [point.status for point in found.points] == ["infeasible", "solved", "solved"]
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
    program = job.source.program.at([6.0]) if job.source else None
    for point in found.points[1:]:
        noise = po.Laplace(epsilon=point.value, alpha=0.05)
        plan = po.solve(program, po.Identity([1]), noise, po.ExactBox(eta=0.05))
        assert point.cost == pytest.approx(plan.cost, rel=1e-7)
    assert found.private
    assert "0." not in repr(found)


@pytest.mark.parametrize("over", ["epsilon", "alpha", "eta", "floor", "fidelity", "within"])
def test_every_parameter_of_policies(job: Job, over: str) -> None:
    values = {"within": [0.5, 2.0], "eta": [0.01, 0.1]}.get(over, [0.5, 1.0])
    found = frontier(job, over, values, policies=True)
    assert not found.private
    costs = [point.cost for point in found.points]
    assert None not in costs
    falls = over in ("epsilon", "eta", "within")
    first, last = (costs[0] or 0.0), (costs[1] or 0.0)
    assert first >= last - 1e-6 if falls else first <= last + 1e-6


def test_beside_policies_stands_the_constant_and_what_each_tells(job: Job) -> None:
    found = frontier(job, "epsilon", [0.5, 5.0], policies=True)
    assert job.source is not None
    program, domain = job.source.program, po.Box(5.0, 7.0)
    for point in found.points:
        noise = po.Laplace(epsilon=point.value, alpha=0.05)
        asked = (po.Identity([1]), noise, po.ExactBox(eta=0.05))
        policy = po.design(program, *asked, domain=domain)
        assert policy.worth is not None
        assert point.tells == pytest.approx(policy.worth.tells, abs=1e-6)
        assert point.completed == pytest.approx(policy.completed_loss.value, rel=1e-4)
    constant = found.constant
    assert constant is not None
    assert (constant.level, constant.tells) == (0.0, 0.0)
    assert constant.completed is not None
    u = np.linspace(5, 7, 401)
    optimal = np.array([program.solve(d=np.array([v])).cost for v in u[::20]]).mean()

    def loss(y: float) -> float:
        """Of the constant y, where x and w are chosen for each d: brute force."""
        x = np.linspace(0, 4, 201)[:, None]
        w = u - y - x
        cost = x + 2 * y + 3 * w + 0.1 * (x**2 + y**2 + w**2)
        best = np.where((w >= 0) & (w <= 4), cost, np.inf).min(axis=0)
        return float(best.mean()) / optimal - 1

    # Its own affine answer is what makes it the cheapest: completing it costs no more than that.
    least = min(loss(y) for y in np.linspace(0, 4, 41))
    assert least - 1e-3 <= constant.completed <= (constant.loss or 0) + 1e-9
    table = found.view().table
    assert list(table.rows) == [0.5, 5.0, "constant"]
    assert "tells, %" in table.columns
    drawn = found.plot().svg
    assert "the constant: completed loss, %" in drawn
    assert "the constant: distance" in drawn
    assert found.to_dict()["constant"]["completed"] == constant.completed
    plans = frontier(job, "epsilon", [0.5], policies=False)
    assert plans.constant is None
    assert plans.points[0].completed is not None


def test_phi_of_plans(job: Job) -> None:
    found = frontier(job, "phi", [0.0, 0.9], policies=False)
    assert (found.points[0].cost or 0) <= (found.points[1].cost or 0) + 1e-9


def test_what_cannot_be_is_refused(job: Job) -> None:
    cases: tuple[tuple[Any, ...], ...] = (
        ("floor", [1.0], False), ("phi", [1.0], True), ("x", [1.0], True), ("epsilon", [], True),
        ("epsilon", [-1.0], True), ("eta", [2.0], False), ("floor", [-1.0], True),
    )  # fmt: skip
    for over, values, policies in cases:
        with pytest.raises(InputError):
            frontier(job, over, values, policies=policies)
    always = read_job(flags={"feasibility": "always"})
    with pytest.raises(InputError, match="always hold"):
        frontier(always, "eta", [0.1], policies=False)


def test_values_are_spaced_by_ratio_or_step() -> None:
    assert spaced("epsilon", 0.1, 10, 3) == [0.1, 1.0, 10.0]
    assert spaced("floor", 0, 2, 3) == [0.0, 1.0, 2.0]
    assert len(spaced("eta", 0.01, 0.1, 9)) == 9
    for low, high, points in ((1, 1, 3), (2, 1, 3), (1, 2, 1), (math.nan, 1, 3)):
        with pytest.raises(InputError):
            spaced("epsilon", low, high, points)
