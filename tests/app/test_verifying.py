"""Verification of a job: who may see it, and which limits are near."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.app.test_preparing import job

from privopt.app.job import Job, solved
from privopt.app.verifying import simulate, tightest

__all__ = ["job"]


def test_what_was_seen_of_a_plan_is_private_and_of_a_policy_is_not(job: Job) -> None:
    for plan in (True, False):
        view = simulate(job, plan=plan, samples=100).view
        assert view.private is plan
        assert ("plan" in view.title) is plan
        assert view.guarantee is not None


def test_the_tightest_limits_are_those_that_noise_reaches_first(job: Job, tmp_path: Path) -> None:
    """Against one row after the other, in plain numbers."""
    plan = solved(job)
    rows, Z = plan.program.rows, np.asarray(plan.recourse)
    A = rows.matrix.toarray()
    ratios: dict[str, float] = {}
    for i, name in enumerate(rows.names):
        deviation = plan.calibration.deviation * float(np.linalg.norm(A[i] @ Z))
        if deviation > 1e-9:
            ratios[name] = float(rows.bound[i] - A[i] @ plan.expected) / deviation
    found = tightest(plan, most=3)
    assert list(found.rows) == sorted(ratios, key=lambda name: ratios[name])[:3]
    assert np.allclose(found.columns["ratio"], sorted(ratios.values())[:3])
