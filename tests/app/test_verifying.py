"""Verification of a job: who may see it, which limits are near, and what chance cannot do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.app.test_preparing import job

import privopt as po
from privopt.app.job import Job
from privopt.app.making import solved
from privopt.app.verifying import judge, simulate, tightest
from privopt.claims.estimate import Estimate
from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.errors import InputError
from privopt.mechanisms.verify import Verification

__all__ = ["job"]


def test_what_was_seen_of_a_plan_is_private(job: Job) -> None:
    found = simulate(job, plan=True, samples=100)
    assert found.view.private
    assert "plan" in found.view.title
    assert found.view.guarantee is not None
    assert found.to_dict()["private"]
    with pytest.raises(InputError, match="the job measures and decides"):
        simulate(job, samples=100)


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


def found(joint: int, rows: list[int], samples: int = 10_000) -> Verification:
    names = tuple(f"row{k}" for k in range(len(rows)))
    counts = Estimate.of(np.array(rows), samples)
    one = Estimate.of(joint, samples)
    return Verification(one, one, counts, names, 1e-7)


LAPLACE = po.Laplace(epsilon=1.0, alpha=0.01)
PROGRAM = po.ConvexProgram(
    linear=[1.0, 2.0, 3.0], quadratic=[0.1] * 3, G=[[1, 1, 1]], d=[6.0], lower=0, upper=4
)
QUERY = po.Identity([0, 1])


def claim(scope: Scope) -> Claim:
    return Claim("it holds", Provenance.PROVEN, "so", scope)


@pytest.mark.parametrize(
    ("count", "refuted"), [(0, False), (510, False), (560, False), (650, True)]
)
def test_all_limits_together(count: int, refuted: bool) -> None:
    verdict = judge(found(count, [count, 0]), claim(Scope.JOINT), po.ExactBox(eta=0.05))
    assert verdict.refuted is refuted
    assert verdict.allowed == 0.05
    assert ("Refuted" in verdict.words) is refuted


def test_each_limit_has_its_own_allowance() -> None:
    each = po.Analytic(eta=[0.01, 0.1])
    assert not judge(found(1100, [110, 1000]), claim(Scope.ROW), each).refuted
    assert judge(found(1100, [180, 1000]), claim(Scope.ROW), each).refuted
    assert judge(found(1100, [110, 1200]), claim(Scope.ROW), each).refuted
    assert "other rows" in judge(found(0, [0]), claim(Scope.ROW), each).words


def test_chance_alone_refutes_rarely() -> None:
    """A hundred rows at exactly what is allowed: less than one in a hundred is called refuted."""
    rng = np.random.default_rng(0)
    each = po.Analytic(eta=0.05)
    wrong = sum(
        judge(found(0, rng.binomial(10_000, 0.05, 100).tolist()), claim(Scope.ROW), each).refuted
        for _ in range(300)
    )
    assert wrong <= 6


def test_what_always_holds_may_never_fail() -> None:
    assert judge(found(40, [40]), claim(Scope.JOINT), po.Always()).refuted
    assert not judge(found(0, [0]), claim(Scope.JOINT), po.Always()).refuted


def test_without_a_claim_nothing_is_compared() -> None:
    for scope, kept in ((Scope.NONE, po.ExactBox(eta=0.05)), (Scope.JOINT, None)):
        verdict = judge(found(9000, [9000]), claim(scope), kept)
        assert not verdict.refuted
        assert verdict.allowed is None
        assert "Not compared" in verdict.words


KINDS: list[tuple[po.Laplace | po.TruncatedLaplace, Any]] = [
    (LAPLACE, po.Analytic(eta=0.025)),
    (LAPLACE, po.Analytic(eta=1e-5)),
    (LAPLACE, po.Analytic(eta=0.07, scope="joint")),
    (LAPLACE, po.ExactBox(eta=0.05)),
    (LAPLACE, po.SampledBox(eta=0.1, beta=0.01)),
    (LAPLACE, po.Joint(eta=0.1, beta=0.01)),
    (LAPLACE, po.Scenario(eta=0.2, beta=0.01)),
    (po.TruncatedLaplace(epsilon=1.0, delta=0.01, alpha=0.01), po.Always()),
]


@pytest.mark.parametrize(("noise", "kept"), KINDS, ids=lambda one: type(one).__name__)
def test_what_a_plan_claims_is_read_from_its_words(noise: Any, kept: Any) -> None:
    """The same verdict with the job and without it, for every way to keep the limits."""
    plan = po.solve(PROGRAM, QUERY, noise, kept, rng=0)
    said, rows = plan.guarantee.feasibility, len(plan.program.rows)
    for share in (0.0, 0.5):
        count = round(share * 10_000)
        seen = found(count, [count] * rows)
        given, read = judge(seen, said, kept), judge(seen, said, None)
        assert read.refuted is given.refuted is bool(share)
        assert read.allowed == pytest.approx(given.allowed, abs=1e-6)
        assert read.words == given.words


def test_what_has_no_one_number_is_not_compared() -> None:
    rows = len(PROGRAM.rows)
    for kept in (po.Analytic(eta=[0.01] * (rows - 1) + [0.02]), po.Scenario(
        eta=0.05, beta=0.01, samples=20
    )):  # fmt: skip
        made = po.solve(PROGRAM, QUERY, LAPLACE, kept, rng=0)
        verdict = judge(found(10_000, [10_000] * rows), made.guarantee.feasibility, None)
        assert not verdict.refuted
        assert "--feasibility with --eta" in verdict.words


def test_an_eta_for_each_row_as_it_is_written_is_that_of_the_rows() -> None:
    """Two rows make an equality: the entries of the others are compared."""
    program = po.ConvexProgram(
        A=[[1, 0], [0, 1], [-2, 0]], b=[1, 5, -2], G=[[1, 1]], d=[2], linear=[1, 1]
    )
    kept = po.Analytic(eta=[0.01, 0.2, 0.01]).fitted(program.rows)
    assert not judge(found(1900, [1900]), claim(Scope.ROW), kept).refuted
    assert judge(found(2300, [2300]), claim(Scope.ROW), kept).refuted
