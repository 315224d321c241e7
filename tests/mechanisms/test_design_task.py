"""A design prepared once: the mean optimal cost, the time limit, and constants that are free."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.mechanisms.designing import prepared
from privopt.mechanisms.question import Question
from privopt.solving.attempt import ByColumns
from privopt.solving.problem import Outcome

NOISE = po.Laplace(epsilon=1.0, alpha=0.1)
UNIMODAL = po.Analytic(eta=0.05, margin="unimodal")


def test_the_loss_orders_policies_as_their_cost_does() -> None:
    """Whatever is released, hidden, kept and drawn: one program, domain and prior, one mean."""
    one = po.experiments.instance("3_lmbd", 3)
    strong, weak = po.Laplace(epsilon=0.5, alpha=0.1), po.Laplace(epsilon=3.0, alpha=0.05)
    first = po.Identity([one.program.names[0]])
    policies = [
        po.design(one.program, query, noise, kind, domain=one.domain, fidelity=fidelity, rng=rng)
        for query, noise, kind, fidelity, rng in [
            (one.query, strong, UNIMODAL, 0.0, 0),
            (one.query, strong, UNIMODAL, 10.0, 1),
            (one.query, weak, po.ExactBox(eta=0.1), 0.0, 2),
            (first, weak, UNIMODAL, 1.0, 3),
            (first, strong, po.Joint(eta=0.1, beta=0.1), 1.0, 4),
        ]
    ]
    ordered = sorted(policies, key=lambda one: one.cost)
    assert [one.loss for one in ordered] == sorted(one.loss for one in policies)
    means = [one.cost / (1 + one.loss) for one in policies]
    assert means == pytest.approx([means[0]] * len(means), rel=1e-12)


def test_the_mean_optimal_cost_is_that_of_the_prior() -> None:
    """z = d/3 at a cost of d^2/3 + d: by the mean and the variance of d alone."""
    program = po.ConvexProgram(linear=[1.0] * 3, quadratic=[1.0] * 3, G=[[1, 1, 1]])
    prior = np.random.default_rng(1).beta(1.0, 3.0, size=(1000, 1)) * 2 + 5
    for given, mean, variance in (
        (None, 6.0, 1 / 3),
        (prior, float(prior.mean()), float(prior.var())),
    ):
        policy = po.design(
            program, po.Identity([0]), NOISE, UNIMODAL, domain=po.Box(5.0, 7.0), prior=given
        )
        wanted = (mean**2 + variance) / 3 + mean
        assert policy.cost / (1 + policy.loss) == pytest.approx(wanted, rel=2e-4)


def test_past_the_time_limit_no_model_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    one = po.experiments.instance("5_pjm", 0)
    task = prepared(Question(one.program, one.query, NOISE, UNIMODAL), one.domain)
    assert task.solvable

    def solve(*_: Any) -> None:
        pytest.fail("a model was solved")

    monkeypatch.setattr(ByColumns, "solve", solve)
    late = task.under(NOISE, po.Settings(time_limit=1.0).started(itertools.count().__next__))
    assert late.solution(0.0, 1.0) is Outcome.TIME


@pytest.mark.parametrize("kind", ["no private entry", "a point", "free"])
def test_what_tells_nothing_is_a_constant_and_free(kind: str) -> None:
    """Where noise costs next to nothing, a solver leaves some, whatever there is to hide."""
    program, query, box = {
        "no private entry": (
            po.ConvexProgram(
                linear=[1, 2, 3, 4.0], quadratic=np.ones(4), G=[[1, 1, 0, 0], [0, 0, 1, 1.0]],
                d=[4.0, 3.0], lower=0, upper=4, private=[0],
            ),
            po.Identity([2]),
            po.Box([3.5], [4.5]),
        ),
        "a point": (
            po.ConvexProgram(
                linear=[1, 2.0], quadratic=np.ones(2), G=[[1, 1.0]], d=[4.0], lower=0, upper=4
            ),
            po.Identity([0]),
            po.Box([4.0], [4.0]),
        ),
        "free": (
            po.ConvexProgram(linear=np.ones(4), G=np.ones((1, 4)), d=[4.0]),
            po.Identity([0]),
            po.Box([3.5], [4.5]),
        ),
    }[kind]  # fmt: skip
    policy = po.design(program, query, NOISE, UNIMODAL, domain=box)
    assert policy.sensitivity == 0
    assert policy.calibration is None
    assert policy.release(program.d).epsilon == 0
