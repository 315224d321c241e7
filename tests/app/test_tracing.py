"""Frontiers: each point is what the library gives at that value; what has no solution is marked."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

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
        job, "epsilon", [2.0, 0.5, 0.001], decisions=False, progress=lambda *k: seen.append(k)
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


def test_beside_plans_stands_no_constant(job: Job) -> None:
    plans = frontier(job, "epsilon", [0.5], decisions=False)
    assert plans.constant is None
    assert plans.points[0].completed is not None


def test_phi_of_plans(job: Job) -> None:
    found = frontier(job, "phi", [0.0, 0.9], decisions=False)
    assert (found.points[0].cost or 0) <= (found.points[1].cost or 0) + 1e-9


def test_what_cannot_be_is_refused(job: Job) -> None:
    cases: tuple[tuple[Any, ...], ...] = (
        ("fidelity", [1.0], False), ("phi", [1.0], True), ("x", [1.0], True), ("epsilon", [], True),
        ("epsilon", [-1.0], True), ("eta", [2.0], False), ("fidelity", [-1.0], True),
    )  # fmt: skip
    for over, values, decisions in cases:
        with pytest.raises(InputError):
            frontier(job, over, values, decisions=decisions)
    always = read_job(flags={"feasibility": "always"})
    with pytest.raises(InputError, match="always hold"):
        frontier(always, "eta", [0.1], decisions=False)


def test_values_are_spaced_by_ratio_or_step() -> None:
    assert spaced("epsilon", 0.1, 10, 3) == [0.1, 1.0, 10.0]
    assert spaced("phi", 0, 2, 3) == [0.0, 1.0, 2.0]
    assert len(spaced("eta", 0.01, 0.1, 9)) == 9
    for low, high, points in ((1, 1, 3), (2, 1, 3), (1, 2, 1), (math.nan, 1, 3)):
        with pytest.raises(InputError):
            spaced("epsilon", low, high, points)
