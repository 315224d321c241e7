"""A claim is refuted when more was seen than chance can do, and not before."""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po
from privopt.estimate import Estimate
from privopt.guarantee import Claim, Provenance, Scope
from privopt.jobs.judging import judge
from privopt.verify import Verification


def found(joint: int, rows: list[int], samples: int = 10_000) -> Verification:
    names = tuple(f"row{k}" for k in range(len(rows)))
    counts = Estimate.of(np.array(rows), samples)
    one = Estimate.of(joint, samples)
    return Verification(one, one, counts, names, 1e-7)


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
        assert "Not compared" in verdict.words
